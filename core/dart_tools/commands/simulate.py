"""`dart-core simulate`: random behaviours of the specification, written as traces."""

from __future__ import annotations

import argparse
from pathlib import Path

from dart_tools.codec import encode_trace
from dart_tools.options import add_jobs, add_specification
from dart_tools.simulate import Simulation, simulate

__all__ = ["HELP", "configure", "run"]

HELP = "Have TLC make random behaviours of the specification, and write them as traces."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the traces go")
    parser.add_argument("--model", default="SIM", metavar="MODEL", help="the model (default: SIM)")
    parser.add_argument("--number", type=int, default=100, metavar="N", help="how many traces")
    parser.add_argument("--events", type=int, default=30, metavar="N", help="the most events")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the first run")
    add_jobs(parser, "runs of TLC at a time")
    add_specification(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the traces; yields 0."""
    simulation = Simulation(
        model=arguments.model,
        number=arguments.number,
        events=arguments.events,
        seed=arguments.seed,
    )
    traces = simulate(arguments.spec, simulation, max(1, arguments.jobs))
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for trace in traces:
        path = arguments.folder / f"{trace.path}.jsonl"
        path.write_bytes(encode_trace(trace.header, trace.events))
    print(f"{len(traces)} traces in {arguments.folder}")
    return 0
