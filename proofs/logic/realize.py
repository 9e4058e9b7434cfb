"""
What makes a structure a history of the core, to be asked of a solver's model.

`IS_HISTORY` says that the structure is a state, `IS_PLAYED` that events without a recovery lead to
it, where `saved_after` names the entry after which the checkpoint `c` was saved.
"""

from __future__ import annotations

import z3

from logic import vocabulary as v
from logic.history import at, entered, live, sole_candidate, sole_owner, stands, up_to
from logic.step import c, f
from logic.vocabulary import (
    NOW,
    Formula,
    Term,
    alive,
    before,
    both,
    candidate,
    cut,
    earlier,
    either,
    every,
    gone,
    implies,
    in_doubt,
    is_act,
    is_exit,
    made_in,
    no,
    owned_by,
    owner,
    place,
    reads,
    some,
    there,
    true_culprit,
    true_owner,
    whole_task,
    writes,
    zero,
)

saved_after = z3.Const("saved_after", v.Entry)


def _in_one_log(d: Term, e: Term) -> Formula:
    return both(alive(d), alive(e), owner(d) == owner(e))


def _covers(checkpoint: Term, instance: Term) -> Formula:
    return either(whole_task(checkpoint), owned_by(checkpoint, instance))


IS_HISTORY: tuple[Formula, ...] = (
    every(lambda e: no(both(alive(e), gone(e))), v.Entry),
    every(
        lambda d, e: implies(both(_in_one_log(d, e), place(d) == place(e)), d == e),
        v.Entry,
        v.Entry,
    ),
    every(
        lambda d, e: implies(
            both(_in_one_log(d, e), before(place(d), place(e))), both(earlier(d, e), no(is_exit(d)))
        ),
        v.Entry,
        v.Entry,
    ),
    every(
        lambda e, p: implies(
            both(alive(e), p != zero, before(p, place(e))),
            some(lambda d: at(NOW, owner(e), p, d), v.Entry),
        ),
        v.Entry,
        v.Place,
    ),
    every(
        lambda e, k, w: implies(
            both(alive(e), reads(e, k, w)), both(writes(w, k), either(alive(w), gone(w)))
        ),
        v.Entry,
        v.Key,
        v.Entry,
    ),
    every(
        lambda e, k, w, u: implies(both(reads(e, k, w), reads(e, k, u)), w == u),
        v.Entry,
        v.Key,
        v.Entry,
        v.Entry,
    ),
    every(
        lambda s, j: implies(
            there(s),
            both(
                implies(
                    cut(s, j) != zero,
                    both(_covers(s, j), some(lambda e: at(NOW, j, cut(s, j), e), v.Entry)),
                ),
                implies(owned_by(s, j), cut(s, j) != zero),
            ),
        ),
        v.Checkpoint,
        v.Instance,
    ),
    every(
        lambda s, j, t: implies(both(true_owner(s, j), true_owner(s, t)), j == t),
        v.Checkpoint,
        v.Instance,
        v.Instance,
    ),
    every(
        lambda g, j, t: implies(both(true_culprit(g, j), true_culprit(g, t)), j == t),
        v.Failure,
        v.Instance,
        v.Instance,
    ),
    every(
        lambda g, d, e: implies(
            both(in_doubt(g, d), in_doubt(g, e)), both(d == e, alive(d), is_act(d))
        ),
        v.Failure,
        v.Entry,
        v.Entry,
    ),
    every(lambda g, j: implies(candidate(g, j), entered(NOW, j)), v.Failure, v.Instance),
)


def _saved_by(e: Term) -> Formula:
    return no(earlier(saved_after, e))


def _live_when_saved(j: Term) -> Formula:
    return both(
        some(lambda e: both(stands(NOW, e, j), _saved_by(e)), v.Entry),
        no(some(lambda e: both(stands(NOW, e, j), _saved_by(e), is_exit(e)), v.Entry)),
    )


IS_PLAYED: tuple[Formula, ...] = (
    every(lambda e: no(gone(e)), v.Entry),
    every(lambda e: implies(alive(e), made_in(e) == NOW.attempt(owner(e))), v.Entry),
    every(
        lambda e, k, w, u: implies(
            both(alive(e), reads(e, k, w)),
            both(
                earlier(w, e),
                implies(both(alive(u), writes(u, k), earlier(u, e)), no(earlier(w, u))),
            ),
        ),
        v.Entry,
        v.Key,
        v.Entry,
        v.Entry,
    ),
    alive(saved_after),
    every(
        lambda j, e: implies(
            both(_covers(c, j), stands(NOW, e, j)), up_to(place(e), cut(c, j)) == _saved_by(e)
        ),
        v.Instance,
        v.Entry,
    ),
    either(
        some(lambda j: sole_owner(c, j), v.Instance),
        every(lambda j: owned_by(c, j) == _live_when_saved(j), v.Instance),
    ),
    either(
        some(lambda j: sole_candidate(f, j), v.Instance),
        both(
            every(lambda j: candidate(f, j) == live(NOW, j), v.Instance),
            no(some(lambda s: in_doubt(f, s), v.Entry)),
        ),
    ),
)
