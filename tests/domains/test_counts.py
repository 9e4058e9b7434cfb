from __future__ import annotations

from collections.abc import Mapping

import pytest

from dart_runtime.evaluation.measure import Measured
from dart_runtime.evaluation.results import Results, Table
from dart_runtime.evaluation.tables import tables

# Replay of a retry, of it upstream, of the coarse state and of dart; instances that dart preserves.
SHAPES = {
    "nav-cs": (18, 14, 4, 1, 2),
    "nav-granularity": (12, 8, 1, 1, 2),
    "sch-cs": (29, 24, 7, 1, 5),
    "sch-lg-a": (25, 20, 6, 1, 5),
    "sch-lg-b": (26, 21, 7, 1, 5),
    "dia-1": (15, 9, 5, 2, 2),
    "dia-2": (18, 12, 5, 2, 3),
    "etl-cs": (15, 10, 4, 1, 2),
    "trv-cs": (15, 10, 5, 2, 2),
}


@pytest.mark.parametrize("row", SHAPES)
def test_row_replays_what_its_shape_says(
    measured: Mapping[tuple[str, str], Measured], row: str
) -> None:
    retry, coarse, dart = (measured[row, name] for name in ("retry_only", "coarse_state", "dart"))
    found = (
        retry.replay,
        retry.upstream_replay,
        coarse.replay,
        dart.replay,
        dart.preserved,
    )
    assert found == SHAPES[row]


@pytest.fixture(scope="module")
def shown(results: Results) -> Mapping[str, Table]:
    return {table.name: table for table in tables(results)}


def test_every_figure_of_the_paper_is_measured(shown: Mapping[str, Table]) -> None:
    assert [text for table in shown.values() for text in table.differences] == []
    compared = [
        cell
        for table in shown.values()
        for row in table.rows
        for cell in row
        if cell.paper is not None
    ]
    assert len(compared) == 44


def test_cases_table_has_the_means_of_the_paper(shown: Mapping[str, Table]) -> None:
    diagnosis = {
        row[1].measured: [cell.measured for cell in row[3:7]]
        for row in shown["cases"].rows
        if row[0].measured == "diagnosis"
    }
    assert diagnosis["Retry-Only"] == [1, 16.5, 10.5, 0]
    assert diagnosis["Coarse-State-Retry"] == [1, 5, 3, 2.5]
    assert diagnosis["Comp-Frozen (DART)"] == [1, 2, 0, 2.5]


def test_langgraph_shape_has_the_mean_of_two_rows(shown: Mapping[str, Table]) -> None:
    figures = [[cell.measured for cell in row[2:5]] for row in shown["langgraph"].rows]
    assert figures[0] == [1, 25.5, 20.5]
    assert figures[3] == [0, "none", "none"]
    assert figures[4] == [1, 1, 0]


def test_granularity_is_twelve_four_one(shown: Mapping[str, Table]) -> None:
    replays = {row[0].measured: row[3].measured for row in shown["granularity"].rows}
    assert replays["Retry-Only"] == 12
    assert replays["Comp-EntryOnly"] == 4
    assert replays["Comp-Frozen (DART)"] == 1


def test_ablation_leaves_two_dangling(shown: Mapping[str, Table]) -> None:
    assert [row[2].measured for row in shown["ablation"].rows] == [0, 2]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("nav-cs", "notice/wp3 quotes an arrival time that is gone"),
        ("etl-cs", "mart/sales quotes a partition that is gone"),
        ("trv-cs", "visa/t1 quotes a version of the dates that is gone"),
    ],
)
def test_entry_only_breaks_the_tasks_contract(
    measured: Mapping[tuple[str, str], Measured], row: str, reason: str
) -> None:
    found = measured[row, "entry_only"]
    assert not found.success
    assert found.outcome.stopped is None
    assert found.broken == (reason,)
    assert found.violations == ("V1",)


@pytest.mark.parametrize(
    ("row", "checkpoint"),
    [
        ("sch-cs", "slot[m1]#1@entry"),
        ("dia-1", "hypothesis[c1]#1@entry"),
        ("dia-2", "hypothesis[c1]#1@entry"),
    ],
)
def test_entry_only_finds_no_way_back(
    measured: Mapping[tuple[str, str], Measured], row: str, checkpoint: str
) -> None:
    found = measured[row, "entry_only"]
    assert not found.success
    assert found.outcome.stopped == f"the controller has no edge back to {checkpoint}"


def test_own_rows_have_parity_in_success_and_less_replay(
    measured: Mapping[tuple[str, str], Measured],
) -> None:
    own = [one for one in measured.values() if one.group == "own"]
    assert len({one.row for one in own}) == 22
    for one in own:
        assert (one.success, one.equivalent) == (True, True), (one.row, one.strategy)
        assert measured[one.row, "dart"].replay <= one.replay, (one.row, one.strategy)
        assert measured[one.row, "dart"].replay <= measured[one.row, "retry_only"].replay
