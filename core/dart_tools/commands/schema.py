"""`dart-core schema`: the JSON Schema of what the commands read and write."""

from __future__ import annotations

import argparse
import json

from dart_tools.schema import schema

__all__ = ["HELP", "configure", "run"]

HELP = "Print the JSON Schema of a header, an event and a decision."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "--only", choices=("header", "event", "decision"), help="print the schema of one of them"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the schema."""
    print(json.dumps(schema(arguments.only), indent=2))
    return 0
