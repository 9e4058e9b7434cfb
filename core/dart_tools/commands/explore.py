"""`dart-core explore`: the core's own graph of a model, counted or compared with TLC's."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from dart_tools.graphs import compare
from dart_tools.model import read_model
from dart_tools.options import add_jobs, add_specification
from dart_tools.shared_search import count

__all__ = ["HELP", "configure", "run"]

HELP = "Search the states that the core reaches in a model, and compare them with TLC's."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("models", nargs="+", metavar="MODEL", help="a model, as MCScope")
    parser.add_argument(
        "--compare",
        action="store_true",
        help="compare states and steps with those that TLC reaches; 1 if any is different",
    )
    add_jobs(parser, "processes at work")
    add_specification(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print what there is in each model; 1 where the two graphs of one are different."""
    jobs = max(1, arguments.jobs)
    if arguments.compare:
        return _compare(arguments.models, arguments.spec, jobs)
    for name in arguments.models:
        found = count(read_model(arguments.spec, name), jobs)
        print(
            f"{name}: {found.states:,} states, {found.steps:,} steps in {found.seconds:.1f} s: "
            f"{found.states / found.seconds:,.0f} states/s with {jobs} process(es)"
        )
    return 0


def _compare(models: list[str], specification: Path, jobs: int) -> int:
    code = 0
    one = partial(compare, specification, workers=jobs if len(models) == 1 else 1)
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        for found in pool.map(one, models):
            print(f"{found.model}: {found.states:,} states and {found.edges:,} edges of the core")
            if found.equal:
                print("  equal to the specification's, as sets, both ways")
                continue
            code = 1
            print(
                f"  {found.only_core} states and edges are the core's alone, "
                f"{found.only_specification} the specification's alone"
            )
            for difference in found.differences:
                print(difference, file=sys.stderr)
    return code
