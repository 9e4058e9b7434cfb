"""`dart-core explain`: a trace's recoveries for a person."""

from __future__ import annotations

import argparse

from dart_core.monitor import Monitor
from dart_tools.codec import read_trace
from dart_tools.explain import explain
from dart_tools.stream import Stream, judged

__all__ = ["HELP", "configure", "run"]

HELP = "Say for a person what failed, what was chosen, and what stood against the rest."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("trace", metavar="TRACE", help="a trace file")


def run(arguments: argparse.Namespace) -> int:
    """Print the explanation of each recovery."""
    trace = read_trace(arguments.trace)
    found = list(judged(Stream(arguments.trace, Monitor.decide)))
    if not found:
        print(f"{trace.path}: no failure is recorded, so there is nothing to decide.")
    print("\n\n".join(explain(trace, recovery) for recovery in found), end="\n" if found else "")
    return 0
