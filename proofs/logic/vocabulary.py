"""
The words of the logic: sorts, symbols, the state, and the axioms that every proof may use.

All sorts are uninterpreted: nothing bounds the number of instances, entries, keys or checkpoints.
An entry is an individual that keeps its owner, place and reads for good; the state says only which
entries stand in a log. So undoing an act is dropping it from `alive`, and doing it again is another
individual.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import count
from typing import TypeAlias

import z3
from attrs import frozen

Formula: TypeAlias = z3.BoolRef
Term: TypeAlias = z3.ExprRef

Instance = z3.DeclareSort("Instance")
Entry = z3.DeclareSort("Entry")
Place = z3.DeclareSort("Place")
Attempt = z3.DeclareSort("Attempt")
Key = z3.DeclareSort("Key")
Effect = z3.DeclareSort("Effect")
FsmState = z3.DeclareSort("FsmState")
Checkpoint = z3.DeclareSort("Checkpoint")
Failure = z3.DeclareSort("Failure")
SORTS = (Instance, Entry, Place, Attempt, Key, Effect, FsmState, Checkpoint, Failure)

_SYMBOLS: dict[str, z3.FuncDeclRef] = {}


def _symbol(name: str, *signature: z3.SortRef) -> z3.FuncDeclRef:
    _SYMBOLS[name] = z3.Function(name, *signature)
    return _SYMBOLS[name]


def _predicate(name: str, *arguments: z3.SortRef) -> z3.FuncDeclRef:
    return _symbol(name, *arguments, z3.BoolSort())


# What an entry is, for good.
owner = _symbol("owner", Entry, Instance)
place = _symbol("place", Entry, Place)
made_in = _symbol("made_in", Entry, Attempt)
is_enter = _predicate("is_enter", Entry)
is_act = _predicate("is_act", Entry)
is_commit = _predicate("is_commit", Entry)
is_exit = _predicate("is_exit", Entry)
closing = _predicate("closing", Entry)
shows = _predicate("shows", Entry, FsmState)
writes = _predicate("writes", Entry, Key)
reads = _predicate("reads", Entry, Key, Entry)
has_effect = _predicate("has_effect", Entry, Effect)
earlier = _predicate("earlier", Entry, Entry)

# Places in a log: `zero` stands before the first, `one` is the first.
before = _predicate("before", Place, Place)
zero = z3.Const("zero", Place)
one = z3.Const("one", Place)

# What a checkpoint is, for good.
is_stable = _predicate("is_stable", Checkpoint)
whole_task = _predicate("whole_task", Checkpoint)
owned_by = _predicate("owned_by", Checkpoint, Instance)
cut = _symbol("cut", Checkpoint, Instance, Place)
true_owner = _predicate("true_owner", Checkpoint, Instance)
saved_earlier = _predicate("saved_earlier", Checkpoint, Checkpoint)

# What a failure is, for good.
candidate = _predicate("candidate", Failure, Instance)
in_doubt = _predicate("in_doubt", Failure, Entry)
true_culprit = _predicate("true_culprit", Failure, Instance)

# The contract, by the instance's skeleton.
opens_entry = _predicate("opens_entry", Instance)
opens_commit = _predicate("opens_commit", Instance)
opens_exit = _predicate("opens_exit", Instance)
reversible = _predicate("reversible", Instance, Effect)
idempotent = _predicate("idempotent", Instance, Effect)
compensable = _predicate("compensable", Instance, Effect)
compensate = z3.Bool("compensate")
commit_asks_state = _predicate("commit_asks_state", Instance)
commit_state = _predicate("commit_state", Instance, FsmState)
commit_key = _predicate("commit_key", Instance, Key)
exit_asks_state = _predicate("exit_asks_state", Instance)
exit_state = _predicate("exit_state", Instance, FsmState)
exit_key = _predicate("exit_key", Instance, Key)

# The state now, and the attempts after the next restore or rerun.
alive = _predicate("alive", Entry)
gone = _predicate("gone", Entry)
attempt = _symbol("attempt", Instance, Attempt)
there = _predicate("there", Checkpoint)
pending = _predicate("pending", Failure)
attempt_after = _symbol("attempt_after", Instance, Attempt)

SYMBOLS: dict[str, z3.FuncDeclRef] = dict(_SYMBOLS)
HIDDEN = ("true_owner", "true_culprit")


@frozen(kw_only=True)
class State:
    """What changes: which entries stand, which are gone in this epoch, and so on."""

    alive: Callable[[Term], Formula]
    gone: Callable[[Term], Formula]
    attempt: Callable[[Term], Term]
    there: Callable[[Term], Formula]
    pending: Callable[[Term], Formula]

    def of_epoch(self, entry: Term) -> Formula:
        """Whether the entry was made in this epoch."""
        return either(self.alive(entry), self.gone(entry))


NOW = State(alive=alive, gone=gone, attempt=attempt, there=there, pending=pending)

_fresh = count()


def _bound(body: Callable[..., Formula], sorts: tuple[z3.SortRef, ...]) -> list[Term]:
    names = inspect.signature(body).parameters
    return [
        z3.Const(f"{name}.{next(_fresh)}", sort) for name, sort in zip(names, sorts, strict=True)
    ]


def every(body: Callable[..., Formula], *sorts: z3.SortRef) -> Formula:
    """That the body holds of all individuals of these sorts."""
    bound = _bound(body, sorts)
    return z3.ForAll(bound, body(*bound))


def some(body: Callable[..., Formula], *sorts: z3.SortRef) -> Formula:
    """That the body holds of some individuals of these sorts."""
    bound = _bound(body, sorts)
    return z3.Exists(bound, body(*bound))


def both(*parts: Formula) -> Formula:
    """That all parts hold."""
    return z3.And(*parts)


def either(*parts: Formula) -> Formula:
    """That some part holds."""
    return z3.Or(*parts)


def no(part: Formula) -> Formula:
    """That the part does not hold."""
    return z3.Not(part)


def implies(premise: Formula, conclusion: Formula) -> Formula:
    """That the conclusion holds where the premise does."""
    return z3.Implies(premise, conclusion)


def _strict_total_order(less: z3.FuncDeclRef, sort: z3.SortRef) -> Formula:
    return both(
        every(lambda a: no(less(a, a)), sort),
        every(lambda a, b, c: implies(both(less(a, b), less(b, c)), less(a, c)), sort, sort, sort),
        every(lambda a, b: either(less(a, b), a == b, less(b, a)), sort, sort),
    )


AXIOMS: dict[str, Formula] = {
    "places": both(
        _strict_total_order(before, Place),
        before(zero, one),
        every(lambda p: either(p == zero, p == one, before(one, p)), Place),
        every(lambda e: place(e) != zero, Entry),
    ),
    "time": both(
        _strict_total_order(earlier, Entry),
        _strict_total_order(saved_earlier, Checkpoint),
    ),
    "kinds": every(
        lambda e: both(
            either(is_enter(e), is_act(e), is_commit(e), is_exit(e)),
            no(both(is_enter(e), either(is_act(e), is_commit(e), is_exit(e)))),
            no(both(is_act(e), either(is_commit(e), is_exit(e)))),
            no(both(is_commit(e), is_exit(e))),
            implies(is_enter(e), closing(e)),
            implies(is_act(e), no(closing(e))),
        ),
        Entry,
    ),
    "only acts read, write and have effects": both(
        every(lambda e, k: implies(writes(e, k), is_act(e)), Entry, Key),
        every(lambda e, k, w: implies(reads(e, k, w), is_act(e)), Entry, Key, Entry),
        every(lambda e, x: implies(has_effect(e, x), is_act(e)), Entry, Effect),
    ),
    "an effect is listed once": every(
        lambda i, x: both(
            no(both(reversible(i, x), either(idempotent(i, x), compensable(i, x)))),
            no(both(idempotent(i, x), compensable(i, x))),
        ),
        Instance,
        Effect,
    ),
}


def symbols(formula: Formula) -> Iterator[z3.FuncDeclRef]:
    """The symbols of the vocabulary that occur in the formula, each perhaps more than once."""
    seen: set[int] = set()
    stack = [formula]
    while stack:
        term = stack.pop()
        if term.get_id() in seen:
            continue
        seen.add(term.get_id())
        if z3.is_quantifier(term):
            stack.append(term.body())
        elif z3.is_app(term):
            if term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                yield term.decl()
            stack.extend(term.children())
