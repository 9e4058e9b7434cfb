"""The tables: what was measured, beside what the paper reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from statistics import fmean

from dart_core import Verdict
from dart_runtime.evaluation import paper
from dart_runtime.evaluation.measure import Measured
from dart_runtime.evaluation.results import Cell, Results, Table
from dart_runtime.strategies import GUARD_NAMES

__all__ = ["CASES", "cases_table", "tables"]

CASES: Mapping[str, tuple[str, ...]] = {
    "navigation": ("nav-cs",),
    "schedule_form": ("sch-cs",),
    "diagnosis": ("dia-1", "dia-2"),
    "etl": ("etl-cs",),
    "travel": ("trv-cs",),
}
LANGGRAPH = ("sch-lg-a", "sch-lg-b")
GRANULARITY = ("nav-granularity",)
RATE = ".2f"
BLOCKING = "no_committed_conflict"


def _mean(values: Iterable[float]) -> float:
    mean = round(fmean(values), 2)
    return int(mean) if mean == int(mean) else mean


def _figures(found: list[Measured], reported: paper.Reported) -> tuple[Cell, ...]:
    stopped = all(one.outcome.stopped for one in found)

    def figure(of: Callable[[Measured], float], told: float | None) -> Cell:
        return Cell("none" if stopped else _mean(map(of, found)), told)

    return (
        Cell(_mean(one.success for one in found), reported.success, RATE),
        figure(lambda one: one.replay, reported.replay),
        figure(lambda one: one.upstream_replay, reported.upstream_replay),
        figure(lambda one: one.preserved, reported.preserved),
    )


def _why(found: list[Measured]) -> Cell:
    reasons = [
        one.outcome.stopped or next(iter(one.broken or one.violations))
        for one in found
        if not one.success
    ]
    return Cell(reasons[0] if reasons else "")


FIGURES = ("success", "replay", "upstream replay", "preserved")


def _named(domain: str) -> Cell:
    return Cell(domain.replace("_", "-"))


def _source(reported: paper.Reported | None) -> Cell:
    return Cell("ours" if reported is None else "paper")


def _compared(
    results: Results, rows: tuple[str, ...], reported: Mapping[str, paper.Reported]
) -> tuple[tuple[Cell, ...], ...]:
    compared = []
    for strategy, label in paper.NAMES.items():
        found, told = results.of(strategy, rows), reported.get(strategy)
        figures = _figures(found, told or paper.Reported())
        compared.append((Cell(label), _source(told), *figures, _why(found)))
    return tuple(compared)


def cases_table(results: Results) -> Table:
    """The commitment-sensitive cases, by domain and strategy."""
    rows = [
        (_named(domain), *row)
        for domain, names in CASES.items()
        for row in _compared(results, names, paper.CASES.get(domain, {}))
    ]
    return Table(
        name="cases",
        title="Commitment-sensitive cases",
        note=(
            "Upstream replay counts what runs again of other instances than the failed one. "
            "`none`: no recovery was carried out."
        ),
        columns=("domain", "strategy", "row of", *FIGURES, "what fails"),
        rows=tuple(rows),
    )


def _langgraph(results: Results) -> Table:
    return Table(
        name="langgraph",
        title="Schedule-form in the shape of the paper's LangGraph runs",
        note=(
            "Two rows; here all strategies run on this project's own controller. Comp-EntryOnly "
            "stands for the checkpoint at the failed subtask's entry."
        ),
        columns=("strategy", "row of", *FIGURES, "what fails"),
        rows=_compared(results, LANGGRAPH, paper.LANGGRAPH),
    )


def _granularity(results: Results) -> Table:
    return Table(
        name="granularity",
        title="Granularity, navigation",
        note="Nobody has read what the failed leg wrote: any granularity recovers.",
        columns=("strategy", "row of", *FIGURES, "what fails"),
        rows=_compared(results, GRANULARITY, paper.GRANULARITY),
    )


def _counts(found: list[Measured], results: Results) -> dict[str, int]:
    events = [one for one in found if one.verdict is not None]
    blocked = [one for one in events if one.verdict is not Verdict.RESTORE]
    checkpoints = [block for one in blocked for block in results.blocks[one.row]]
    false = [one for one in blocked if any(block.is_false for block in results.blocks[one.row])]
    return {
        "rows": len(found),
        "safe-equivalent": sum(one.success and one.equivalent for one in found),
        "events": len(events),
        "admitted": len(events) - len(blocked),
        "blocked": len(blocked),
        "unsafe": sum(one.unsafe for one in found),
        "false blocks": len(false),
        "blocked checkpoints": len(checkpoints),
        "false among them": sum(block.is_false for block in checkpoints),
    }


def _audit(results: Results) -> Table:
    found = results.of("dart")
    domains = list(dict.fromkeys(one.domain for one in found))
    rows = [
        (_named(domain), Cell("ours"), *map(Cell, counts.values()))
        for domain in domains
        for counts in [_counts([one for one in found if one.domain == domain], results)]
    ]
    total = _counts(found, results)
    rows.append(
        (
            Cell("total"),
            Cell("paper"),
            *(Cell(count, paper.AUDIT[column]) for column, count in total.items()),
        )
    )
    return Table(
        name="audit",
        title="Safety audit",
        note=(
            "The split over the domains is ours. Whether a block is false is judged by carrying "
            "out the blocked restore, with no guard asked: it is invalid at once or after at most "
            "two further events."
        ),
        columns=("domain", "row of", *paper.AUDIT),
        rows=tuple(rows),
    )


def _ablation(results: Results) -> Table:
    rows = []
    for strategy, label, told in (
        ("dart", "all guards", None),
        (f"dart_without_{BLOCKING}", "without committed-consumer blocking", paper.DANGLING),
    ):
        found = [one for one in results.of(strategy) if one.domain == "schedule_form"]
        left = [(one.row, str(instance)) for one in found for instance in one.dangling]
        rows.append(
            (
                Cell(label),
                Cell("ours" if told is None else "paper"),
                Cell(len(left), told),
                Cell(", ".join(f"{instance} in {row}" for row, instance in left)),
            )
        )
    return Table(
        name="ablation",
        title="Ablation, schedule-form",
        note="Downstream instances whose commit rests on a version that no longer exists.",
        columns=("strategy", "row of", "dangling", "which"),
        rows=tuple(rows),
    )


def _parity(results: Results) -> Table:
    rows = []
    for domain in CASES:
        for strategy, label in paper.NAMES.items():
            own = (one for one in results.of(strategy) if one.group == "own")
            found = [one for one in own if one.domain == domain]
            rows.append(
                (
                    _named(domain),
                    Cell(label),
                    Cell(len(found)),
                    Cell(_mean(one.success for one in found), None, RATE),
                    Cell(_mean(one.equivalent for one in found), None, RATE),
                    Cell(_mean(one.replay for one in found)),
                )
            )
    return Table(
        name="parity",
        title="Rows in which nobody has read what failed",
        note="All ours; the paper reports parity in success here, and no figures.",
        columns=("domain", "strategy", "rows", "success", "safe-equivalent", "mean replay"),
        rows=tuple(rows),
    )


def _guards(results: Results) -> Table:
    rows = []
    for guard in GUARD_NAMES:
        harmed = [one for one in results.of(f"dart_without_{guard}") if one.unsafe]
        named = [f"{one.row} ({one.harm})" for one in harmed]
        rows.append((Cell(guard), Cell(len(harmed)), Cell("; ".join(named))))
    unsafe = [one for one in results.of("dart") if one.unsafe]
    rows.append((Cell("none"), Cell(len(unsafe)), Cell("; ".join(one.row for one in unsafe))))
    return Table(
        name="guards",
        title="Which guard's absence is unsafe in which row",
        note="All ours. V1 to V6 are the violations that the restore makes at once or later.",
        columns=("guard left out", "unsafe rows", "which, and how"),
        rows=tuple(rows),
    )


def _effects(results: Results) -> Table:
    rows = []
    for strategy, label in paper.NAMES.items():
        found = results.of(strategy)
        local = [one for one in found if one.verdict is Verdict.RESTORE]
        rows.append(
            (
                Cell(label),
                Cell(sum(one.repeated for one in local)),
                Cell(sum(one.repeated for one in found) - sum(one.repeated for one in local)),
                Cell(sum(one.success for one in found)),
                Cell(len(found)),
            )
        )
    return Table(
        name="effects",
        title="Irreversible effects had more than once, all rows",
        note=(
            "All ours. A whole-task rerun repeats them in a new epoch, and succeeds all the same; "
            'under `fallback = "escalate"` a person is asked instead.'
        ),
        columns=("strategy", "by a local restore", "by a rerun", "rows that succeed", "rows"),
        rows=tuple(rows),
    )


def _sweep(results: Results) -> Table:
    rows = []
    for strategy, label in paper.NAMES.items():
        found = [one for one in results.swept if one.strategy == strategy]
        rows.append(
            (
                Cell(label),
                Cell(len(found)),
                Cell(sum(one.success and one.equivalent for one in found)),
                Cell(sum(one.verdict is Verdict.RESTORE for one in found)),
                Cell(_mean(one.replay for one in found)),
            )
        )
    return Table(
        name="sweep",
        title="A fault at every act of the failure-free rows",
        note=(
            "All ours. Each call once refused and once with its reply lost, one at a time. "
            "A run that finds no way back replays nothing, and ends badly."
        ),
        columns=("strategy", "faults", "safe-equivalent", "local restores", "mean replay"),
        rows=tuple(rows),
    )


def tables(results: Results) -> tuple[Table, ...]:
    """All tables, the paper's first."""
    return (
        cases_table(results),
        _langgraph(results),
        _audit(results),
        _ablation(results),
        _granularity(results),
        _parity(results),
        _guards(results),
        _effects(results),
        _sweep(results),
    )
