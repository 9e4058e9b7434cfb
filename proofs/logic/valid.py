"""
The ground truth: what is invalid, whatever any guard says. Mirrors: dart_core.valid.

V1 to V3 speak of a state, V4 to V6 of restoring a checkpoint in a state.
"""

from __future__ import annotations

from collections.abc import Callable

from logic.certify import wrote
from logic.history import at, claims, committed, sole_candidate, sole_owner, stands
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
    closing,
    compensable,
    compensate,
    cut,
    either,
    has_effect,
    idempotent,
    in_doubt,
    is_enter,
    is_exit,
    made_in,
    no,
    opens_commit,
    opens_entry,
    opens_exit,
    owner,
    place,
    reads,
    reversible,
    some,
    true_culprit,
    true_owner,
    whole_task,
)


def exists(state: State, version: Term) -> Formula:
    """Whether an act of this writer, attempt and place is still in the writer's log."""
    return some(
        lambda e: both(
            at(state, owner(version), place(version), e), made_in(e) == made_in(version)
        ),
        Entry,
    )


def orphaned_commit(state: State) -> Formula:
    """Whether a committed read names a version that no longer exists (V1)."""
    return some(
        lambda e, k, w: both(
            state.alive(e), reads(e, k, w), committed(state, e), no(exists(state, w))
        ),
        Entry,
        Key,
        Entry,
    )


def in_handoff(state: State, closing_point: Term, write: Term) -> Formula:
    """Whether the write is in the handoff that this commit or exit closes."""
    instance = owner(closing_point)
    return both(
        stands(state, write, instance),
        wrote(write),
        before(place(write), place(closing_point)),
        no(
            some(
                lambda y: both(
                    stands(state, y, instance),
                    closing(y),
                    before(place(write), place(y)),
                    before(place(y), place(closing_point)),
                ),
                Entry,
            )
        ),
    )


def torn_handoff(state: State) -> Formula:
    """Whether a closed handoff contains writes of two attempts (V2)."""
    return some(
        lambda x, v, w: both(
            state.alive(x),
            claims(x),
            closing(x),
            in_handoff(state, x, v),
            in_handoff(state, x, w),
            made_in(v) != made_in(w),
        ),
        Entry,
        Entry,
        Entry,
    )


def must_stand(instance: Term, effect: Term) -> Formula:
    """Whether the effect is irreversible, or compensable and nobody compensates."""
    listed = either(
        reversible(instance, effect), idempotent(instance, effect), compensable(instance, effect)
    )
    return either(no(listed), both(compensable(instance, effect), no(compensate)))


def erased_effect(state: State) -> Formula:
    """Whether an effect of this epoch that nobody undid belongs to an act that is gone (V3)."""
    return some(
        lambda e, x: both(
            state.of_epoch(e), has_effect(e, x), must_stand(owner(e), x), no(exists(state, e))
        ),
        Entry,
        Effect,
    )


def culprit(failure: Term, instance: Term) -> Formula:
    """Whether the instance truly failed: the hidden truth, or else the only candidate."""
    return either(
        true_culprit(failure, instance),
        both(
            no(some(lambda t: true_culprit(failure, t), Instance)),
            sole_candidate(failure, instance),
        ),
    )


def rewound(state: State, checkpoint: Term, instance: Term) -> Formula:
    """Whether restoring the snapshot truly takes the instance back, as far as that is known."""
    return either(
        true_owner(checkpoint, instance),
        both(
            no(some(lambda t: true_owner(checkpoint, t), Instance)),
            sole_owner(checkpoint, instance),
        ),
        both(
            whole_task(checkpoint),
            some(
                lambda e: both(
                    stands(state, e, instance), before(cut(checkpoint, instance), place(e))
                ),
                Entry,
            ),
        ),
    )


def wrong_instance(state: State, checkpoint: Term) -> Formula:
    """Whether restoring takes back an instance other than the one that truly failed (V4)."""
    return some(
        lambda f, failed, i: both(
            state.pending(f), culprit(f, failed), rewound(state, checkpoint, i), i != failed
        ),
        Failure,
        Instance,
        Instance,
    )


def leaves_suspect(state: State, checkpoint: Term) -> Formula:
    """Whether restoring leaves an act in doubt standing (V5)."""
    return some(
        lambda f, s: both(
            state.pending(f),
            in_doubt(f, s),
            either(
                no(rewound(state, checkpoint, owner(s))),
                no(before(cut(checkpoint, owner(s)), place(s))),
            ),
        ),
        Failure,
        Entry,
    )


def is_closed_kind(instance: Term, entry: Term) -> Formula:
    """Whether policy closes the kind of boundary that stands after the entry."""
    return either(
        both(is_enter(entry), no(opens_entry(instance))),
        both(is_exit(entry), no(opens_exit(instance))),
        both(no(is_enter(entry)), no(is_exit(entry)), no(opens_commit(instance))),
    )


def crosses_policy(state: State, checkpoint: Term) -> Formula:
    """Whether policy closes the boundary that restoring lands an instance on (V6)."""
    return some(
        lambda i, e: both(
            rewound(state, checkpoint, i),
            at(state, i, cut(checkpoint, i), e),
            is_closed_kind(i, e),
        ),
        Instance,
        Entry,
    )


HISTORY_IS_INVALID: dict[str, Callable[[State], Formula]] = {
    "V1": orphaned_commit,
    "V2": torn_handoff,
    "V3": erased_effect,
}
RESTORE_IS_INVALID: dict[str, Callable[[State, Term], Formula]] = {
    "V4": wrong_instance,
    "V5": leaves_suspect,
    "V6": crosses_policy,
}


def invalid(state: State) -> Formula:
    """Whether the history is invalid (V1 to V3)."""
    return either(*(violated(state) for violated in HISTORY_IS_INVALID.values()))


def invalid_restore(state: State, checkpoint: Term) -> Formula:
    """Whether restoring the checkpoint is invalid in itself (V4 to V6)."""
    return either(*(violated(state, checkpoint) for violated in RESTORE_IS_INVALID.values()))
