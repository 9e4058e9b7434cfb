"""Theorems T7, T8 and T9: what the verdict rests on, and how it relates to the paper's words."""

from __future__ import annotations

import z3

from logic.admit import admissible, aligned, identified, no_committed_conflict
from logic.dart import Step, restore
from logic.history import committed
from logic.invariant import invariant
from logic.obligation import Obligation
from logic.step import admission, c, events, f, i, next_steps
from logic.vocabulary import (
    NOW,
    Checkpoint,
    Entry,
    Failure,
    Formula,
    Instance,
    Key,
    State,
    Term,
    before,
    both,
    cut,
    earlier,
    either,
    every,
    implies,
    is_enter,
    no,
    owner,
    reads,
    saved_earlier,
    some,
    true_culprit,
    true_owner,
)

g, d, j = z3.Const("g", Failure), z3.Const("d", Checkpoint), z3.Const("j", Instance)
control = z3.Const("control", Instance)
control_after = z3.Const("control_after", Instance)


def is_choice(state: State, failure: Term, instance: Term, checkpoint: Term) -> Formula:
    """Whether this is the verdict: restore this checkpoint of this instance."""
    where = cut(checkpoint, instance)

    def is_no_later(other: Term) -> Formula:
        there = cut(other, instance)
        return either(
            before(there, where), both(there == where, no(saved_earlier(checkpoint, other)))
        )

    def is_admitted(other: Term) -> Formula:
        return both(aligned(state, other, instance), admissible(state, other, instance))

    return both(
        identified(state, failure, instance),
        is_admitted(checkpoint),
        every(lambda o: implies(is_admitted(o), is_no_later(o)), Checkpoint),
    )


def _renamed(symbol: z3.FuncDeclRef) -> tuple[z3.FuncDeclRef, Formula]:
    """The predicate, and another one of which nothing is known, for a substitution."""
    sorts = [symbol.domain(number) for number in range(symbol.arity())]
    other = z3.Function(f"{symbol.name()}_elsewhere", *sorts, z3.BoolSort())
    return symbol, other(*(z3.Var(number, sort) for number, sort in enumerate(sorts)))


def t7() -> list[Obligation]:
    """Totality: at most one verdict, whatever is hidden and however the instances interleave."""
    choice = is_choice(NOW, f, i, c)
    elsewhere = [_renamed(one) for one in (true_owner, true_culprit, earlier)]
    return [
        Obligation(
            name="T7/one verdict",
            sentence="No two restores are the verdict on one state",
            premises={"a verdict": choice, "a verdict too": is_choice(NOW, g, j, d)},
            conclusion=both(f == g, i == j, c == d),
        ),
        Obligation(
            name="T7/observed",
            sentence="The verdict is the same under any hidden truth and any interleaving",
            premises={"a verdict": choice},
            conclusion=z3.substitute_funs(choice, *elsewhere),
        ),
    ]


def rests(state: State, instance: Term) -> Formula:
    """Whether the instance is at its entry, a commit or an exit: nothing of it is uncommitted."""
    return every(
        lambda e: implies(
            both(state.alive(e), owner(e) == instance), either(is_enter(e), committed(state, e))
        ),
        Entry,
    )


def cooperative(state: State, in_control: Term) -> Formula:
    """Whether all instances but the one in control rest."""
    return every(lambda j: implies(j != in_control, rests(state, j)), Instance)


def _cooperative_steps() -> dict[str, Step]:
    """Every event; an instance steps when it is in control, or takes control of one that rests."""
    takes = {"control": both(either(control == i, rests(NOW, control)), control_after == i)}
    keeps = {"control": control_after == control}
    failed = {"control": both(control == i, control_after == i)}
    given = {"enter": takes, "act": takes, "commit": takes, "exit": takes, "restore": failed}
    return {
        event: Step(step.premises | given.get(event, keeps), step.after)
        for event, step in next_steps(NOW).items()
    }


def t8() -> list[Obligation]:
    """Cooperative case: where control is handed over at rest, the paper's conditions suffice."""
    begins = cooperative(events(NOW)["rerun"].after, control)
    keeps = [
        Obligation(
            name=f"T8/{event}",
            sentence=f"After {event}, all but the instance in control rest, if they did",
            premises={"cooperative": cooperative(NOW, control)} | step.premises,
            conclusion=cooperative(step.after, control_after),
        )
        for event, step in _cooperative_steps().items()
    ]
    found = admission(NOW, f, c, i)
    last = Obligation(
        name="T8/no live conflict",
        sentence="Where the failed instance is in control, no_live_conflict holds",
        premises={
            "cooperative": cooperative(NOW, control),
            "in control": control == i,
            "aligned": found["aligned"],
        },
        conclusion=found["no_live_conflict"],
    )
    first = Obligation(
        name="T8/init",
        sentence="At first, all instances rest",
        premises={},
        conclusion=begins,
    )
    return [first, *keeps, last]


def no_committed_consumer(state: State, instance: Term) -> Formula:
    """The paper's condition without the checkpoint: nobody has committed on the instance."""
    return no(
        some(
            lambda e, k, w: both(
                state.alive(e),
                owner(e) != instance,
                reads(e, k, w),
                owner(w) == instance,
                committed(state, e),
            ),
            Entry,
            Key,
            Entry,
        )
    )


def t9() -> list[Obligation]:
    """The instance-wide reading is sound, because it is stronger."""
    found = admission(NOW, f, c, i)
    wide = {name: part for name, part in found.items() if name != "no_committed_conflict"}
    wide |= {"no_committed_consumer": no_committed_consumer(NOW, i)}
    step = restore(NOW, c)
    return [
        Obligation(
            name="T9/stronger",
            sentence="Where nobody has committed on the instance, nobody has on what is undone",
            premises={"no_committed_consumer": wide["no_committed_consumer"]},
            conclusion=no_committed_conflict(NOW, i, cut(c, i)),
        ),
        Obligation(
            name="T9/sound",
            sentence="After a restore that the instance-wide reading admits, the invariant holds",
            premises=invariant(NOW) | wide | step.premises,
            conclusion=both(*invariant(step.after).values()),
        ),
    ]
