"""
Structures as histories of the core.

Each instance gets a skeleton of its own, a commit or exit closes where its state is `ready`, and
the places of the structure are the indexes of the core.
"""

from __future__ import annotations

from collections.abc import Iterator

from dart_core import (
    Checkpoint,
    Contract,
    Effect,
    EffectClass,
    Entry,
    EntryKind,
    Fail,
    Failure,
    FrozenMap,
    History,
    InstanceId,
    Predicate,
    Read,
    Scope,
    Skeleton,
    Tag,
    Version,
)
from logic.encode import KINDS, OPENED
from logic.structure import Structure


class Decoded:
    """A structure, read as a history of the core."""

    def __init__(self, structure: Structure) -> None:
        self.relations = structure.relations
        self.functions = structure.functions
        self.constants = structure.constants
        self.sizes = structure.sizes
        self.instances = [
            InstanceId(skeleton=f"s{number}", entity="x", ordinal=1)
            for number in range(structure.sizes["Instance"])
        ]

    def _row(self, name: str, first: int) -> list[int]:
        """The second arguments of which a binary predicate holds with this first one."""
        return sorted(row[1] for row in self.relations[name] if row[0] == first)

    def first(self, name: str, first: int) -> int | None:
        """The only second argument, or the first of them; None where there is none."""
        return next(iter(self._row(name, first)), None)

    def _is(self, name: str, *row: int) -> bool:
        return row in self.relations[name]

    def owner(self, entry: int) -> InstanceId:
        """Whose entry it is."""
        return self.instances[self.functions["owner"][(entry,)]]

    def attempt(self, instance: int, attempt: int | None = None) -> int:
        """A number for an attempt of the instance; the present one has the highest."""
        present = self.functions["attempt"][(instance,)]
        return self.sizes["Attempt"] + 1 if attempt in (None, present) else attempt + 1

    def version(self, entry: int) -> Version:
        """What the entry wrote, by the name that the core gives it."""
        instance = self.functions["owner"][(entry,)]
        return Version(
            writer=self.instances[instance],
            attempt=self.attempt(instance, self.functions["made_in"][(entry,)]),
            index=self.functions["place"][(entry,)],
            at=entry + 1,
        )

    def contract(self) -> Contract:
        """A skeleton for each instance: what policy opens and the classes of its effects."""
        ready = Predicate(states=frozenset({"ready"}))
        skeletons = {}
        for number, instance in enumerate(self.instances):
            classes = {
                f"x{effect}": found
                for found in (
                    EffectClass.REVERSIBLE,
                    EffectClass.IDEMPOTENT,
                    EffectClass.COMPENSABLE,
                )
                for effect in self._row(found.value, number)
            }
            skeletons[instance.skeleton] = Skeleton(
                commit=ready,
                exit=ready,
                rollback_to=frozenset(k for name, k in OPENED.items() if self._is(name, number)),
                effects=FrozenMap(classes),
            )
        return Contract(
            skeletons=FrozenMap(skeletons), compensate=bool(self.constants["compensate"])
        )

    def entry(self, number: int) -> Entry:
        """The entry as the core keeps it."""
        kind = next(kind for name, kind in KINDS.items() if self._is(name, number))
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
                for row in sorted(self.relations["reads"])
                if row[0] == number
            ),
            writes=tuple(f"k{key}" for key in self._row("writes", number)),
            effects=tuple(f"x{effect}" for effect in self._row("has_effect", number)),
            at=version.at,
        )

    def alive(self) -> list[int]:
        """The entries that stand, in the order of time."""
        return sorted(row[0] for row in self.relations["alive"])

    def checkpoint(self, number: int) -> Checkpoint:
        """The checkpoint as the core keeps it."""
        truth = self.first("true_owner", number)
        return Checkpoint(
            id=f"c{number}",
            tag=Tag(),
            owners=frozenset(self.instances[one] for one in self._row("owned_by", number)),
            cut=FrozenMap(
                (instance, where)
                for place, instance in enumerate(self.instances)
                if (where := self.functions["cut"][(number, place)])
            ),
            scope=Scope.TASK if self._is("whole_task", number) else Scope.INSTANCE,
            stable=self._is("is_stable", number),
            truth=None if truth is None else self.instances[truth],
        )

    def failure(self, number: int) -> Failure:
        """The failure as the core keeps it."""
        truth, doubted = self.first("true_culprit", number), self.first("in_doubt", number)
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
        saved = [self.checkpoint(row[0]) for row in sorted(self.relations["there"])]
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
            failures=tuple(self.failure(row[0]) for row in sorted(self.relations["pending"])),
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
        for (number,) in self.relations["alive"] | self.relations["gone"]:
            act = self.version(number)
            for name in self.entry(number).effects:
                yield Effect(
                    epoch=1, instance=act.writer, attempt=act.attempt, index=act.index, name=name
                )
