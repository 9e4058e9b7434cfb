"""
The transitions: what enables an event, and the state after it. Mirrors: dart_core.dart.

Each action yields a step: its premises by name, and the state after it as a function of the state
before, so that what an action does not name is unchanged.
"""

from __future__ import annotations

import z3
from attrs import evolve, frozen

from logic.history import (
    entered,
    is_failing,
    live,
    remaining,
    sole_candidate,
    sole_owner,
    stands,
    suspended,
)
from logic.vocabulary import (
    Entry,
    Formula,
    Instance,
    Key,
    State,
    Term,
    attempt_after,
    before,
    both,
    candidate,
    cut,
    earlier,
    either,
    every,
    implies,
    in_doubt,
    is_act,
    is_enter,
    made_in,
    no,
    one,
    owned_by,
    owner,
    place,
    reads,
    some,
    true_culprit,
    true_owner,
    whole_task,
    writes,
    zero,
)


@frozen
class Step:
    """An action: what must hold for it, by name, and the state after it."""

    premises: dict[str, Formula]
    after: State


def _extends(state: State, instance: Term, new: Term) -> Formula:
    """That the new entry is the next one of the instance's log, in its present attempt."""
    return both(
        owner(new) == instance,
        made_in(new) == state.attempt(instance),
        no(state.of_epoch(new)),
        every(lambda e: implies(stands(state, e, instance), before(place(e), place(new))), Entry),
        every(lambda e: implies(state.alive(e), earlier(e, new)), Entry),
    )


def _with(state: State, new: Term) -> State:
    return evolve(state, alive=lambda e: either(state.alive(e), e == new))


def enter(state: State, instance: Term, new: Term) -> Step:
    """The instance begins its log."""
    premises = {
        "enabled": no(entered(state, instance)),
        "entry": both(_extends(state, instance, new), is_enter(new), place(new) == one),
    }
    return Step(premises, _with(state, new))


def can_step(state: State, instance: Term) -> Formula:
    """Whether the instance can act, commit or exit."""
    return both(live(state, instance), no(suspended(state, instance)))


def is_latest(state: State, key: Term, version: Term) -> Formula:
    """Whether the version is the last surviving one of the key."""
    return both(
        state.alive(version),
        writes(version, key),
        every(
            lambda v: implies(both(state.alive(v), writes(v, key)), no(earlier(version, v))), Entry
        ),
    )


def act(state: State, instance: Term, new: Term) -> Step:
    """The act reads the last version of each key, then writes its own, and has its effects."""
    reads_latest = every(lambda k, w: implies(reads(new, k, w), is_latest(state, k, w)), Key, Entry)
    premises = {
        "enabled": can_step(state, instance),
        "entry": both(_extends(state, instance, new), is_act(new), place(new) != one),
        "reads the last version": reads_latest,
    }
    return Step(premises, _with(state, new))


def claim(state: State, instance: Term, new: Term, kind: Formula) -> Step:
    """The instance claims a commit or an exit, as `kind` says; the contract says if it closes."""
    premises = {
        "enabled": can_step(state, instance),
        "entry": both(_extends(state, instance, new), kind, place(new) != one),
    }
    return Step(premises, _with(state, new))


def is_length(state: State, instance: Term, where: Term) -> Formula:
    """Whether the place is that of the last entry of the instance's log, or zero without one."""
    return either(
        both(where == zero, no(entered(state, instance))),
        both(
            some(lambda e: both(stands(state, e, instance), place(e) == where), Entry),
            every(
                lambda e: implies(stands(state, e, instance), no(before(where, place(e)))), Entry
            ),
        ),
    )


def save(state: State, new: Term) -> Step:
    """The checkpoint is saved with its owners and cut, which never change."""
    premises = {
        "enabled": no(state.there(new)),
        "owners": every(
            lambda j: implies(owned_by(new, j), both(entered(state, j), no(suspended(state, j)))),
            Instance,
        ),
        "cut": every(
            lambda j: both(
                implies(
                    either(whole_task(new), owned_by(new, j)), is_length(state, j, cut(new, j))
                ),
                implies(no(either(whole_task(new), owned_by(new, j))), cut(new, j) == zero),
            ),
            Instance,
        ),
        "A1": every(lambda t: implies(true_owner(new, t), owned_by(new, t)), Instance),
    }
    return Step(premises, evolve(state, there=lambda c: either(state.there(c), c == new)))


def fail(state: State, new: Term) -> Step:
    """The failure is pending, with the candidates that it has now."""
    premises = {
        "enabled": no(state.pending(new)),
        "candidates": every(lambda j: implies(candidate(new, j), entered(state, j)), Instance),
        "suspect": every(
            lambda s: implies(
                in_doubt(new, s), both(state.alive(s), sole_candidate(new, owner(s)))
            ),
            Entry,
        ),
        "A1": every(
            lambda t, j: implies(both(true_culprit(new, t), candidate(new, j)), candidate(new, t)),
            Instance,
            Instance,
        ),
    }
    return Step(premises, evolve(state, pending=lambda f: either(state.pending(f), f == new)))


def starts_again(state: State, checkpoint: Term, instance: Term) -> Formula:
    """Whether restoring the checkpoint begins a new attempt of the instance."""
    return either(
        sole_owner(checkpoint, instance),
        some(
            lambda e: both(stands(state, e, instance), no(remaining(state, checkpoint, e))), Entry
        ),
    )


def restore(state: State, checkpoint: Term) -> Step:
    """The logs are cut, what the undone acts wrote is gone, and the failures are cleared."""

    def is_attempt_after(i: Term) -> Formula:
        is_new = every(
            lambda e: implies(
                both(state.of_epoch(e), owner(e) == i), made_in(e) != attempt_after(i)
            ),
            Entry,
        )
        again = starts_again(state, checkpoint, i)
        return both(
            implies(again, is_new),
            implies(no(again), attempt_after(i) == state.attempt(i)),
        )

    def is_left(c: Term) -> Formula:
        return every(
            lambda e: implies(
                both(state.alive(e), no(remaining(state, checkpoint, e))),
                no(before(cut(checkpoint, owner(e)), cut(c, owner(e)))),
            ),
            Entry,
        )

    premises = {
        "enabled": both(state.there(checkpoint), is_failing(state)),
        "attempts": every(is_attempt_after, Instance),
    }
    after = evolve(
        state,
        alive=lambda e: remaining(state, checkpoint, e),
        gone=lambda e: both(state.of_epoch(e), no(remaining(state, checkpoint, e))),
        attempt=attempt_after,
        there=lambda c: both(state.there(c), is_left(c)),
        pending=nothing,
    )
    return Step(premises, after)


def rerun(state: State) -> Step:
    """The task begins again: all is cleared but the world, which remembers."""
    premises = {"enabled": is_failing(state)}
    return Step(premises, initial())


def nothing(thing: Term) -> Formula:
    """That the thing is not among them, whatever it is."""
    del thing
    return z3.BoolVal(False)


def initial() -> State:
    """The state in which nothing has happened; the first attempts are free."""
    return State(alive=nothing, gone=nothing, attempt=attempt_after, there=nothing, pending=nothing)
