"""
Step 2: whether a checkpoint stands at a recoverable boundary. Mirrors: dart_core.certify.

`where` is the cut of the instance: the place of the last entry that a restore keeps.
"""

from __future__ import annotations

from logic.history import at, sole_owner, stands, up_to
from logic.vocabulary import (
    Entry,
    Formula,
    Key,
    State,
    Term,
    before,
    both,
    closing,
    cut,
    either,
    every,
    implies,
    is_exit,
    no,
    one,
    opens_commit,
    opens_entry,
    opens_exit,
    owner,
    place,
    some,
    whole_task,
    writes,
)


def wrote(entry: Term) -> Formula:
    """Whether the entry wrote anything."""
    return some(lambda k: writes(entry, k), Key)


def closed_between(state: State, instance: Term, write: Term, where: Term) -> Formula:
    """Whether a closing point stands after the write and at or before the place."""
    return some(
        lambda x: both(
            stands(state, x, instance),
            closing(x),
            before(place(write), place(x)),
            up_to(place(x), where),
        ),
        Entry,
    )


def open_write(state: State, instance: Term, where: Term, entry: Term) -> Formula:
    """Whether the entry is a write in the handoff that is open at the place."""
    return both(
        stands(state, entry, instance),
        wrote(entry),
        up_to(place(entry), where),
        no(closed_between(state, instance, entry, where)),
    )


def overrun(state: State, checkpoint: Term, instance: Term) -> Formula:
    """Whether another instance has an entry after the checkpoint's cut."""
    return some(
        lambda e: both(
            state.alive(e),
            owner(e) != instance,
            before(cut(checkpoint, owner(e)), place(e)),
        ),
        Entry,
    )


def decidable(checkpoint: Term, instance: Term) -> Formula:
    """Whether the checkpoint is known to be the instance's and nobody else's."""
    return sole_owner(checkpoint, instance)


def closed(state: State, instance: Term, where: Term) -> Formula:
    """Whether no handoff is open at the cut."""
    return no(some(lambda w: open_write(state, instance, where, w), Entry))


def separable(state: State, checkpoint: Term, instance: Term) -> Formula:
    """Whether restoring would rewind the instance alone."""
    return either(no(whole_task(checkpoint)), no(overrun(state, checkpoint, instance)))


def controllable(state: State, instance: Term, where: Term) -> Formula:
    """Whether policy opens the kind of boundary at the cut."""
    return every(
        lambda e: implies(
            at(state, instance, where, e),
            either(
                both(where == one, opens_entry(instance)),
                both(where != one, is_exit(e), opens_exit(instance)),
                both(where != one, no(is_exit(e)), opens_commit(instance)),
            ),
        ),
        Entry,
    )
