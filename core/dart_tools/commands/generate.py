"""`dart-core generate`: a long trace as a platform would record it, the same for the same seed."""

from __future__ import annotations

import argparse
import sys
from random import Random

from attrs import fields

from dart_tools.codec import Header, encode_event, encode_header
from dart_tools.workload import CONTRACT, Workload, workload_events

__all__ = ["HELP", "configure", "run"]

HELP = "Print a long trace of many instances, for measuring."

WORDS = {
    "instances": "how many instances run in all",
    "concurrency": "how many run at a time",
    "acts": "how many acts each has",
    "fan_out": "how many keys an act reads that others have published",
    "density": "the chance of a checkpoint where one could stand",
    "failures": "the chance that an instance fails",
    "sends": "the chance that an instance's last act cannot be undone",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same trace")
    for part in fields(Workload):
        parser.add_argument(
            f"--{part.name.replace('_', '-')}",
            type=type(part.default),
            default=part.default,
            help=f"{WORDS[part.name]} (default {part.default})",
        )


def run(arguments: argparse.Namespace) -> int:
    """Print the trace."""
    workload = Workload(**{name: getattr(arguments, name) for name in WORDS})
    rng = Random(arguments.seed)  # noqa: S311 (a seed is wanted)
    header = Header(name=f"generated with seed {arguments.seed}", contract=CONTRACT)
    sys.stdout.write(encode_header(header).decode() + "\n")
    for event in workload_events(rng, workload):
        sys.stdout.write(encode_event(event).decode() + "\n")
    return 0
