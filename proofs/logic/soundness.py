"""Theorems T1, T6 and T10: what an admitted restore keeps."""

from __future__ import annotations

from collections.abc import Mapping

import z3

from logic.dart import fail, initial, restore
from logic.history import is_failing
from logic.invariant import SAFETY, invariant
from logic.obligation import Obligation
from logic.step import admission, c, f, i, next_steps
from logic.valid import HISTORY_IS_INVALID, RESTORE_IS_INVALID, invalid, invalid_restore
from logic.vocabulary import (
    NOW,
    Checkpoint,
    Entry,
    Failure,
    Formula,
    Instance,
    before,
    both,
    cut,
    every,
    implies,
    no,
    owner,
    place,
)


def t1() -> list[Obligation]:
    """Soundness: the invariant holds at first, every event keeps it, and it implies validity."""
    return [*_begins(), *_keeps(), *_is_valid(), *_restores_rightly()]


def _begins() -> list[Obligation]:
    return [
        Obligation(
            name=f"T1/init/{part.name}",
            sentence=f"At first, {part.sentence}",
            premises={},
            conclusion=part.holds(initial()),
        )
        for part in SAFETY
    ]


def _keeps() -> list[Obligation]:
    return [
        Obligation(
            name=f"T1/{event}/{part.name}",
            sentence=f"After every {'admitted ' * (event == 'restore')}{event}, {part.sentence}",
            premises=invariant(NOW) | step.premises,
            conclusion=part.holds(step.after),
        )
        for event, step in next_steps(NOW).items()
        for part in SAFETY
    ]


def _is_valid() -> list[Obligation]:
    return [
        Obligation(
            name=f"T1/valid/{name}",
            sentence=f"Where the invariant holds, the history is not invalid by {name}",
            premises=invariant(NOW),
            conclusion=no(violated(NOW)),
        )
        for name, violated in HISTORY_IS_INVALID.items()
    ]


def _restores_rightly() -> list[Obligation]:
    return [
        Obligation(
            name=f"T1/restore/{name}",
            sentence=f"An admitted restore is not invalid by {name}",
            premises=invariant(NOW) | admission(NOW, f, c, i),
            conclusion=no(violated(NOW, c)),
        )
        for name, violated in RESTORE_IS_INVALID.items()
    ]


def t6() -> list[Obligation]:
    """Confinement: an admitted restore changes the log of the failed instance and no other."""
    step = restore(NOW, c)
    admitted = admission(NOW, f, c, i) | step.premises
    return [
        Obligation(
            name="T6/others",
            sentence="An admitted restore leaves the log and attempt of every other instance alone",
            premises=admitted,
            conclusion=both(
                every(lambda e: implies(owner(e) != i, step.after.alive(e) == NOW.alive(e)), Entry),
                every(lambda j: implies(j != i, step.after.attempt(j) == NOW.attempt(j)), Instance),
            ),
        ),
        Obligation(
            name="T6/own",
            sentence="Of the failed instance, it leaves just what the snapshot keeps",
            premises=admitted,
            conclusion=every(
                lambda e: implies(
                    owner(e) == i,
                    step.after.alive(e) == both(NOW.alive(e), no(before(cut(c, i), place(e)))),
                ),
                Entry,
            ),
        ),
    ]


def _recovery(event: str) -> str:
    return "an admitted restore" if event == "restore" else f"a {event}"


def _all(parts: Mapping[str, Formula]) -> Formula:
    return both(*parts.values())


def t10() -> list[Obligation]:
    """Recurrence: after every recovery T1 holds again, however many there were."""
    rounds = [
        Obligation(
            name=f"T10/{event}",
            sentence=f"After {_recovery(event)}, no failure is pending and the invariant holds",
            premises=invariant(NOW) | step.premises,
            conclusion=both(_all(invariant(step.after)), no(is_failing(step.after))),
        )
        for event, step in next_steps(NOW).items()
        if event in {"restore", "rerun"}
    ]
    return [*rounds, _second_restore()]


def _second_restore() -> Obligation:
    g, d, j = z3.Const("g", Failure), z3.Const("d", Checkpoint), z3.Const("j", Instance)
    first = next_steps(NOW)["restore"]
    failed = fail(first.after, g)
    premises = {f"first {name}": part for name, part in first.premises.items()}
    premises |= {f"then {name}": part for name, part in failed.premises.items()}
    premises |= {f"second {name}": part for name, part in admission(failed.after, g, d, j).items()}
    return Obligation(
        name="T10/second",
        sentence="After an admitted restore and another failure, one is valid again",
        premises=invariant(NOW) | premises,
        conclusion=both(no(invalid(failed.after)), no(invalid_restore(failed.after, d))),
    )
