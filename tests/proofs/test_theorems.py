"""Every obligation of every theorem is proved by both solvers, and none is vacuous."""

import pytest
from attrs import evolve

import prove
from logic.idle import weakened
from logic.obligation import Obligation
from logic.solve import Answer, solve
from logic.structure import holds
from logic.theorems import THEOREMS, obligation, obligations
from logic.vocabulary import no

NAMES = [one.name for theorem in THEOREMS for one in obligations(theorem)]
TOLD = [one for theorem in ("T4", "T8", "T9", "T11") for one in obligations(theorem) if one.model]


@pytest.mark.parametrize("theorem", THEOREMS)
def test_theorem_is_proved_by_both_solvers(
    theorem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = prove.main([theorem])
    listed = capsys.readouterr().out
    assert code == 0, listed
    assert f"{len(obligations(theorem))} proved by z3 and cvc5, 0 not proved" in listed


def test_every_obligation_has_a_name_of_its_own() -> None:
    assert len(NAMES) == len(set(NAMES))


def test_list_shows_what_was_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert prove.main(["--show", "T3/task"]) == 0
    shown = capsys.readouterr().out
    assert "(declare-sort Instance 0)" in shown
    assert "; premise: a committed reader" in shown
    assert 'The premises hold in: "no_committed_conflict" after 7 events.' in shown


def test_list_refuses_a_name_that_it_does_not_know() -> None:
    assert prove.main(["T99"]) == 2


def test_list_shows_what_goes_wrong_without_a_guard(capsys: pytest.CaptureFixture[str]) -> None:
    assert prove.main(["--without", "no_committed_conflict"]) == 0
    shown = capsys.readouterr().out
    assert "Without no_committed_conflict, T1/restore/living_reads fails." in shown
    assert '{"event":"restore","checkpoint":"c0"}' in shown
    assert "V1 orphaned_commit" in shown


def test_list_fails_on_what_is_not_proved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = weakened("no_live_conflict")
    monkeypatch.setattr("logic.solve.LIMIT_MS", 500)
    monkeypatch.setattr(prove, "obligations", lambda theorem: (broken,) if theorem == "T1" else ())
    assert prove.main([]) == 1
    assert "1 not proved T1/restore/living_reads" in capsys.readouterr().out


def test_list_fails_on_what_is_vacuous(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    true = obligation("T6/own")
    vacuous = evolve(
        true, premises={**true.premises, "contradiction": no(true.premises["aligned"])}
    )
    monkeypatch.setattr(prove, "obligations", lambda theorem: (vacuous,) if theorem == "T6" else ())
    assert solve(vacuous, "z3").answer is Answer.PROVED
    assert prove.main([]) == 1
    assert "VACUOUS" in capsys.readouterr().out


@pytest.mark.parametrize("one", TOLD, ids=lambda one: one.name)
def test_what_is_proved_of_one_history_is_true_of_it_when_evaluated(one: Obligation) -> None:
    assert one.model is not None
    assert holds(one.model, one.conclusion)
