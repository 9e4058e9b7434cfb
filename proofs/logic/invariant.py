"""
The inductive invariant: what holds in every state that recoveries by admission can reach.

Each conjunct has a name, a sentence and a formula of a state.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import MappingProxyType

from attrs import frozen

from logic.certify import closed_between, wrote
from logic.history import stands, up_to
from logic.valid import must_stand
from logic.vocabulary import (
    Checkpoint,
    Effect,
    Entry,
    Failure,
    Formula,
    Instance,
    Key,
    State,
    before,
    both,
    candidate,
    closing,
    every,
    has_effect,
    implies,
    in_doubt,
    is_enter,
    made_in,
    one,
    owned_by,
    owner,
    place,
    reads,
    some,
    true_culprit,
    true_owner,
)


@frozen
class Conjunct:
    """One part of the invariant."""

    name: str
    sentence: str
    holds: Callable[[State], Formula]


def living_reads(state: State) -> Formula:
    return every(
        lambda e, k, w: implies(both(state.alive(e), reads(e, k, w)), state.alive(w)),
        Entry,
        Key,
        Entry,
    )


def own_reads_look_back(state: State) -> Formula:
    return every(
        lambda e, k, w: implies(
            both(state.alive(e), reads(e, k, w), owner(w) == owner(e)),
            before(place(w), place(e)),
        ),
        Entry,
        Key,
        Entry,
    )


def one_attempt_per_handoff(state: State) -> Formula:
    return every(
        lambda v, w: implies(
            both(
                state.alive(v),
                wrote(v),
                stands(state, w, owner(v)),
                wrote(w),
                up_to(place(v), place(w)),
                made_in(v) != made_in(w),
            ),
            closed_between(state, owner(v), v, place(w)),
        ),
        Entry,
        Entry,
    )


def open_handoff_is_current(state: State) -> Formula:
    return every(
        lambda w: implies(
            both(state.alive(w), wrote(w), made_in(w) != state.attempt(owner(w))),
            some(
                lambda x: both(stands(state, x, owner(w)), closing(x), before(place(w), place(x))),
                Entry,
            ),
        ),
        Entry,
    )


def fixed_effects_stand(state: State) -> Formula:
    return every(
        lambda e, x: implies(
            both(state.of_epoch(e), has_effect(e, x), must_stand(owner(e), x)), state.alive(e)
        ),
        Entry,
        Effect,
    )


def enter_is_first(state: State) -> Formula:
    return every(lambda e: implies(state.alive(e), is_enter(e) == (place(e) == one)), Entry)


def suspect_is_candidates(state: State) -> Formula:
    return every(
        lambda f, s: implies(both(state.pending(f), in_doubt(f, s)), candidate(f, owner(s))),
        Failure,
        Entry,
    )


def culprit_is_candidate(state: State) -> Formula:
    return every(
        lambda f, t, j: implies(
            both(state.pending(f), true_culprit(f, t), candidate(f, j)), candidate(f, t)
        ),
        Failure,
        Instance,
        Instance,
    )


def owner_is_candidate(state: State) -> Formula:
    return every(
        lambda c, t: implies(both(state.there(c), true_owner(c, t)), owned_by(c, t)),
        Checkpoint,
        Instance,
    )


def attempt_stands(state: State) -> Formula:
    return every(
        lambda e: implies(
            both(state.of_epoch(e), made_in(e) == state.attempt(owner(e))), state.alive(e)
        ),
        Entry,
    )


def named_once(state: State) -> Formula:
    return every(
        lambda d, e: implies(
            both(
                state.of_epoch(d),
                state.of_epoch(e),
                owner(d) == owner(e),
                made_in(d) == made_in(e),
                place(d) == place(e),
            ),
            d == e,
        ),
        Entry,
        Entry,
    )


SAFETY = (
    Conjunct("living_reads", "every read in a log names a version that stands", living_reads),
    Conjunct(
        "own_reads_look_back",
        "an act reads of its own instance only what stands before it",
        own_reads_look_back,
    ),
    Conjunct(
        "one_attempt_per_handoff",
        "two writes of two attempts have a closing point between them",
        one_attempt_per_handoff,
    ),
    Conjunct(
        "open_handoff_is_current",
        "a write of an earlier attempt has a closing point after it",
        open_handoff_is_current,
    ),
    Conjunct(
        "fixed_effects_stand",
        "every act of this epoch with an effect that cannot be rolled back stands",
        fixed_effects_stand,
    ),
    Conjunct(
        "enter_is_first",
        "the first entry of a log is its enter entry, and no other is",
        enter_is_first,
    ),
    Conjunct(
        "suspect_is_candidates",
        "the act in doubt belongs to a candidate of its failure",
        suspect_is_candidates,
    ),
    Conjunct(
        "culprit_is_candidate",
        "the instance that truly failed is a candidate of its failure, if any is",
        culprit_is_candidate,
    ),
    Conjunct(
        "owner_is_candidate",
        "the true owner of a checkpoint is among its owners",
        owner_is_candidate,
    ),
)
NAMES = (
    Conjunct(
        "attempt_stands",
        "what was made in the present attempt of an instance stands",
        attempt_stands,
    ),
    Conjunct(
        "named_once", "two acts of an epoch never have one writer, attempt and place", named_once
    ),
)


@cache
def invariant(state: State) -> MappingProxyType[str, Formula]:
    """The conjuncts of safety by name."""
    return MappingProxyType({part.name: part.holds(state) for part in SAFETY})
