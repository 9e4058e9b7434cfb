"""`dart-core evaluate`: run the five domains and print the tables."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from dart_runtime.domain import DOMAINS, Domain, load_domain
from dart_runtime.evaluation.chart import draw
from dart_runtime.evaluation.measure import measure_all
from dart_runtime.evaluation.results import Results, Table
from dart_runtime.evaluation.sweep import sweep
from dart_runtime.evaluation.tables import CASES, cases_table, tables
from dart_runtime.evaluation.traces import write_traces
from dart_runtime.evaluation.truth import blocks
from dart_runtime.evaluation.writing import print_tables, write_tables
from dart_runtime.policies import ModelPolicy
from dart_runtime.strategies import BASELINES, DART
from dart_tools.errors import DartError

__all__ = ["HELP", "configure", "run"]

WIDTH = 160
HELP = "Run the five domains under every strategy and print the paper's tables."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="write the tables as Markdown, CSV and JSON"
    )
    parser.add_argument(
        "--chart", type=Path, metavar="FILE", help="draw the replay comparison (.svg or .png)"
    )
    parser.add_argument(
        "--traces", type=Path, metavar="FOLDER", help="write the trace of each row, and no tables"
    )
    parser.add_argument(
        "--endpoint",
        metavar="URL",
        help="let a model behind this OpenAI-compatible endpoint pick the tools' arguments "
        "(the commitment-sensitive cases alone)",
    )
    parser.add_argument(
        "--langgraph",
        action="store_true",
        help="run the schedule-form task on LangGraph, too (needs the extra `langgraph`)",
    )
    parser.add_argument("--model", default="default", help="the model that the endpoint is asked")
    parser.add_argument(
        "--key-variable", metavar="NAME", help="the environment variable with the endpoint's key"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the tables; 1 where a count is not the paper's, or a restore was unsafe."""
    domains = [load_domain(name) for name in DOMAINS]
    if arguments.traces is not None:
        write_traces(domains, arguments.traces)
        return 0
    shown = _scripted(domains) if arguments.endpoint is None else _asked(domains, arguments)
    if arguments.langgraph:
        shown = (*shown, *_on_langgraph())
    print_tables(_console(), shown)
    if arguments.out is not None:
        write_tables(arguments.out, shown)
    if arguments.chart is not None:
        draw(shown[0], arguments.chart)
    differences = [text for table in shown for text in table.differences]
    for text in differences:
        print(f"dart-core: {text}", file=sys.stderr)
    return 1 if differences else 0


def _scripted(domains: Sequence[Domain]) -> tuple[Table, ...]:
    measured = list(measure_all(domains))
    by_name = {domain.name: domain for domain in domains}
    blocked = {
        one.row: blocks(by_name[one.domain], one) for one in measured if one.strategy == DART.name
    }
    return tables(Results(measured, blocked, list(sweep(domains))))


def _asked(domains: Sequence[Domain], arguments: argparse.Namespace) -> tuple[Table, ...]:
    policy = ModelPolicy(
        url=arguments.endpoint,
        model=arguments.model,
        key=os.environ.get(arguments.key_variable) if arguments.key_variable else None,
    )
    rows = frozenset(name for names in CASES.values() for name in names)
    measured = list(measure_all(domains, (*BASELINES, DART), rows=rows, policy=policy))
    return (cases_table(Results(measured)),)


def _on_langgraph() -> tuple[Table, ...]:
    try:
        # The extra need not be installed for anything else.
        from dart_runtime.langgraph.validation.tables import (  # noqa: PLC0415
            overhead_table,
            validation_tables,
        )
    except ImportError as error:
        message = f"--langgraph needs the extra `langgraph`: {error}"
        raise DartError(message) from None
    return (*validation_tables(), overhead_table())


def _console() -> Console:
    # Where nobody looks at a terminal, no column is cut.
    return Console(markup=False, width=None if sys.stdout.isatty() else WIDTH)
