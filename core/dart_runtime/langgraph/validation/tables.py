"""The tables of the validation, and what the adapter costs where nothing fails."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from typing import Any

from attrs import frozen
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver

from dart_core import FrozenMap
from dart_runtime.langgraph.guarded import guard
from dart_runtime.langgraph.validation.acts import MEETING
from dart_runtime.langgraph.validation.cases import CASES, Case
from dart_runtime.langgraph.validation.strategies import Outcome, Strategy, measured
from dart_runtime.langgraph.validation.world import World

__all__ = ["Table", "overhead_table", "validation_tables"]

DECISIVE = 2
ENOUGH = (
    "A plain resume is enough here: the act that failed is the one in doubt, is its node's only "
    "one, and had done nothing."
)
EPOCH = (
    "A retry begins a new epoch, so that its history is valid; `repeated` says what it does to the "
    "world once more all the same."
)
TIMES = (
    "The acts here do next to nothing, so that `ms` is what a recovery itself costs; an agent's "
    "act takes a second or more."
)
FALLBACK = (
    "Where nothing is admissible DART reruns the whole task, and says first what that repeats; "
    "with `fallback: escalate` it asks a person instead."
)
PAPER = {
    Strategy.RETRY: ("1.00", "25.5"),
    Strategy.ENTRY: ("0.00", ""),
    Strategy.RESUME: ("", ""),
    Strategy.DART: ("1.00", "1"),
}


@frozen(kw_only=True)
class Table:
    """A title, the names of the columns, rows of cells, and notes in sentences."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def validation_tables(seeds: Iterable[int] = range(5)) -> tuple[Table, ...]:
    """The decisive case beside the paper's numbers, and the cases where a resume is not enough."""
    chosen = tuple(seeds)
    outcomes = FrozenMap(
        ((case.name, strategy), [measured(case, seed, strategy) for seed in chosen])
        for case in CASES
        for strategy in Strategy
    )
    return (_decisive(outcomes, len(chosen)), _others(outcomes, len(chosen)))


Outcomes = FrozenMap[tuple[str, Strategy], list[Outcome]]
MEASURES = ("success", "replay", "upstream", "preserved", "repeated", "dangling", "ms")


def _mean(values: Iterable[float], digits: int = 1) -> str:
    mean = fmean(values)
    return f"{mean:.0f}" if digits == 1 and mean == int(mean) else f"{mean:.{digits}f}"


def _cells(outcomes: list[Outcome]) -> tuple[str, ...]:
    done = [outcome for outcome in outcomes if outcome.finished]
    return (
        _mean((outcome.success for outcome in outcomes), 2),
        _mean(outcome.replay for outcome in outcomes),
        _mean(outcome.upstream_replay for outcome in outcomes),
        _mean(outcome.preserved for outcome in outcomes),
        _mean(outcome.repeated for outcome in outcomes),
        _mean(outcome.dangling for outcome in done) if done else "unfinished",
        _mean((outcome.milliseconds for outcome in outcomes), 1),
    )


def _decisive(outcomes: Outcomes, seeds: int) -> Table:
    rows = []
    for strategy in Strategy:
        both = [one for case in CASES[:DECISIVE] for one in outcomes[case.name, strategy]]
        rows.append((strategy.value, *_cells(both), *PAPER[strategy]))
    return Table(
        title="LangGraph substrate, schedule-form: commitment-sensitive cases SCH-LG a and b",
        columns=("strategy", *MEASURES, "paper: success", "paper: replay"),
        rows=tuple(rows),
        notes=(
            f"Means over {seeds} seeds and both cases; the cases are ours.",
            ENOUGH,
            EPOCH,
            TIMES,
        ),
    )


def _others(outcomes: Outcomes, seeds: int) -> Table:
    rows = []
    for case in CASES[DECISIVE:]:
        for strategy in Strategy:
            found = outcomes[case.name, strategy]
            rows.append((case.name, strategy.value, *_cells(found), found[0].verdict))
    return Table(
        title="LangGraph substrate: where a plain resume is not enough",
        columns=("case", "strategy", *MEASURES, "verdict"),
        rows=tuple(rows),
        notes=(
            f"Means over {seeds} seeds; cases and numbers are ours.",
            *(f"{case.name}: {case.title}." for case in CASES[DECISIVE:]),
            FALLBACK,
        ),
    )


def overhead_table(invocations: int = 20) -> Table:
    """The time of an invoke where nothing fails: LangGraph alone, and behind the guard."""
    rows = []
    for case in (CASES[3], CASES[0]):
        acts = _acts(case)
        for name, opened in (("memory", _memory), ("SQLite file", _file)):
            with opened() as (saver, folder):
                alone, behind = _both(case, saver, folder, invocations)
            each = (behind - alone) / acts
            rows.append((f"{acts} acts", name, *(f"{v:.2f}" for v in (alone, behind, each))))
    return Table(
        title="Overhead of the adapter where nothing fails, in milliseconds an invoke",
        columns=("graph", "checkpointer and record", "LangGraph", "guarded", "more an act"),
        rows=tuple(rows),
        notes=(
            f"Medians of {invocations} invocations of each, taken in turn.",
            "Both save every checkpoint before the next step (durability `sync`).",
            "A record in a file forces each of its events to the disk.",
        ),
    )


def _acts(case: Case) -> int:
    world = World(0, calm=True)
    case.build(world, False).compile().invoke({"meeting": MEETING})
    return len(world.ran)


@contextmanager
def _memory() -> Iterator[tuple[Any, None]]:
    yield InMemorySaver(), None


@contextmanager
def _file() -> Iterator[tuple[Any, Path]]:
    with TemporaryDirectory() as place:
        path = Path(place)
        with SqliteSaver.from_conn_string(str(path / "checkpoints.sqlite")) as saver:
            yield saver, path


def _both(case: Case, saver: Any, folder: Path | None, times: int) -> tuple[float, float]:
    bare: Any = case.build(World(0, calm=True), False).compile(checkpointer=saver)
    compiled = case.build(World(0, calm=True), True).compile(checkpointer=saver)
    guarded = guard(compiled, case.contract, case.nodes, folder=folder)
    alone: list[float] = []
    behind: list[float] = []
    for number in range(times):
        alone.append(_time(bare, f"bare {number}", durability="sync"))
        behind.append(_time(guarded, f"guarded {number}"))
    guarded.close()
    return median(alone), median(behind)


def _time(graph: Any, thread: str, **more: str) -> float:
    began = time.perf_counter()
    graph.invoke({"meeting": MEETING}, {"configurable": {"thread_id": thread}}, **more)
    return 1000 * (time.perf_counter() - began)
