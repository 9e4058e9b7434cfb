"""`dart-core decide`: the decision for each recovery that is due in a trace."""

from __future__ import annotations

import argparse
import sys
from functools import partial

from rich.console import Console

from dart_core.monitor import Monitor
from dart_tools.codec import encode_decision
from dart_tools.errors import TraceError
from dart_tools.explain import headline
from dart_tools.options import add_jobs
from dart_tools.progress import progress
from dart_tools.spread import Write, each
from dart_tools.stream import Advance, Stream, judged

__all__ = ["HELP", "configure", "run"]

HELP = "Decide every recovery that is due in the traces."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "traces", nargs="+", metavar="TRACE", help="a trace file, or - for standard input"
    )
    parser.add_argument("--json", action="store_true", help="print one decision a line as JSON")
    add_jobs(parser, "spread the traces over N processes")


def run(arguments: argparse.Namespace) -> int:
    """Print the decisions; 2 if any input is bad, which stops none of the others."""
    code = 0
    work = partial(_decided, arguments.json)
    with progress(arguments.traces, Console(stderr=True)) as advance:
        for _, error, lines in each(arguments.traces, work, arguments.jobs, advance):
            if error is not None:
                print(f"dart-core: {error}", file=sys.stderr)
                code = 2
            for line in lines:
                sys.stdout.write(line.decode())
    return code


def _decided(
    json: bool, path: str, write: Write, advance: Advance
) -> tuple[None, TraceError | None]:
    # Of a trace with an error anywhere, nothing is decided.
    try:
        if json:
            for full in judged(Stream(path, Monitor.decide), advance=advance):
                write(encode_decision(path, full.decision) + b"\n")
        else:
            for one in judged(Stream(path, Monitor.rule), advance=advance):
                text = f"failure at event {one.decision.failure}: {headline(one.decision)}"
                write(f"{path}: {text}\n".encode())
    except TraceError as error:
        return None, error
    return None, None
