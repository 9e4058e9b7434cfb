"""`dart-core decide`: the decision for each recovery that is due in a trace."""

from __future__ import annotations

import argparse
import sys

from dart_tools.codec import encode_decision, read_trace
from dart_tools.errors import TraceError
from dart_tools.explain import headline
from dart_tools.judge import recoveries

__all__ = ["HELP", "configure", "run"]

HELP = "Decide every recovery that is due in the traces."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("traces", nargs="+", metavar="TRACE", help="a trace file")
    parser.add_argument("--json", action="store_true", help="print one decision a line as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the decisions; 2 if any input is bad, which stops none of the others."""
    code = 0
    for path in arguments.traces:
        try:
            # Of a trace with an error anywhere, nothing is decided.
            decisions = [decision for _, decision, _ in recoveries(read_trace(path))]
        except TraceError as error:
            print(f"dart-core: {error}", file=sys.stderr)
            code = 2
            continue
        for decision in decisions:
            if arguments.json:
                sys.stdout.write(encode_decision(path, decision).decode() + "\n")
            else:
                print(f"{path}: failure at event {decision.failure}: {headline(decision)}")
    return code
