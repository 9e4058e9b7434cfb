"""`dart-core export`: the trace that a sidecar's store holds."""

from __future__ import annotations

import argparse
import sys

from dart_runtime.store import Store

__all__ = ["HELP", "configure", "run"]

HELP = "Print what a sidecar's store holds as a trace of format 1."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("store", metavar="STORE", help="a store's file; it is not changed")


def run(arguments: argparse.Namespace) -> int:
    """Print the trace, byte for byte."""
    sys.stdout.flush()
    sys.stdout.buffer.write(Store.read_trace(arguments.store))
    return 0
