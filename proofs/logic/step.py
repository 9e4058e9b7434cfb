"""
The transition relation as a whole, and the constants that obligations speak of.

A failure `f` of the instance `i`, a checkpoint `c` that is restored for it, and an entry `new`.
"""

from __future__ import annotations

import z3

from logic.admit import aligned, guards, identified
from logic.dart import Step, act, claim, enter, fail, rerun, restore, save
from logic.vocabulary import (
    Checkpoint,
    Entry,
    Failure,
    Formula,
    Instance,
    State,
    Term,
    both,
    candidate,
    is_commit,
    is_exit,
)

i = z3.Const("i", Instance)
new = z3.Const("new", Entry)
c = z3.Const("c", Checkpoint)
f = z3.Const("f", Failure)


def admission(state: State, failure: Term, checkpoint: Term, instance: Term) -> dict[str, Formula]:
    """What has to hold before the checkpoint is restored for this failure, by name."""
    return {
        "suspected": both(state.pending(failure), candidate(failure, instance)),
        "identified": identified(state, failure, instance),
        "aligned": aligned(state, checkpoint, instance),
        **guards(state, checkpoint, instance),
    }


def events(state: State) -> dict[str, Step]:
    """Every event but a restore, in this state."""
    return {
        "enter": enter(state, i, new),
        "act": act(state, i, new),
        "commit": claim(state, i, new, is_commit(new)),
        "exit": claim(state, i, new, is_exit(new)),
        "save": save(state, c),
        "fail": fail(state, f),
        "rerun": rerun(state),
    }


def admitted_restore(state: State) -> Step:
    """The restore of a checkpoint that is admitted in this state."""
    step = restore(state, c)
    return Step(admission(state, f, c, i) | step.premises, step.after)


def next_steps(state: State) -> dict[str, Step]:
    """Every event, a restore only of what is admitted."""
    return events(state) | {"restore": admitted_restore(state)}


def any_steps(state: State) -> dict[str, Step]:
    """Every event, and every restore, admitted or not."""
    return events(state) | {"restore": restore(state, c)}
