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
from logic.countermodel import SIZES, counter_model
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
from logic.structure import holds
from logic.theorems import obligation, obligations

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
NEEDED = {
    "T2/closed": ("closed blocks", "decidable", "attempts", "it writes", "its predicate holds"),
    "T2/closed/enabled": ("the instance is live after the restore",),
    "T2/no_live_conflict": ("the reader", "identified", "decidable", "then entry"),
    "T2/no_committed_conflict": ("no_committed_conflict blocks", "identified", "decidable"),
    "T2/separable": ("separable blocks", "identified"),
    "T2/controllable": ("controllable blocks", "decidable", "owner_is_candidate"),
    "T2/repairs": ("repairs blocks",),
    "T2/effect_allowed": ("effect_allowed blocks", "decidable"),
    "T3/legal": ("the failed instance", "an own stable checkpoint"),
    "T3/instance": (
        "a committed reader",
        "an own stable checkpoint",
        "before that write",
        "scope",
    ),
    "T3/task": ("the failed instance", "a committed reader", "before that write"),
    "T5/window": ("living_reads", "eligible", "pin"),
    "T5/no pin": ("living_reads", "eligible", "no pin"),
    "T5/unbroken": ("eligible", "admissible", "between"),
    "T5/latest": ("eligible", "before the act in doubt", "latest", "another is"),
    "T6/others": ("separable", "attempts"),
    "T6/own": ("decidable",),
    "T7/one verdict": ("a verdict", "a verdict too"),
    "T8/act": ("cooperative", "control", "entry"),
    "T8/restore": ("cooperative", "control", "separable"),
    "T8/no live conflict": ("cooperative", "in control"),
    "T9/stronger": ("no_committed_consumer",),
    "T9/sound": ("closed", "separable", "no_live_conflict", "effect_allowed", "attempts"),
    "L1/restore/attempt_stands": ("attempts",),
    "L2/act/closes": ("entry",),
}
SMALL = {**SIZES, "Entry": 4, "Attempt": 2}
MORE = {"T5": {"Checkpoint": 2}, "T7": {"Failure": 2, "Checkpoint": 2}}
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


@pytest.mark.parametrize(
    ("name", "premise"), [(name, one) for name, premises in NEEDED.items() for one in premises]
)
def test_theorem_needs_its_premise(name: str, premise: str) -> None:
    weaker = obligation(name).without(premise)
    structure = counter_model(weaker, sizes=SMALL | MORE.get(weaker.theorem, {}))
    assert structure is not None
    assert all(holds(structure, part) for part in weaker.premises.values())
    assert not holds(structure, weaker.conclusion)
