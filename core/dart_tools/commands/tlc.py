"""`dart-core tlc`: a model of the specification, run for a person."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dart_tools.codec import encode_event
from dart_tools.errors import DartError
from dart_tools.options import add_specification
from dart_tools.tla_trace import trace_of
from dart_tools.tlc import Outcome, TlcResult, TlcRun, run_tlc

__all__ = ["HELP", "configure", "run"]

HELP = "Run TLC on a model of the specification; a counterexample is shown as a trace."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("model", metavar="MODEL", nargs="?", help="a model; none lists them all")
    add_specification(parser)
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="threads (default 2)")


def _models(folder: Path) -> list[str]:
    found = sorted(path.stem for path in folder.glob("MC*.cfg"))
    if not found:
        cause = f"{folder}: no models there (say where with --spec)"
        raise _NoModelError(cause)
    return found


class _NoModelError(DartError):
    """There is no such model."""


def _progress(line: str) -> None:
    print(line, file=sys.stderr)


def report(result: TlcResult) -> str:
    """What TLC found, with a counterexample as the events of a trace."""
    counts = f"{result.generated} states generated, {result.distinct} distinct"
    if result.outcome is Outcome.HOLDS:
        return f"{result.model}: holds ({counts}, depth {result.depth})"
    _, events = trace_of(result)
    lines = [f"{result.model}: {result.outcome.value} {result.violated} is violated ({counts})"]
    lines += [
        f"{number:4} {encode_event(event).decode().strip()}"
        for number, event in enumerate(events, start=1)
    ]
    return "\n".join(lines)


def run(arguments: argparse.Namespace) -> int:
    """Print what TLC finds; yields 1 where the model is violated."""
    folder: Path = arguments.spec
    models = _models(folder)
    if arguments.model is None:
        print("\n".join(models))
        return 0
    if arguments.model not in models:
        cause = f"{folder}: no model {arguments.model}"
        raise _NoModelError(cause)
    task = TlcRun(folder=folder, model=arguments.model, workers=arguments.workers)
    result = run_tlc(task, _progress)
    print(report(result))
    return 0 if result.outcome is Outcome.HOLDS else 1
