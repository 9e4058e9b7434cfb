"""Theorems T2, T3 and T5: that nothing valid is blocked, and what a blind runtime does."""

from __future__ import annotations

import z3

from logic.admit import (
    admissible,
    controller_legal,
    guards,
    repairs,
    rolls_back,
)
from logic.dart import Step, act, can_step, claim, restore
from logic.history import committed, live, sole_owner, up_to
from logic.invariant import invariant
from logic.obligation import Obligation
from logic.step import admission, c, f, i
from logic.valid import (
    crosses_policy,
    culprit,
    erased_effect,
    leaves_suspect,
    orphaned_commit,
    torn_handoff,
    wrong_instance,
)
from logic.vocabulary import (
    NOW,
    Checkpoint,
    Effect,
    Entry,
    Formula,
    Instance,
    Key,
    Term,
    before,
    both,
    candidate,
    closing,
    cut,
    either,
    every,
    has_effect,
    implies,
    is_commit,
    no,
    owner,
    place,
    reads,
    some,
    whole_task,
    writes,
)

j = z3.Const("j", Instance)
e = z3.Const("e", Entry)
w = z3.Const("w", Entry)
k = z3.Const("k", Key)
again = z3.Const("again", Entry)
end = z3.Const("end", Entry)
CERTIFIED = ("decidable", "closed", "separable", "controllable")


def _blocked(guard: str) -> dict[str, Formula]:
    admitted = admission(NOW, f, c, i)
    known = {
        name: admitted[name]
        for name in ("suspected", "identified", "aligned", "stable", "decidable")
    }
    return invariant(NOW) | known | {f"{guard} blocks": no(admitted[guard])}


def _exact(
    guard: str, what: str, premises: dict[str, Formula], conclusion: Formula, part: str = ""
) -> Obligation:
    return Obligation(
        name=f"T2/{guard}{part}",
        sentence=f"Where {guard} blocks, {what}",
        premises=_blocked(guard) | premises,
        conclusion=conclusion,
    )


def t2() -> list[Obligation]:
    """Exactness: whatever a guard blocks would have been invalid, at once or two events later."""
    step = restore(NOW, c)
    other = wrong_instance(NOW, c)
    return [
        _exact("separable", "restoring takes back another instance (V4)", {}, other),
        _exact(
            "controllable", "restoring lands where policy does not (V6)", {}, crosses_policy(NOW, c)
        ),
        _exact("repairs", "restoring leaves the act in doubt (V5)", {}, leaves_suspect(NOW, c)),
        _exact(
            "no_committed_conflict",
            "restoring orphans a commit (V1) or takes back another instance (V4)",
            step.premises,
            either(orphaned_commit(step.after), other),
        ),
        _exact(
            "effect_allowed",
            "restoring erases an effect that has to stand (V3)",
            step.premises,
            erased_effect(step.after),
        ),
        *_live_reader(step),
        *_open_handoff(step),
    ]


def _live_reader(step: Step) -> list[Obligation]:
    """The reader `e` of the instance `j` commits after the restore."""
    commit = claim(step.after, j, end, is_commit(end))
    reader = {
        "the reader": both(
            NOW.alive(e),
            owner(e) == j,
            j != i,
            reads(e, k, w),
            no(committed(NOW, e)),
            owner(w) == i,
            before(cut(c, i), place(w)),
        ),
        **step.premises,
    }
    other = wrong_instance(NOW, c)
    return [
        _exact(
            "no_live_conflict",
            "the reader can commit after the restore, unless that takes back another instance (V4)",
            reader,
            either(other, can_step(step.after, j)),
            "/enabled",
        ),
        _exact(
            "no_live_conflict",
            "the reader's commit would be orphaned (V1), unless restoring takes it back (V4)",
            reader | {f"then {name}": part for name, part in commit.premises.items()},
            either(other, orphaned_commit(commit.after)),
        ),
    ]


def _open_handoff(step: Step) -> list[Obligation]:
    """The instance writes again after the restore, and then closes its handoff."""
    write = act(step.after, i, again)
    close = claim(write.after, i, end, is_commit(end))
    goes_on = {**step.premises, "the instance is live after the restore": live(step.after, i)}
    writes_on = goes_on | {f"first {name}": part for name, part in write.premises.items()}
    writes_on |= {"it writes": writes(again, k)}
    closes = writes_on | {f"then {name}": part for name, part in close.premises.items()}
    return [
        _exact(
            "closed",
            "the instance can act after the restore",
            goes_on,
            can_step(step.after, i),
            "/enabled",
        ),
        _exact(
            "closed",
            "it can then claim a commit",
            writes_on,
            can_step(write.after, i),
            "/then enabled",
        ),
        _exact(
            "closed",
            "the handoff that it closes then is torn (V2)",
            closes | {"its predicate holds": closing(end)},
            torn_handoff(close.after),
        ),
    ]


def t3() -> list[Obligation]:
    """Necessity: a runtime that restores what it can goes wrong in every sensitive history."""
    step = restore(NOW, c)
    sensitive = {
        "the failed instance": both(NOW.pending(f), candidate(f, i), culprit(f, i)),
        "a committed reader": both(
            NOW.alive(e), owner(e) != i, reads(e, k, w), owner(w) == i, committed(NOW, e)
        ),
        "an own stable checkpoint": both(
            NOW.there(c), guards(NOW, c, i)["stable"], sole_owner(c, i)
        ),
        "before that write": before(cut(c, i), place(w)),
    }
    orphaned, other = orphaned_commit(step.after), wrong_instance(NOW, c)
    return [
        Obligation(
            name="T3/legal",
            sentence="In a commitment-sensitive history, the controller may restore the checkpoint",
            premises=sensitive,
            conclusion=controller_legal(NOW, c),
        ),
        Obligation(
            name="T3/instance",
            sentence="Restoring it orphans a commit (V1), where it rewinds its owner alone",
            premises=sensitive | step.premises | {"scope": no(whole_task(c))},
            conclusion=orphaned,
        ),
        Obligation(
            name="T3/task",
            sentence="Restoring it orphans a commit (V1), or takes back another instance (V4)",
            premises=sensitive | step.premises,
            conclusion=either(orphaned, other),
        ),
    ]


def must_survive(entry: Term) -> Formula:
    """Whether the act of `i` may not be undone: another has read it, or its effect is fixed."""
    return both(
        NOW.alive(entry),
        owner(entry) == i,
        either(
            some(lambda r, q: both(NOW.alive(r), owner(r) != i, reads(r, q, entry)), Entry, Key),
            some(lambda x: both(has_effect(entry, x), no(rolls_back(i, x))), Effect),
        ),
    )


def _eligible(checkpoint: Term) -> Formula:
    found = admission(NOW, f, checkpoint, i)
    return both(*(found[name] for name in ("aligned", "stable", *CERTIFIED)))


def t5() -> list[Obligation]:
    """Window: the admissible checkpoints lie between the pin and the act in doubt."""
    known = {
        **invariant(NOW),
        "identified": admission(NOW, f, c, i)["identified"],
        "eligible": _eligible(c),
    }
    return [*_window(known), _unbroken(known), _latest(known)]


def _window(known: dict[str, Formula]) -> list[Obligation]:
    pin, where = z3.Const("pin", Entry), cut(c, i)
    is_pin = both(
        must_survive(pin),
        every(lambda p: implies(must_survive(p), up_to(place(p), place(pin))), Entry),
    )
    before_suspect = repairs(NOW, i, where)
    return [
        Obligation(
            name="T5/window",
            sentence="A certified, stable one is admissible just from the pin to the act in doubt",
            premises=known | {"pin": is_pin},
            conclusion=admissible(NOW, c, i) == both(up_to(place(pin), where), before_suspect),
        ),
        Obligation(
            name="T5/no pin",
            sentence="Where no act has to survive, it is admissible just before the act in doubt",
            premises=known | {"no pin": no(some(must_survive, Entry))},
            conclusion=admissible(NOW, c, i) == before_suspect,
        ),
    ]


def _unbroken(known: dict[str, Formula]) -> Obligation:
    near, far, where = z3.Const("near", Checkpoint), z3.Const("far", Checkpoint), cut(c, i)
    return Obligation(
        name="T5/unbroken",
        sentence="What is certified, stable and between two admissible ones is admissible",
        premises=known
        | {
            "admissible": both(admissible(NOW, near, i), admissible(NOW, far, i)),
            "between": both(up_to(cut(far, i), where), up_to(where, cut(near, i))),
        },
        conclusion=admissible(NOW, c, i),
    )


def _latest(known: dict[str, Formula]) -> Obligation:
    far, where = z3.Const("far", Checkpoint), cut(c, i)

    def is_before_suspect(checkpoint: Term) -> Formula:
        return repairs(NOW, i, cut(checkpoint, i))

    def is_no_later(checkpoint: Term) -> Formula:
        counts = both(_eligible(checkpoint), is_before_suspect(checkpoint))
        return implies(counts, up_to(cut(checkpoint, i), where))

    return Obligation(
        name="T5/latest",
        sentence="If the latest certified, stable one before the act in doubt is not, none is",
        premises=known
        | {
            "before the act in doubt": is_before_suspect(c),
            "latest": every(is_no_later, Checkpoint),
            "another is": both(_eligible(far), admissible(NOW, far, i)),
        },
        conclusion=admissible(NOW, c, i),
    )
