"""`dart-core audit`: every recorded recovery judged against the decision at that point."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import msgspec
from attrs import asdict
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from dart_tools.audit import (
    Totals,
    audit_path,
    exit_code,
    recovery_to_builtins,
    trace_paths,
)
from dart_tools.errors import DartError
from dart_tools.judge import Recovery

__all__ = ["HELP", "configure", "run"]

HELP = "Judge the recoveries that traces record."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a trace, or a folder of them")
    parser.add_argument("--json", action="store_true", help="print one recovery a line as JSON")
    parser.add_argument(
        "--strict", action="store_true", help="exit 1 also for early and missed recoveries"
    )


def _tracked(paths: list[str]) -> Iterator[str]:
    # Progress is for a person who waits: on a terminal only, and only from a second on.
    console = Console(stderr=True)
    if not console.is_terminal:
        yield from paths
        return
    with Progress(console=console, transient=True, disable=len(paths) <= 1) as progress:
        yield from progress.track(paths, description="traces")


def _row(recovery: Recovery) -> tuple[str, ...]:
    decision = recovery.decision
    recorded = recovery.recorded
    done = "" if recorded is None else getattr(recorded, "checkpoint", "rerun")
    remarks = [*recovery.breaks]
    if recovery.differs:
        remarks.append("differs from its expectation: " + ", ".join(recovery.differs))
    return (
        recovery.trace,
        str(decision.failure),
        decision.checkpoint or decision.verdict.value,
        done,
        recovery.judgement.value,
        ", ".join(remarks),
    )


def run(arguments: argparse.Namespace) -> int:
    """Print each recovery and the totals; see `exit_code` for what it yields."""
    paths = list(trace_paths(arguments.paths))
    if not paths:
        message = f"no trace (*.jsonl) in {', '.join(arguments.paths)}"
        raise DartError(message)
    table = Table("trace", "failure", "decision", "recorded", "judgement", "remarks")
    totals = Totals()
    for path in _tracked(paths):
        found, counts, error = audit_path(path)
        totals += counts
        if error is not None:
            print(f"dart-core: {error}", file=sys.stderr)
        for recovery in found:
            if arguments.json:
                line = msgspec.json.encode(recovery_to_builtins(recovery))
                sys.stdout.write(line.decode() + "\n")
            else:
                table.add_row(*_row(recovery))
    if arguments.json:
        sys.stdout.write(msgspec.json.encode({"totals": asdict(totals)}).decode() + "\n")
    else:
        _print(table, totals)
    return exit_code(totals, strict=arguments.strict)


def _print(table: Table, totals: Totals) -> None:
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console = Console(markup=False, highlight=False, width=200)
    console.print(table)
    console.print("  ".join(f"{name} {count}" for name, count in asdict(totals).items()))
