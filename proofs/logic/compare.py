"""
The encoding against the core: every predicate, and every step, on one state of a run.

Each comparison yields a name, what the logic says and what the core says.
The core's functions are taken from their modules when they are called, so that a test may break
one and see the difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import z3
from attrs import asdict

from dart_core import (
    Event,
    History,
    Restore,
    Verdict,
    Version,
    admit,
    align,
    baselines,
    certify,
    decide,
    localize,
    valid,
)
from dart_core import history as core
from logic import history as logic
from logic.admit import admissible, aligned, controller_legal, guards, identified, reads_after
from logic.certify import open_write, overrun
from logic.dart import is_latest
from logic.encode import Encoded, encode
from logic.limits import is_choice
from logic.step import any_steps, c, f, i
from logic.structure import holds
from logic.universe import Made
from logic.valid import HISTORY_IS_INVALID, RESTORE_IS_INVALID, culprit, exists, rewound
from logic.vocabulary import (
    NOW,
    Attempt,
    Checkpoint,
    Entry,
    Failure,
    Formula,
    Key,
    State,
    closing,
    cut,
    some,
)

e = z3.Const("e", Entry)
k = z3.Const("k", Key)
d = z3.Const("d", Checkpoint)
g = z3.Const("g", Failure)
a = z3.Const("a", Attempt)

HISTORY: dict[str, Formula] = {name: said(NOW) for name, said in HISTORY_IS_INVALID.items()}
INSTANCE: dict[str, Formula] = {
    "entered": logic.entered(NOW, i),
    "live": logic.live(NOW, i),
    "suspended": logic.suspended(NOW, i),
    "identified": some(lambda g: identified(NOW, g, i), Failure),
    "chosen": some(lambda g, d: is_choice(NOW, g, i, d), Failure, Checkpoint),
}
ENTRY: dict[str, Formula] = {
    "exists": exists(NOW, e),
    "committed": logic.committed(NOW, e),
    "closes": logic.closes(NOW, e),
    "closing": closing(e),
}
SNAPSHOT: dict[str, Formula] = {
    **{name: said(NOW, c) for name, said in RESTORE_IS_INVALID.items()},
    "controller_legal": controller_legal(NOW, c),
}
OWNED: dict[str, Formula] = {
    **guards(NOW, c, i),
    "admissible": admissible(NOW, c, i),
    "aligned": aligned(NOW, c, i),
    "rewound": rewound(NOW, c, i),
    "overrun": overrun(NOW, c, i),
    "choice": some(lambda g: is_choice(NOW, g, i, c), Failure),
}
UNDONE: dict[str, Formula] = {
    "remaining": logic.remaining(NOW, c, e),
    "reads_after": reads_after(NOW, e, i, cut(c, i)),
    "open_writes": open_write(NOW, i, cut(c, i), e),
}
LATEST = is_latest(NOW, k, e)
CULPRIT = culprit(f, i)
STEPS = any_steps(NOW)


class Compared(NamedTuple):
    """One answer of the logic beside the core's."""

    name: str
    logic: object
    core: object


def _says(state: Encoded, formula: Formula, **constants: int) -> bool:
    return holds(state.structure.extended(constants), formula)


def _history(run: Sequence[History], state: Encoded) -> Iterator[Compared]:
    found = {violation.value for violation in valid.violations(run[-1])}
    for name, formula in HISTORY.items():
        yield Compared(name, _says(state, formula), name in found)


def _instances(run: Sequence[History], state: Encoded) -> Iterator[Compared]:
    now = run[-1]
    failed, decision = localize.identified(now), decide(now)
    for number, instance in enumerate(state.instances):
        expected = {
            "entered": core.entered(now, instance),
            "live": core.live(now, instance),
            "suspended": core.suspended(now, instance),
            "identified": failed == instance,
            "chosen": decision is not None
            and decision.verdict is Verdict.RESTORE
            and decision.instance == instance,
        }
        for name, formula in INSTANCE.items():
            yield Compared(name, _says(state, formula, i=number), expected[name])
        for place, failure in enumerate(state.failures):
            if failure in now.failures:
                expected_culprit = valid.culprit(failure) == instance
                yield Compared(
                    "culprit", _says(state, CULPRIT, f=place, i=number), expected_culprit
                )


def _entries(run: Sequence[History], state: Encoded) -> Iterator[Compared]:
    now = run[-1]
    for number, made in enumerate(state.entries):
        version = Version(writer=made.instance, attempt=made.attempt, index=made.index)
        stands = valid.exists(now, version)
        yield Compared("exists", _says(state, ENTRY["exists"], e=number), stands)
        if not stands:
            continue
        closes = core.closes(now, made.instance, made.index)
        yield Compared("closes", _says(state, ENTRY["closes"], e=number), closes)
        yield Compared("closing", _says(state, ENTRY["closing"], e=number), closes)
        committed = made.index <= core.last_commit(now, made.instance)
        yield Compared("committed", _says(state, ENTRY["committed"], e=number), committed)


def _versions(run: Sequence[History], state: Encoded) -> Iterator[Compared]:
    for place, key in enumerate(state.keys):
        for number, made in enumerate(state.entries):
            version = Version(writer=made.instance, attempt=made.attempt, index=made.index)
            latest = run[-1].store.get(key, (None,))[-1] == version
            yield Compared("is_latest", _says(state, LATEST, k=place, e=number), latest)


def _snapshots(run: Sequence[History], state: Encoded) -> Iterator[Compared]:
    now = run[-1]
    legal = baselines.controller_legal(now)
    for number, checkpoint in enumerate(state.checkpoints):
        found = {violation.value for violation in valid.restore_violations(now, checkpoint)}
        for name in RESTORE_IS_INVALID:
            yield Compared(name, _says(state, SNAPSHOT[name], c=number), name in found)
        is_legal = _says(state, SNAPSHOT["controller_legal"], c=number)
        yield Compared("controller_legal", is_legal, checkpoint in legal)
        left = core.remaining(now, checkpoint)
        for place, made in enumerate(state.entries):
            version = Version(writer=made.instance, attempt=made.attempt, index=made.index)
            remains = valid.exists(now, version) and made.index <= left[made.instance]
            said = _says(state, UNDONE["remaining"], c=number, e=place)
            yield Compared("remaining", said, remains)


def _owned(run: Sequence[History], state: Encoded) -> Iterator[Compared]:
    now, decision = run[-1], decide(run[-1])
    chosen = None if decision is None else (decision.instance, decision.checkpoint)
    for number, checkpoint in enumerate(state.checkpoints):
        for place, instance in enumerate(state.instances):
            if instance not in checkpoint.owners:
                continue
            expected: dict[str, object] = {
                **asdict(admit.guards(now, checkpoint, instance)),
                "admissible": admit.admissible(now, checkpoint, instance),
                "aligned": checkpoint in align.aligned(now, instance),
                "rewound": instance in valid.rewound(now, checkpoint),
                "overrun": bool(certify.overrun(now, checkpoint, instance)),
                "choice": chosen == (instance, checkpoint.id),
            }
            for name, formula in OWNED.items():
                yield Compared(name, _says(state, formula, c=number, i=place), expected[name])
            yield from _undone(now, state, number, place)


def _undone(now: History, state: Encoded, number: int, place: int) -> Iterator[Compared]:
    instance = state.instances[place]
    where = state.checkpoints[number].cut[instance]
    torn = certify.open_writes(now, instance, where)
    for entry, made in enumerate(state.entries):
        log = core.log_of(now, made.instance)
        if made.index > len(log) or log[made.index - 1].attempt != made.attempt:
            continue
        counts = made.instance != instance and bool(
            admit.reads_after(now, made.instance, made.index, instance, where)
        )
        said = _says(state, UNDONE["reads_after"], c=number, i=place, e=entry)
        yield Compared("reads_after", said, counts)
        said = _says(state, UNDONE["open_writes"], c=number, i=place, e=entry)
        yield Compared("open_writes", said, made.instance == instance and made.index in torn)


def predicates(run: Sequence[History]) -> Iterator[Compared]:
    """Every predicate of the last state of the run, on all that it can be asked of."""
    state = encode(run)
    for part in (_history, _instances, _entries, _versions, _snapshots, _owned):
        yield from part(run, state)


def _subjects(event: Event, state: Encoded, before: History, after: History) -> dict[str, int]:
    """The individuals that the event is about, by the constants of the steps."""
    found: dict[str, int] = {}
    instance = getattr(event, "instance", None)
    if instance is not None:
        log = after.log[instance]
        found["i"] = state.instances.index(instance)
        found["new"] = state.entries.index(Made(instance, log[-1].attempt, len(log)))
    for number, checkpoint in enumerate(state.checkpoints):
        saved = checkpoint.at == after.clock
        restored = isinstance(event, Restore) and before.checkpoints[event.checkpoint] == checkpoint
        if saved or restored:
            found["c"] = number
    for number, failure in enumerate(state.failures):
        if failure.at == after.clock:
            found["f"] = number
    return found


def step(run: Sequence[History], event: Event) -> Iterator[Compared]:
    """The event between the last two states of the run: that it is a step, and what it leaves."""
    before, after = encode(run, -2), encode(run)
    subjects = _subjects(event, before, run[-2], run[-1])
    done = STEPS[type(event).__name__.lower()]
    for name, premise in done.premises.items():
        yield Compared(f"{type(event).__name__}: {name}", _says(before, premise, **subjects), True)
    for name, (formula, constant, things, left) in _left(done.after, before, after).items():
        here = {
            thing
            for number, thing in enumerate(things)
            if _says(before, formula, **{constant: number}, **subjects)
        }
        yield Compared(f"{type(event).__name__}: {name}", here, left)
    yield from _attempts(run, event, before, subjects)


def _attempts(
    run: Sequence[History], event: Event, before: Encoded, subjects: dict[str, int]
) -> Iterator[Compared]:
    formula = STEPS[type(event).__name__.lower()].after.attempt(i) == a
    for number, instance in enumerate(before.instances):
        expected = run[-1].attempt.get(instance, 1)
        said = _says(before, formula, **(subjects | {"i": number, "a": expected}))
        yield Compared(f"{type(event).__name__}: attempt", said, True)


def _left(
    done: State, before: Encoded, after: Encoded
) -> dict[str, tuple[Formula, str, Sequence[object], set[object]]]:
    """For each part of the state: what the step says of one thing, and which the core leaves."""

    def table(name: str, sort: str) -> set[object]:
        return {after.individuals[sort][row[0]] for row in after.structure.relations[name]}

    return {
        "alive": (done.alive(e), "e", before.entries, table("alive", "Entry")),
        "gone": (done.gone(e), "e", before.entries, table("gone", "Entry")),
        "there": (
            done.there(d),
            "d",
            before.individuals["Checkpoint"],
            table("there", "Checkpoint"),
        ),
        "pending": (
            done.pending(g),
            "g",
            before.individuals["Failure"],
            table("pending", "Failure"),
        ),
    }
