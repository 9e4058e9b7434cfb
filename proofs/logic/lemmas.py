"""Lemmas L1 to L4: what ties the logic's individuals to the names and lengths of the core."""

from __future__ import annotations

from logic.dart import initial
from logic.history import closes
from logic.invariant import NAMES, Conjunct, invariant
from logic.obligation import Obligation
from logic.step import any_steps, i
from logic.valid import exists
from logic.vocabulary import NOW, Entry, Formula, Key, State, both, every, implies, owner, reads


def _inductive(lemma: str, parts: tuple[Conjunct, ...]) -> list[Obligation]:
    begins = [
        Obligation(
            name=f"{lemma}/init/{part.name}",
            sentence=f"At first, {part.sentence}",
            premises={},
            conclusion=part.holds(initial()),
        )
        for part in parts
    ]
    return begins + [
        Obligation(
            name=f"{lemma}/{event}/{part.name}",
            sentence=f"After every {event}, admitted or not, {part.sentence}",
            premises={one.name: one.holds(NOW) for one in parts} | step.premises,
            conclusion=part.holds(step.after),
        )
        for event, step in any_steps(NOW).items()
        for part in parts
    ]


def l1() -> list[Obligation]:
    """A version is named once, so the core's question by name is the logic's by individual."""
    return [
        *_inductive("L1", NAMES),
        Obligation(
            name="L1/exists",
            sentence="An act of this epoch stands if and only if the core finds one of its name",
            premises={part.name: part.holds(NOW) for part in NAMES},
            conclusion=every(
                lambda e: implies(NOW.of_epoch(e), exists(NOW, e) == NOW.alive(e)), Entry
            ),
        ),
    ]


def _closes_as_before(after: State) -> Formula:
    return every(
        lambda e: implies(both(NOW.alive(e), after.alive(e)), closes(NOW, e) == closes(after, e)),
        Entry,
    )


def l2() -> list[Obligation]:
    """Whether an entry closes a handoff is settled when it is written, as `closing` has it."""
    return [
        Obligation(
            name=f"L2/{event}/closes",
            sentence=f"No {event} changes whether an entry that stands before and after closes",
            premises=step.premises,
            conclusion=_closes_as_before(step.after),
        )
        for event, step in any_steps(NOW).items()
    ]


def l3() -> list[Obligation]:
    """A conflict guard counts by place, and in a valid history never a version that is gone."""
    return [
        Obligation(
            name="L3/counted",
            sentence="Where the invariant holds, every version that a conflict guard counts stands",
            premises=invariant(NOW),
            conclusion=every(
                lambda e, k, w: implies(
                    both(NOW.alive(e), reads(e, k, w), owner(w) == i), NOW.alive(w)
                ),
                Entry,
                Key,
                Entry,
            ),
        )
    ]
