"""
Step 4: which checkpoints of the failed instance may be restored. Mirrors: dart_core.admit.

`where` is the cut of the instance: the place of the last entry that a restore keeps.
"""

from __future__ import annotations

from logic.certify import closed, controllable, decidable, separable
from logic.history import committed, sole_candidate
from logic.vocabulary import (
    Effect,
    Entry,
    Failure,
    Formula,
    Instance,
    Key,
    State,
    Term,
    before,
    both,
    candidate,
    compensable,
    compensate,
    cut,
    either,
    every,
    has_effect,
    idempotent,
    implies,
    in_doubt,
    is_stable,
    no,
    owned_by,
    owner,
    place,
    reads,
    reversible,
    some,
)


def identified(state: State, failure: Term, instance: Term) -> Formula:
    """Whether just this failure is pending and this instance is its only candidate."""
    return both(
        state.pending(failure),
        every(lambda g: implies(state.pending(g), g == failure), Failure),
        sole_candidate(failure, instance),
    )


def aligned(state: State, checkpoint: Term, instance: Term) -> Formula:
    """Whether the checkpoint is still there and may be the instance's (step 3)."""
    return both(state.there(checkpoint), owned_by(checkpoint, instance))


def rolls_back(instance: Term, effect: Term) -> Formula:
    """Whether an act of the instance with this effect may be undone."""
    return either(
        reversible(instance, effect),
        idempotent(instance, effect),
        both(compensable(instance, effect), compensate),
    )


def reads_after(state: State, reader: Term, instance: Term, where: Term) -> Formula:
    """Whether another instance's entry read what the instance wrote after the cut."""
    return both(
        state.alive(reader),
        owner(reader) != instance,
        some(
            lambda k, w: both(reads(reader, k, w), owner(w) == instance, before(where, place(w))),
            Key,
            Entry,
        ),
    )


def repairs(state: State, instance: Term, where: Term) -> Formula:
    """Whether the act in doubt would be undone."""
    return every(
        lambda f, s: implies(
            both(state.pending(f), in_doubt(f, s), owner(s) == instance),
            before(where, place(s)),
        ),
        Failure,
        Entry,
    )


def no_committed_conflict(state: State, instance: Term, where: Term) -> Formula:
    """Whether no other instance has committed on what would be undone."""
    return every(
        lambda e: implies(reads_after(state, e, instance, where), no(committed(state, e))), Entry
    )


def no_live_conflict(state: State, instance: Term, where: Term) -> Formula:
    """Whether no other instance could still commit on what would be undone."""
    return every(
        lambda e: implies(reads_after(state, e, instance, where), committed(state, e)), Entry
    )


def effect_allowed(state: State, instance: Term, where: Term) -> Formula:
    """Whether every effect that would be undone may be."""
    return every(
        lambda e, x: implies(
            both(
                state.alive(e),
                owner(e) == instance,
                before(where, place(e)),
                has_effect(e, x),
            ),
            rolls_back(instance, x),
        ),
        Entry,
        Effect,
    )


def guards(state: State, checkpoint: Term, instance: Term) -> dict[str, Formula]:
    """Every guard of the checkpoint by the name that it has in the core."""
    where = cut(checkpoint, instance)
    return {
        "stable": is_stable(checkpoint),
        "decidable": decidable(checkpoint, instance),
        "closed": closed(state, instance, where),
        "separable": separable(state, checkpoint, instance),
        "controllable": controllable(state, instance, where),
        "repairs": repairs(state, instance, where),
        "no_committed_conflict": no_committed_conflict(state, instance, where),
        "no_live_conflict": no_live_conflict(state, instance, where),
        "effect_allowed": effect_allowed(state, instance, where),
    }


def admissible(state: State, checkpoint: Term, instance: Term) -> Formula:
    """Whether every guard holds."""
    return both(*guards(state, checkpoint, instance).values())


def controller_legal(state: State, checkpoint: Term) -> Formula:
    """Whether a controller can restore it: stable, there, and perhaps a failed instance's."""
    return both(
        state.there(checkpoint),
        is_stable(checkpoint),
        some(
            lambda f, i: both(state.pending(f), candidate(f, i), owned_by(checkpoint, i)),
            Failure,
            Instance,
        ),
    )
