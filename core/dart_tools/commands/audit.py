"""`dart-core audit`: every recorded recovery judged against the decision at that point."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Event
from types import FrameType

import msgspec
from attrs import asdict, evolve
from rich.console import Console
from rich.table import Table

from dart_tools.audit import Form, Totals, audit_trace, exit_code, trace_paths
from dart_tools.errors import DartError, TraceError
from dart_tools.options import add_jobs
from dart_tools.progress import progress
from dart_tools.spread import each, uncollected

__all__ = ["HELP", "configure", "run"]

HELP = "Judge the recoveries that traces record."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a trace, a folder of them, or - for standard input",
    )
    parser.add_argument("--json", action="store_true", help="print one recovery a line as JSON")
    parser.add_argument(
        "--strict", action="store_true", help="exit 1 also for early and missed recoveries"
    )
    add_jobs(parser, "spread the traces over N processes")
    parser.add_argument(
        "--follow",
        action="store_true",
        help="print each recovery of one growing trace as soon as it is judged, until interrupted",
    )
    parser.add_argument(
        "--verify", action="store_true", help="have each decision confirmed by the checker"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print each recovery and the totals; see `exit_code` for what it yields."""
    paths = list(trace_paths(arguments.paths))
    if not paths:
        message = f"no trace (*.jsonl) in {', '.join(arguments.paths)}"
        raise DartError(message)
    form = Form(json=arguments.json, checked=arguments.verify)
    totals = _followed(paths, form) if arguments.follow else _audited(paths, form, arguments.jobs)
    return exit_code(totals, strict=arguments.strict)


def _followed(paths: list[str], form: Form) -> Totals:
    if len(paths) != 1:
        message = "--follow takes one trace"
        raise DartError(message)
    with uncollected(last=True), _interrupted() as stop:
        say = partial(_say, json=form.json)
        totals, error = audit_trace(evolve(form, follow=stop), paths[0], say)
    _print_error(error)
    _print_totals(totals, json=form.json)
    return totals


@contextmanager
def _interrupted() -> Iterator[Event]:
    """What a first interrupt sets, so that the totals are still told; a second one is as usual."""
    stop = Event()
    usual = signal.getsignal(signal.SIGINT)

    def handle(number: int, frame: FrameType | None) -> None:
        del number, frame
        stop.set()
        signal.signal(signal.SIGINT, usual)

    signal.signal(signal.SIGINT, handle)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, usual)


def _say(line: bytes, *, json: bool) -> None:
    text = line.decode() if json else "  ".join(msgspec.json.decode(line)).rstrip() + "\n"
    sys.stdout.write(text)
    sys.stdout.flush()


def _audited(paths: list[str], form: Form, jobs: int) -> Totals:
    table = Table("trace", "failure", "decision", "recorded", "judgement", "remarks")
    totals = Totals()
    with progress(paths, Console(stderr=True)) as advance:
        for counts, error, lines in each(paths, partial(audit_trace, form), jobs, advance):
            totals += counts
            _print_error(error)
            for line in lines:
                if form.json:
                    sys.stdout.write(line.decode())
                else:
                    table.add_row(*msgspec.json.decode(line))
    if not form.json:
        _console().print(table)
    _print_totals(totals, json=form.json)
    return totals


def _print_error(error: TraceError | None) -> None:
    if error is not None:
        print(f"dart-core: {error}", file=sys.stderr)


def _console() -> Console:
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console = Console(markup=False, highlight=False, width=200)
    return console


def _print_totals(totals: Totals, *, json: bool) -> None:
    if json:
        sys.stdout.write(msgspec.json.encode({"totals": asdict(totals)}).decode() + "\n")
    else:
        _console().print("  ".join(f"{name} {count}" for name, count in asdict(totals).items()))
