"""
That nothing is idle: without one guard, or one conjunct, a named obligation fails.

The solver's counter-model is decoded into a history, and the core says what is invalid about it.
"""

from __future__ import annotations

from functools import cache

import z3
from attrs import frozen

from dart_core import (
    Act,
    Contract,
    Event,
    History,
    InstanceId,
    Refusal,
    Violation,
    apply,
    exists,
    fold,
)
from logic.countermodel import counter_model, ground
from logic.decode import Decoded
from logic.diagram import SORT, diagram, with_names
from logic.explore import found_by_restore, found_within
from logic.history import at
from logic.obligation import Obligation
from logic.play import events
from logic.realize import IS_HISTORY, IS_PLAYED
from logic.step import new
from logic.structure import Structure, constants_of
from logic.theorems import obligation
from logic.vocabulary import (
    NOW,
    Entry,
    Formula,
    Place,
    Term,
    before,
    both,
    every,
    implies,
    no,
    owner,
    place,
    some,
    zero,
)
from logic.vocabulary import one as one_place

# The obligation that fails without the guard. `stable` is mechanical: no validity rests on it.
WITHOUT_GUARD = {
    "identified": "T1/restore/V4",
    "decidable": "T1/restore/V4",
    "closed": "T1/restore/open_handoff_is_current",
    "separable": "T1/restore/V4",
    "controllable": "T1/restore/V6",
    "repairs": "T1/restore/V5",
    "no_committed_conflict": "T1/restore/living_reads",
    "no_live_conflict": "T1/restore/living_reads",
    "effect_allowed": "T1/restore/fixed_effects_stand",
}

# The obligation that fails without the conjunct of the invariant.
WITHOUT_CONJUNCT = {
    "living_reads": "T1/valid/V1",
    "own_reads_look_back": "T1/restore/living_reads",
    "one_attempt_per_handoff": "T1/valid/V2",
    "open_handoff_is_current": "T1/act/one_attempt_per_handoff",
    "fixed_effects_stand": "T1/valid/V3",
    "enter_is_first": "T1/restore/V6",
    "suspect_is_candidates": "T1/restore/V5",
    "culprit_is_candidate": "T1/restore/V4",
    "owner_is_candidate": "T1/restore/V4",
}

# The same for the lemma that names are used once.
WITHOUT_NAME = {"attempt_stands": "L1/act/named_once", "named_once": "L1/exists"}


@frozen(kw_only=True)
class Played:
    """Events up to a pending failure, and what restoring the checkpoint then makes invalid."""

    contract: Contract
    events: tuple[Event, ...]
    history: History
    instance: InstanceId
    checkpoint: str
    found: frozenset[Violation]


def weakened(name: str) -> Obligation:
    """The named obligation without the guard or conjunct."""
    return obligation((WITHOUT_GUARD | WITHOUT_CONJUNCT | WITHOUT_NAME)[name]).without(name)


def _is_next(new: Term) -> Formula:
    """That the core would give the new entry just this place."""
    return every(
        lambda p: implies(
            both(p != zero, before(p, place(new))),
            some(lambda d: at(NOW, owner(new), p, d), Entry),
        ),
        Place,
    )


@cache
def counter_state(name: str) -> Structure | None:
    """A history as a structure where the weakened obligation fails."""
    if name in WITHOUT_GUARD:
        return counter_model(weakened(name), (*IS_HISTORY, *IS_PLAYED))
    one = weakened(name)
    about_new = [_is_next(new)] if "entry" in one.premises else []
    return counter_model(one, (*IS_HISTORY, *about_new))


def failing(name: str) -> Obligation | None:
    """That the weakened obligation is false of the counter-model: for both solvers to prove."""
    model = counter_state(name)
    if model is None:
        return None
    one, named = weakened(name), with_names(model)
    sorts = {n: s for part in one.formulas().values() for n, s in constants_of(part).items()}
    terms = {n: z3.Const(n, SORT[s]) for n, s in sorts.items()} | {"zero": zero, "one": one_place}
    return Obligation(
        name=f"{one.name} without {name}",
        sentence=f"Without {name}, the obligation {one.name} fails",
        premises=diagram(named, terms),
        conclusion=ground(both(*one.premises.values(), no(one.conclusion)), model.sizes),
        model=named,
    )


def without_guard(guard: str) -> Played | None:
    """A history in which the other guards admit what is invalid; None where there is none."""
    structure = counter_state(guard)
    if structure is None:
        return None
    state = Decoded(structure)
    played = tuple(events(state))
    history = fold(state.contract(), played)
    if isinstance(history, Refusal):
        raise ValueError(history)  # noqa: TRY004 - the decoding is at fault, not a type
    checkpoint = state.checkpoint(structure.constants["c"]).id
    return Played(
        contract=state.contract(),
        events=played,
        history=history,
        instance=state.instances[structure.constants["i"]],
        checkpoint=checkpoint,
        found=found_by_restore(history, checkpoint),
    )


def without_conjunct(name: str) -> frozenset[Violation]:
    """What the core finds invalid in, or after, a state that lacks just this conjunct."""
    structure = counter_state(name)
    if structure is None:
        return frozenset()
    state = Decoded(structure)
    if "c" in structure.constants:
        checkpoint = state.checkpoint(structure.constants["c"]).id
        return found_by_restore(state.history(), checkpoint)
    return found_within(state.history(), 2)


def mistaken_without(name: str) -> bool:
    """Whether the core then finds a version that is gone, because another act has its name."""
    structure = counter_state(name)
    if structure is None:
        return False
    state = Decoded(structure)
    history: History | Refusal = state.history()
    if "new" in structure.constants:
        actor = state.instances[structure.constants["i"]]
        history = apply(state.history(), Act(instance=actor, reads=frozenset()))
    gone = [state.version(number) for (number,) in structure.relations["gone"]]
    return isinstance(history, History) and any(exists(history, version) for version in gone)
