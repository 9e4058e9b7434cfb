"""The tables of the validation, and what the adapter costs where nothing fails."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver

from dart_runtime.evaluation import paper
from dart_runtime.evaluation.results import Cell, Table
from dart_runtime.langgraph.guarded import guard
from dart_runtime.langgraph.validation.acts import MEETING
from dart_runtime.langgraph.validation.cases import CASES, Case
from dart_runtime.langgraph.validation.strategies import Outcome, Strategy, measured
from dart_runtime.langgraph.validation.world import World

__all__ = ["overhead_table", "validation_tables"]

DECISIVE = 2
REPORTED = {
    Strategy.RETRY: paper.LANGGRAPH["retry_only"],
    Strategy.ENTRY: paper.LANGGRAPH["entry_only"],
    Strategy.DART: paper.LANGGRAPH["dart"],
}
FIGURES = (
    "success",
    "replay",
    "upstream replay",
    "preserved",
    "repeated",
    "dangling",
    "what fails",
    "ms",
)
EXPLAINED = (
    "`repeated` counts irreversible effects that happened once more, `dangling` those that rely "
    "on a slot that does not stand at the end, `none` stands where the task does not end. "
    "V3: an irreversible effect is erased; V4: another instance than the failed one is taken back; "
    "V5: the act in doubt still stands. "
    "A retry begins a new epoch, so that its history is valid, whatever it repeats. "
    "The acts do next to nothing, so that `ms` is what a recovery itself costs; an agent's act "
    "takes a second or more."
)
ENOUGH = (
    "A plain resume is enough here: the act that failed is the one in doubt, is its node's only "
    "one, and had done nothing."
)
FALLBACK = (
    "Where nothing is admissible DART reruns the whole task, and says first what that repeats; "
    "with `fallback: escalate` it asks a person instead."
)

Outcomes = dict[tuple[str, Strategy], list[Outcome]]


def validation_tables(seeds: Iterable[int] = range(5)) -> tuple[Table, ...]:
    """The decisive case beside the paper's numbers, and the cases where a resume is not enough."""
    chosen = tuple(seeds)
    outcomes = {
        (case.name, strategy): [measured(case, seed, strategy) for seed in chosen]
        for case in CASES
        for strategy in Strategy
    }
    return (_decisive(outcomes, len(chosen)), _others(outcomes, len(chosen)))


def _mean(values: Iterable[float]) -> float:
    mean = round(fmean(values), 2)
    return int(mean) if mean == int(mean) else mean


def _cells(outcomes: list[Outcome], reported: paper.Reported) -> tuple[Cell, ...]:
    ended = [outcome.dangling for outcome in outcomes if outcome.finished]
    return (
        Cell(_mean(outcome.success for outcome in outcomes), reported.success),
        Cell(_mean(outcome.replay for outcome in outcomes), reported.replay),
        Cell(_mean(outcome.upstream_replay for outcome in outcomes)),
        Cell(_mean(outcome.preserved for outcome in outcomes)),
        Cell(_mean(outcome.repeated for outcome in outcomes)),
        Cell(_mean(ended) if ended else "none"),
        Cell(_failing(outcomes)),
        Cell(round(fmean(outcome.milliseconds for outcome in outcomes), 1)),
    )


def _failing(outcomes: list[Outcome]) -> str:
    violations = sorted({one.value for outcome in outcomes for one in outcome.violations})
    ends = all(outcome.finished for outcome in outcomes)
    return ", ".join([*violations, *(() if ends else ("never ends",))])


def _decisive(outcomes: Outcomes, seeds: int) -> Table:
    rows = []
    for strategy in Strategy:
        both = [one for case in CASES[:DECISIVE] for one in outcomes[case.name, strategy]]
        told = REPORTED.get(strategy)
        source = Cell("ours" if told is None else "paper")
        rows.append((Cell(strategy.value), source, *_cells(both, told or paper.Reported())))
    return Table(
        name="langgraph-decisive",
        title="On LangGraph: the commitment-sensitive schedule-form cases SCH-LG a and b",
        note=f"Means over {seeds} seeds and both cases, which are ours. {ENOUGH} {EXPLAINED}",
        columns=("strategy", "row of", *FIGURES),
        rows=tuple(rows),
    )


def _others(outcomes: Outcomes, seeds: int) -> Table:
    rows = []
    for case in CASES[DECISIVE:]:
        for strategy in Strategy:
            found = outcomes[case.name, strategy]
            cells = _cells(found, paper.Reported())
            rows.append((Cell(case.name), Cell(strategy.value), *cells, Cell(found[0].verdict)))
    titles = " ".join(f"{case.name}: {case.title}." for case in CASES[DECISIVE:])
    return Table(
        name="langgraph-resume",
        title="On LangGraph: where a plain resume is not enough",
        note=f"Means over {seeds} seeds; cases and numbers are ours. {titles} {FALLBACK}",
        columns=("case", "strategy", *FIGURES, "verdict"),
        rows=tuple(rows),
    )


def overhead_table(invocations: int = 20) -> Table:
    """The time of an invoke where nothing fails: LangGraph alone, and behind the guard."""
    rows = []
    for case in (CASES[3], CASES[0]):
        acts = _acts(case)
        for name, opened in (("memory", _memory), ("SQLite file", _file)):
            with opened() as (saver, folder):
                alone, behind = _both(case, saver, folder, invocations)
            figures = (alone, behind, (behind - alone) / acts)
            cells = (Cell(round(figure, 2)) for figure in figures)
            rows.append((Cell(f"{acts} acts"), Cell(name), *cells))
    return Table(
        name="langgraph-overhead",
        title="On LangGraph: an invoke where nothing fails, in milliseconds",
        note=(
            f"Medians of {invocations} invocations of each, taken in turn. "
            "Both save every checkpoint before the next step (durability `sync`). "
            "A record in a file forces each of its events to the disk."
        ),
        columns=("graph", "checkpointer and record", "LangGraph", "guarded", "more an act"),
        rows=tuple(rows),
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
