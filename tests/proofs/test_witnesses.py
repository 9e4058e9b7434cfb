"""The named histories, as the core judges them."""

import pytest
from attrs import asdict

from dart_core import (
    History,
    Violation,
    admissible,
    controller_legal,
    fold,
    guards,
    identified,
    restore_violations,
    violations,
)
from logic.encode import encode
from logic.explore import found_by_restore
from logic.histories import INDEPENDENT, ONE_STEP, PAIRS, WRITER, Case
from logic.universe import run_of
from logic.vocabulary import SYMBOLS

# What else may differ between the two histories of a pair: labels, and what is derived.
DIFFERS = {
    "who failed": {"candidate"},
    "whose the checkpoint is": {"owned_by", "cut"},
    "which version a read named": {"reads", "earlier"},
    "where handoffs closed": {"closing", "shows"},
    "the cut of a snapshot": {"cut"},
    "effect classes": {"reversible"},
    "what policy opens": {"opens_entry"},
    "the suspect": {"in_doubt"},
}


def pending(case: Case) -> History:
    history = fold(case.contract, case.events)
    assert isinstance(history, History)
    return history


@pytest.mark.parametrize("guard", INDEPENDENT)
def test_one_guard_alone_blocks_what_is_invalid(guard: str) -> None:
    case = INDEPENDENT[guard]
    history = pending(case)
    checkpoint = history.checkpoints["c"]
    failed = min(checkpoint.owners)
    said = {
        "identified": identified(history) == failed,
        **asdict(guards(history, checkpoint, failed)),
    }
    assert [name for name, holds in said.items() if not holds] == [guard]
    run = run_of(case.contract, case.played())
    assert not violations(history)
    assert restore_violations(history, checkpoint) | violations(run[-1])


def test_a_controller_restores_what_orphans_a_commit() -> None:
    history = pending(INDEPENDENT["no_committed_conflict"])
    assert controller_legal(history) == {history.checkpoints["c"]}
    assert Violation.ORPHANED_COMMIT in found_by_restore(history, "c", 0)


def test_the_paper_s_own_recovery_is_admitted_after_a_commit_on_the_instance() -> None:
    history = pending(ONE_STEP)
    assert admissible(history, history.checkpoints["c"], WRITER)
    assert not found_by_restore(history, "c")


@pytest.mark.parametrize("fact", PAIRS)
def test_a_pair_has_two_right_answers(fact: str) -> None:
    right, wrong = (pending(case) for case in PAIRS[fact])
    assert identified(right) is not None
    assert identified(wrong) is not None
    assert not found_by_restore(right, "c")
    assert found_by_restore(wrong, "c")


@pytest.mark.parametrize("fact", PAIRS)
def test_a_pair_differs_in_one_fact_alone(fact: str) -> None:
    right, wrong = (encode(run_of(case.contract, case.events)) for case in PAIRS[fact])
    names = [name for name in SYMBOLS if right.facts(name) != wrong.facts(name)]
    assert {*names} == DIFFERS[fact]
