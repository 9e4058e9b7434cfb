"""
What is read off the state. Mirrors: dart_core.history.

Each function bears the name of the function of the core that it restates.
"""

from __future__ import annotations

from logic.vocabulary import (
    Entry,
    Failure,
    Formula,
    FsmState,
    Instance,
    Key,
    State,
    Term,
    before,
    both,
    candidate,
    commit_asks_state,
    commit_key,
    commit_state,
    cut,
    either,
    every,
    exit_asks_state,
    exit_key,
    exit_state,
    implies,
    is_commit,
    is_enter,
    is_exit,
    no,
    owned_by,
    owner,
    place,
    shows,
    some,
    whole_task,
    writes,
)


def up_to(one: Term, other: Term) -> Formula:
    """Whether the place is the other or before it."""
    return no(before(other, one))


def stands(state: State, entry: Term, instance: Term) -> Formula:
    """Whether the entry is in the log of the instance."""
    return both(state.alive(entry), owner(entry) == instance)


def at(state: State, instance: Term, where: Term, entry: Term) -> Formula:
    """Whether the entry is in the log of the instance, at this place."""
    return both(stands(state, entry, instance), place(entry) == where)


def claims(entry: Term) -> Formula:
    """Whether the entry is a commit or an exit, true or false."""
    return either(is_commit(entry), is_exit(entry))


def entered(state: State, instance: Term) -> Formula:
    """Whether the instance has entered in this epoch and is not gone."""
    return some(lambda e: stands(state, e, instance), Entry)


def is_last(state: State, entry: Term, instance: Term) -> Formula:
    """Whether the entry is the last one in the log of the instance."""
    return both(
        stands(state, entry, instance),
        every(lambda d: implies(stands(state, d, instance), up_to(place(d), place(entry))), Entry),
    )


def live(state: State, instance: Term) -> Formula:
    """Whether the instance has entered and not exited."""
    return both(
        entered(state, instance),
        every(lambda e: implies(is_last(state, e, instance), no(is_exit(e))), Entry),
    )


def is_failing(state: State) -> Formula:
    """Whether a failure is pending."""

    def is_pending(failure: Term) -> Formula:
        return state.pending(failure)

    return some(is_pending, Failure)


def sole_candidate(failure: Term, instance: Term) -> Formula:
    """Whether the failure can concern this instance and no other."""
    return every(lambda j: candidate(failure, j) == (j == instance), Instance)


def suspended(state: State, instance: Term) -> Formula:
    """Whether the instance is the only candidate of a pending failure."""
    return some(lambda f: both(state.pending(f), sole_candidate(f, instance)), Failure)


def committed(state: State, entry: Term) -> Formula:
    """Whether a commit or exit stands at or after the entry in its log."""
    return some(
        lambda x: both(stands(state, x, owner(entry)), claims(x), up_to(place(entry), place(x))),
        Entry,
    )


def sole_owner(checkpoint: Term, instance: Term) -> Formula:
    """Whether the checkpoint is this instance's and no other's."""
    return every(lambda j: owned_by(checkpoint, j) == (j == instance), Instance)


def rewinds(checkpoint: Term, instance: Term) -> Formula:
    """Whether restoring the checkpoint cuts the log of the instance to its cut."""
    return either(whole_task(checkpoint), sole_owner(checkpoint, instance))


def remaining(state: State, checkpoint: Term, entry: Term) -> Formula:
    """Whether the entry would still stand once the checkpoint were restored."""
    return both(
        state.alive(entry),
        no(
            both(
                rewinds(checkpoint, owner(entry)),
                before(cut(checkpoint, owner(entry)), place(entry)),
            )
        ),
    )


def last_state(state: State, entry: Term, fsm_state: Term) -> Formula:
    """Whether this FSM state was the last one seen in the log up to the entry."""

    def is_seen_up_to(other: Term, seen: Term) -> Formula:
        return both(
            stands(state, other, owner(entry)),
            up_to(place(other), place(entry)),
            shows(other, seen),
        )

    return some(
        lambda x: both(
            is_seen_up_to(x, fsm_state),
            every(
                lambda y, t: implies(is_seen_up_to(y, t), up_to(place(y), place(x))),
                Entry,
                FsmState,
            ),
        ),
        Entry,
    )


def written_up_to(state: State, entry: Term, key: Term) -> Formula:
    """Whether the key was written in the log up to the entry."""
    return some(
        lambda w: both(
            stands(state, w, owner(entry)), up_to(place(w), place(entry)), writes(w, key)
        ),
        Entry,
    )


def closes(state: State, entry: Term) -> Formula:
    """Whether the entry is a closing point: the entry, or a commit or exit that holds."""
    i = owner(entry)
    return either(
        is_enter(entry),
        both(
            is_commit(entry),
            implies(
                commit_asks_state(i),
                some(lambda s: both(commit_state(i, s), last_state(state, entry, s)), FsmState),
            ),
            every(lambda k: implies(commit_key(i, k), written_up_to(state, entry, k)), Key),
        ),
        both(
            is_exit(entry),
            implies(
                exit_asks_state(i),
                some(lambda s: both(exit_state(i, s), last_state(state, entry, s)), FsmState),
            ),
            every(lambda k: implies(exit_key(i, k), written_up_to(state, entry, k)), Key),
        ),
    )
