"""`dart-core validate`: traces checked by TLC as behaviours of the specification."""

from __future__ import annotations

import argparse
import sys

from dart_tools.codec import Trace, read_trace
from dart_tools.errors import TraceError
from dart_tools.options import add_jobs, add_specification
from dart_tools.validate import claim_of, validate

__all__ = ["HELP", "configure", "run"]

HELP = "Have TLC take each event of the traces and make each decision that the core makes."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("traces", nargs="+", metavar="TRACE", help="a trace file")
    add_jobs(parser, "runs of TLC at a time")
    add_specification(parser)


def _readable(paths: list[str]) -> list[Trace]:
    found = []
    for path in paths:
        try:
            found.append(read_trace(path))
        except TraceError as error:
            print(f"dart-core: {error}", file=sys.stderr)
    return found


def run(arguments: argparse.Namespace) -> int:
    """Print where traces stop; 1 if any is no behaviour, 2 if any cannot be read."""
    traces = _readable(arguments.traces)
    claims = [claim_of(trace) for trace in traces]
    stops = validate(arguments.spec, claims, max(1, arguments.jobs))
    for stop in stops:
        print(stop)
    accepted = len(traces) - len(stops)
    print(f"{accepted} of {len(traces)} traces are behaviours of the specification")
    if len(traces) < len(arguments.traces):
        return 2
    return 1 if stops else 0
