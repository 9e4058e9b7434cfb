"""The validation's tables: measured, the paper's where the case is the paper's."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from dart_runtime.langgraph.validation import __main__ as command
from dart_runtime.langgraph.validation import strategies
from dart_runtime.langgraph.validation.cases import CASES
from dart_runtime.langgraph.validation.strategies import Strategy, measured
from dart_runtime.langgraph.validation.tables import overhead_table, validation_tables

SEEDS = range(2)
BY_NAME = {case.name: case for case in CASES}


def test_decisive_case_has_the_paper_s_counts() -> None:
    decisive, _ = validation_tables(SEEDS)
    assert {
        row[0].measured: tuple(cell.measured for cell in row[2:8]) for row in decisive.rows
    } == {
        "whole-task retry": (1, 25.5, 20.5, 0, 2, 2),
        "restore at the subtask's entry": (0, 10.5, 5.5, 3, 2, 2),
        "plain resume": (1, 1, 0, 5, 0, 0),
        "DART": (1, 1, 0, 5, 0, 0),
    }
    assert {row[0].measured: (row[2].paper, row[3].paper) for row in decisive.rows} == {
        "whole-task retry": (1, 25.5),
        "restore at the subtask's entry": (0, None),
        "plain resume": (None, None),
        "DART": (1, 1),
    }
    assert decisive.differences == []
    assert [row[8].measured for row in decisive.rows] == ["", "V3, V4", "", ""]


@pytest.mark.parametrize("name", ["earlier act", "half done", "branch beside", "entered again"])
@pytest.mark.parametrize("seed", SEEDS)
def test_plain_resume_is_not_enough_where_the_guard_is(name: str, seed: int) -> None:
    resume = measured(BY_NAME[name], seed, Strategy.RESUME)
    guarded = measured(BY_NAME[name], seed, Strategy.DART)
    assert not resume.success
    assert guarded.success


def test_guard_repeats_no_effect_where_it_restores() -> None:
    for case in CASES:
        outcome = measured(case, 3, Strategy.DART)
        if outcome.verdict == "restore":
            assert (outcome.repeated, outcome.upstream_replay) == (0, 0), case.name
        else:
            assert (case.name, outcome.verdict, outcome.repeated) == ("branch beside", "rerun", 1)


def test_entry_restore_is_enough_where_nobody_relied_on_it() -> None:
    outcome = measured(BY_NAME["entered again"], 0, Strategy.ENTRY)
    assert outcome.success
    assert outcome.repeated == 0


def test_counts_come_from_the_case() -> None:
    replays = [measured(BY_NAME[name], 0, Strategy.RETRY).replay for name in list(BY_NAME)[:2]]
    assert replays == [25, 26]


def test_recorded_run_that_is_not_the_bare_one_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategies, "_mechanical", lambda *_: (frozenset(), None))
    with pytest.raises(AssertionError, match="not the bare one"):
        measured(BY_NAME["SCH-LG a"], 0, Strategy.ENTRY)


def test_overhead_is_measured() -> None:
    table = overhead_table(1)
    assert [row[0].measured for row in table.rows] == ["6 acts", "6 acts", "25 acts", "25 acts"]
    assert all(isinstance(row[2].measured, float) and row[2].measured > 0 for row in table.rows)


def test_command_prints_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    with patch.object(command, "overhead_table", lambda: overhead_table(1)):
        assert command.main(["1"]) == 0
    printed = capsys.readouterr().out
    for title in ("SCH-LG a and b", "where a plain resume is not enough", "in milliseconds"):
        assert title in printed
