"""
Structures as histories of the core.

`IS_HISTORY` asks a solver for a model that is one, `IS_PLAYED` for one that events alone lead to.
Each instance gets a skeleton of its own, a commit or exit closes where its state is `ready`, and
the places of the structure are the indexes of the core.
"""

from __future__ import annotations

from collections.abc import Iterator

import z3

from dart_core import (
    Act,
    Boundary,
    Checkpoint,
    Commit,
    Contract,
    Effect,
    EffectClass,
    Enter,
    Entry,
    EntryKind,
    Event,
    Exit,
    Fail,
    Failure,
    FrozenMap,
    History,
    InstanceId,
    Predicate,
    Read,
    Save,
    Scope,
    Skeleton,
    Tag,
    Version,
)
from logic import vocabulary as v
from logic.history import at, entered, live, sole_candidate, sole_owner, stands, up_to
from logic.step import c, f
from logic.structure import Structure
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
    one,
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
        lambda d, e: implies(both(_in_one_log(d, e), place(d) == place(e)), d == e), v.Entry, v.Entry
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
                implies(cut(s, j) != zero, both(_covers(s, j), some(lambda e: at(NOW, j, cut(s, j), e), v.Entry))),
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

_OPENED = {
    "opens_entry": Boundary.ENTRY,
    "opens_commit": Boundary.COMMIT,
    "opens_exit": Boundary.EXIT,
}
_KINDS = {
    "is_enter": EntryKind.ENTER,
    "is_act": EntryKind.ACT,
    "is_commit": EntryKind.COMMIT,
    "is_exit": EntryKind.EXIT,
}


class Decoded:
    """A structure, read as a history of the core."""

    def __init__(self, structure: Structure) -> None:
        self.tables = structure.tables
        self.sizes = structure.sizes
        self.instances = [
            InstanceId(skeleton=f"s{number}", entity="x", ordinal=1)
            for number in range(structure.sizes["Instance"])
        ]

    def _row(self, name: str, first: int) -> list[int]:
        """The second arguments of which a binary predicate holds with this first one."""
        return sorted(row[1] for row in self.tables[name] if row[0] == first)

    def _some(self, name: str, first: int) -> int | None:
        return next(iter(self._row(name, first)), None)

    def _is(self, name: str, *row: int) -> bool:
        return row in self.tables[name]

    def owner(self, entry: int) -> InstanceId:
        """Whose entry it is."""
        return self.instances[self.tables["owner"][(entry,)]]

    def attempt(self, instance: int, attempt: int | None = None) -> int:
        """A number for an attempt of the instance; the present one has the highest."""
        present = self.tables["attempt"][(instance,)]
        return self.sizes["Attempt"] + 1 if attempt in (None, present) else attempt + 1

    def version(self, entry: int) -> Version:
        """What the entry wrote, by the name that the core gives it."""
        instance = self.tables["owner"][(entry,)]
        return Version(
            writer=self.instances[instance],
            attempt=self.attempt(instance, self.tables["made_in"][(entry,)]),
            index=self.tables["place"][(entry,)],
            at=entry + 1,
        )

    def contract(self) -> Contract:
        """A skeleton for each instance: what policy opens and the classes of its effects."""
        ready = Predicate(states=frozenset({"ready"}))
        skeletons = {}
        for number, instance in enumerate(self.instances):
            classes = {
                f"x{effect}": found
                for found in (EffectClass.REVERSIBLE, EffectClass.IDEMPOTENT, EffectClass.COMPENSABLE)
                for effect in self._row(found.value, number)
            }
            skeletons[instance.skeleton] = Skeleton(
                commit=ready,
                exit=ready,
                rollback_to=frozenset(k for name, k in _OPENED.items() if self._is(name, number)),
                effects=FrozenMap(classes),
            )
        return Contract(
            skeletons=FrozenMap(skeletons), compensate=bool(self.tables["compensate"])
        )

    def entry(self, number: int) -> Entry:
        """The entry as the core keeps it."""
        kind = next(kind for name, kind in _KINDS.items() if self._is(name, number))
        claims = kind in {EntryKind.COMMIT, EntryKind.EXIT}
        state = "ready" if self._is("closing", number) else "busy"
        version = self.version(number)
        return Entry(
            kind=kind,
            attempt=version.attempt,
            state=state if claims else None,
            id=f"a{number}" if kind is EntryKind.ACT else None,
            reads=tuple(
                Read(f"k{row[1]}", self.version(row[2]))
                for row in sorted(self.tables["reads"])
                if row[0] == number
            ),
            writes=tuple(f"k{key}" for key in self._row("writes", number)),
            effects=tuple(f"x{effect}" for effect in self._row("has_effect", number)),
            at=version.at,
        )

    def alive(self) -> list[int]:
        """The entries that stand, in the order of time."""
        return sorted(row[0] for row in self.tables["alive"])

    def checkpoint(self, number: int) -> Checkpoint:
        """The checkpoint as the core keeps it."""
        truth = self._some("true_owner", number)
        return Checkpoint(
            id=f"c{number}",
            tag=Tag(),
            owners=frozenset(self.instances[one] for one in self._row("owned_by", number)),
            cut=FrozenMap(
                (instance, where)
                for place, instance in enumerate(self.instances)
                if (where := self.tables["cut"][(number, place)])
            ),
            scope=Scope.TASK if self._is("whole_task", number) else Scope.INSTANCE,
            stable=self._is("is_stable", number),
            truth=None if truth is None else self.instances[truth],
        )

    def failure(self, number: int) -> Failure:
        """The failure as the core keeps it."""
        truth, doubted = self._some("true_culprit", number), self._some("in_doubt", number)
        suspect = None if doubted is None else self.version(doubted)
        return Failure(
            observed=Fail(),
            candidates=frozenset(self.instances[one] for one in self._row("candidate", number)),
            suspect=None if suspect is None else (suspect.writer, suspect.index),
            truth=None if truth is None else self.instances[truth],
        )

    def history(self) -> History:
        """The structure as a state of the core."""
        standing = self.alive()
        logs = {
            i: tuple(
                self.entry(n)
                for n in sorted(standing, key=lambda n: self.version(n).index)
                if self.owner(n) == i
            )
            for i in self.instances
        }
        keys = {key for n in standing for key in self.entry(n).writes}
        saved = [self.checkpoint(row[0]) for row in sorted(self.tables["there"])]
        return History(
            contract=self.contract(),
            log=FrozenMap((i, log) for i, log in logs.items() if log),
            attempt=FrozenMap((i, self.attempt(n)) for n, i in enumerate(self.instances)),
            store=FrozenMap(
                (key, tuple(self.version(n) for n in standing if key in self.entry(n).writes))
                for key in keys
            ),
            checkpoints=FrozenMap((one.id, one) for one in saved),
            saved=FrozenMap(
                (i, tuple(one.id for one in saved if i in one.owners)) for i in self.instances
            ),
            failures=tuple(self.failure(row[0]) for row in sorted(self.tables["pending"])),
            world=frozenset(self._world()),
            acts=FrozenMap(
                (entry.id, (i, place))
                for i, log in logs.items()
                for place, entry in enumerate(log, start=1)
                if entry.id is not None
            ),
            clock=self.sizes["Entry"],
        )

    def _world(self) -> Iterator[Effect]:
        for (number,) in self.tables["alive"] | self.tables["gone"]:
            act = self.version(number)
            for name in self.entry(number).effects:
                yield Effect(
                    epoch=1, instance=act.writer, attempt=act.attempt, index=act.index, name=name
                )
