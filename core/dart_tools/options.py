"""Options that several commands have."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_jobs", "add_specification"]


def add_jobs(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add `--jobs N`, one where it is not given; `meaning` says what is done N at a time."""
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help=meaning)


def add_specification(parser: argparse.ArgumentParser) -> None:
    """Add `--spec FOLDER`, the folder of the modules and models."""
    parser.add_argument(
        "--spec",
        type=Path,
        default=Path("spec_tla"),
        metavar="FOLDER",
        help="the folder of the specification (default: spec_tla)",
    )
