"""Without any one guard or conjunct a named obligation fails, and the core agrees that it must."""

import pytest
from attrs import asdict

from dart_core import (
    GUARDS,
    Violation,
    decide,
    guards,
    identified,
)
from logic.idle import (
    WITHOUT_CONJUNCT,
    WITHOUT_GUARD,
    WITHOUT_NAME,
    failing,
    mistaken_without,
    without_conjunct,
    without_guard,
)
from logic.invariant import NAMES, SAFETY
from logic.solve import SOLVERS, Answer, solve
from logic.theorems import obligations

PROVES = {
    "identified": Violation.WRONG_INSTANCE,
    "decidable": Violation.WRONG_INSTANCE,
    "closed": Violation.TORN_HANDOFF,
    "separable": Violation.WRONG_INSTANCE,
    "controllable": Violation.BOUNDARY_NOT_OPEN,
    "repairs": Violation.SUSPECT_STANDS,
    "no_committed_conflict": Violation.ORPHANED_COMMIT,
    "no_live_conflict": Violation.ORPHANED_COMMIT,
    "effect_allowed": Violation.ERASED_EFFECT,
    "living_reads": Violation.ORPHANED_COMMIT,
    "own_reads_look_back": Violation.ORPHANED_COMMIT,
    "one_attempt_per_handoff": Violation.TORN_HANDOFF,
    "open_handoff_is_current": Violation.TORN_HANDOFF,
    "fixed_effects_stand": Violation.ERASED_EFFECT,
    "enter_is_first": Violation.BOUNDARY_NOT_OPEN,
    "suspect_is_candidates": Violation.SUSPECT_STANDS,
    "culprit_is_candidate": Violation.WRONG_INSTANCE,
    "owner_is_candidate": Violation.WRONG_INSTANCE,
}
LEFT_OUT = [*WITHOUT_GUARD, *WITHOUT_CONJUNCT, *WITHOUT_NAME]


def test_every_guard_and_every_conjunct_is_left_out_once() -> None:
    assert {*WITHOUT_GUARD} == {"identified", *GUARDS} - {"stable"}
    assert [*WITHOUT_CONJUNCT] == [part.name for part in SAFETY]
    assert [*WITHOUT_NAME] == [part.name for part in NAMES]


@pytest.mark.parametrize("name", LEFT_OUT)
def test_obligation_fails_without(name: str) -> None:
    failed = failing(name)
    assert failed is not None
    assert [solve(failed, solver).answer for solver in SOLVERS] == [Answer.PROVED, Answer.PROVED]


def test_no_soundness_rests_on_stable() -> None:
    for one in obligations("T1"):
        if "stable" in one.premises:
            assert solve(one.without("stable"), "z3").answer is Answer.PROVED


@pytest.mark.parametrize("guard", WITHOUT_GUARD)
def test_core_plays_and_condemns_the_counter_model_without(guard: str) -> None:
    played = without_guard(guard)
    assert played is not None
    checkpoint = played.history.checkpoints[played.checkpoint]
    said = asdict(guards(played.history, checkpoint, played.instance))
    known = {"identified": identified(played.history) == played.instance}
    assert [name for name, holds in (known | said).items() if not holds] == [guard]
    assert PROVES[guard] in played.found
    decision = decide(played.history)
    assert decision is not None
    assert decision.checkpoint is None


@pytest.mark.parametrize("name", WITHOUT_CONJUNCT)
def test_core_condemns_the_counter_model_without(name: str) -> None:
    assert PROVES[name] in without_conjunct(name)


@pytest.mark.parametrize("name", WITHOUT_NAME)
def test_core_mistakes_an_act_that_is_gone_for_another_without(name: str) -> None:
    assert mistaken_without(name)
