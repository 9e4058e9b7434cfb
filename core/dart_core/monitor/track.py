"""
What the monitor keeps of one instance.

A surviving log is kept as stacks, one for each kind of thing that an entry can bring, and each
item bears the number of its event.
To cut the log is to pop from each stack what is later than the cut, so it costs what it removes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import attrgetter
from typing import Protocol

from attrs import define, field

from dart_core.contract import (
    Boundary,
    Contract,
    EffectClass,
    Predicate,
    bind,
    skeleton_of,
)
from dart_core.dart import RefusalReason
from dart_core.history import InstanceId

__all__ = [
    "Key",
    "Named",
    "Plan",
    "Saved",
    "Tagged",
    "Track",
    "Version",
    "full_key",
    "pop_after",
    "since",
]

Key = tuple[str, str, int]


HARMLESS = frozenset((EffectClass.REVERSIBLE, EffectClass.IDEMPOTENT))


class Named(Protocol):
    """Whatever names an instance in full."""

    @property
    def skeleton(self) -> str:
        """The reviewed kind of subtask."""

    @property
    def entity(self) -> str:
        """What it is bound to."""

    @property
    def ordinal(self) -> int:
        """Which occurrence it is."""


class Tagged(Protocol):
    """Whatever names an instance as far as it was seen."""

    @property
    def skeleton(self) -> str | None:
        """The reviewed kind of subtask."""

    @property
    def entity(self) -> str | None:
        """What it is bound to."""

    @property
    def ordinal(self) -> int | None:
        """Which occurrence it is."""


def full_key(tag: Tagged) -> Key | None:
    """The name of the instance that the tag names; None where a part is unknown."""
    if tag.skeleton is None or tag.entity is None or tag.ordinal is None:
        return None
    return (tag.skeleton, tag.entity, tag.ordinal)


@define(eq=False, weakref_slot=False)
class Plan:
    """What the contract says of a skeleton, in the form in which the monitor asks for it."""

    commit: Predicate
    exit: Predicate
    reads: frozenset[str]
    classes: dict[str, EffectClass]
    harmless: frozenset[str]
    opened: frozenset[Boundary]
    asks_states: bool
    asks_writes: bool

    @classmethod
    def of(cls, contract: Contract, name: str) -> Plan:
        """The plan of the skeleton of this name."""
        skeleton = skeleton_of(contract, name)
        predicates = (skeleton.commit, skeleton.exit)
        return cls(
            skeleton.commit,
            skeleton.exit,
            skeleton.reads,
            dict(skeleton.effects),
            frozenset(effect for effect, found in skeleton.effects.items() if found in HARMLESS),
            skeleton.rollback_to,
            any(predicate.states is not None for predicate in predicates),
            any(predicate.writes is not None for predicate in predicates),
        )

    def default_reads(self, entity: str) -> list[str]:
        """What an act for this entity is taken to have read that does not say."""
        return list({bind(key, entity) for key in self.reads})


@define(eq=False, weakref_slot=False)
class Version:
    """
    What one act wrote under one key, linked to the key's versions before and after it.

    `readers` are the surviving reads of it by other instances, each with the number of its event,
    oldest first; they outlive the version where a recorded restore left them standing.
    """

    writer: Track
    index: int
    at: int
    key: str
    older: Version | None
    newer: Version | None = field(init=False, default=None)
    readers: list[tuple[int, Track]] = field(init=False, factory=list)

    def read(self, reader: Track, at: int) -> None:
        """Another instance has read it, in event `at`."""
        if not self.readers:
            self.writer.is_read(self)
        self.readers.append((at, reader))
        reader.reads.append((at, self))

    def unread(self, at: int) -> None:
        """Forget the read of event `at`."""
        del self.readers[bisect_left(self.readers, at, key=key_of_at)]
        if not self.readers:
            self.writer.is_unread(self)


@define(eq=False, weakref_slot=False)
class Saved:
    """
    A checkpoint that is still there.

    Its cut of an instance's log is what the log has up to event `at`: of a checkpoint that is
    still there, no log that it covers has lost any of that.
    `certified` is what a later event cannot change of that word, and the snapshot is stable;
    only then, and where the owner is known, `cut` is kept.
    """

    id: str
    at: int
    task: bool
    stable: bool
    owners: tuple[Track, ...]
    cut: int = field(init=False, default=0)
    certified: bool = field(init=False, default=False)


at_of = attrgetter("at")


def key_of_at(stamped: tuple[int, object]) -> int:
    """The number of the event of a stamped item."""
    return stamped[0]


def place(version: Version) -> tuple[int, int, str]:
    """The order of versions among those of one writer."""
    return version.index, version.at, version.key


@define(eq=False, weakref_slot=False)
class Track:
    """
    One instance that has entered and is not gone.

    `entries`, `claims` (commits and exits) and `closings` are numbers of events.
    `reads` are those of other instances' versions.
    `read_by` are its versions that others have read, by their places, gone ones too.
    `own` and `snapshots` are the certified ones of `saved`, by scope.
    `ids` leads from the names of acts to their events.
    `stopped` is why the instance cannot act, commit or exit; None where it can.
    """

    key: Key
    plan: Plan
    entries: list[int]
    closings: list[int]
    claims: list[int] = field(init=False, factory=list)
    writes: list[Version] = field(init=False, factory=list)
    reads: list[tuple[int, Version]] = field(init=False, factory=list)
    ids: dict[str, int] = field(init=False, factory=dict)
    fixed: list[tuple[int, str]] = field(init=False, factory=list)
    compensable: list[tuple[int, str]] = field(init=False, factory=list)
    states: list[tuple[int, str]] = field(init=False, factory=list)
    wrote: dict[str, int] = field(init=False, factory=dict)
    read_by: list[Version] = field(init=False, factory=list)
    saved: list[Saved] = field(init=False, factory=list)
    own: list[Saved] = field(init=False, factory=list)
    snapshots: list[Saved] = field(init=False, factory=list)
    stopped: RefusalReason | None = field(init=False, default=None)

    @property
    def exited(self) -> bool:
        """Whether the instance is live no more."""
        return self.stopped is RefusalReason.EXITED

    @property
    def instance(self) -> InstanceId:
        """The instance as the definition names it."""
        skeleton, entity, ordinal = self.key
        return InstanceId(skeleton=skeleton, entity=entity, ordinal=ordinal)

    def length(self, at: int) -> int:
        """The number of entries up to event `at`."""
        return bisect_right(self.entries, at)

    def acts_after(self, cut: int, at: int) -> int:
        """The number of acts after the cut, which is the log's length at event `at` and not 0."""
        claims = len(self.claims) - bisect_right(self.claims, at)
        return len(self.entries) - cut - claims

    def acts(self) -> int:
        """The number of acts in the log."""
        return len(self.entries) - 1 - len(self.claims)

    def committed(self, at: int) -> bool:
        """Whether a commit or an exit stands at or after event `at`."""
        return bool(self.claims) and self.claims[-1] >= at

    def open_writes(self, at: int) -> list[Version]:
        """The writes in the handoff that was open at event `at`."""
        start = self.closings[bisect_right(self.closings, at) - 1]
        first = bisect_right(self.writes, start, key=at_of)
        return self.writes[first : bisect_right(self.writes, at, key=at_of)]

    def boundary(self, cut: int) -> Boundary:
        """The kind of boundary at the cut."""
        if cut == 1:
            return Boundary.ENTRY
        exits = self.exited and cut == len(self.entries)
        return Boundary.EXIT if exits else Boundary.COMMIT

    def closes(self, predicate: Predicate) -> bool:
        """Whether the claim of this predicate holds at the end of the log."""
        if predicate.states is not None:
            state = self.states[-1][1] if self.states else None
            if state not in predicate.states:
                return False
        return all(bind(key, self.key[1]) in self.wrote for key in predicate.writes or ())

    def is_read(self, version: Version) -> None:
        """Remember that another instance has read the version, which had no reader."""
        known = self.read_by
        if not known or known[-1].index < version.index:
            known.append(version)
        else:
            known.insert(bisect_left(known, place(version), key=place), version)

    def is_unread(self, version: Version) -> None:
        """Forget the version, which has no reader any more."""
        del self.read_by[bisect_left(self.read_by, place(version), key=place)]

    def certify(self, saved: Saved) -> None:
        """Keep the own, stable checkpoint where the latest is looked for, if it can be that."""
        saved.cut = len(self.entries)
        is_open = bool(self.writes) and self.writes[-1].at > self.closings[-1]
        if not is_open and self.boundary(saved.cut) in self.plan.opened:
            saved.certified = True
            (self.snapshots if saved.task else self.own).append(saved)

    def saved_after(self, at: int) -> list[Saved]:
        """The checkpoints saved after event `at`, latest first."""
        return self.saved[bisect_left(self.saved, at, key=at_of) :][::-1]

    def unsave(self, saved: Saved) -> None:
        """Forget the checkpoint."""
        del self.saved[bisect_left(self.saved, saved.at, key=at_of)]

    def release(self) -> None:
        """Let go of all that leads back here, so that nothing has to look for it to free it."""
        for version in self.writes:
            version.older = version.newer = None
        for linked in (self.writes, self.reads, self.read_by, self.saved, self.own, self.snapshots):
            linked.clear()


def pop_after(stack: list[tuple[int, str]], at: int) -> None:
    """Drop what is later than event `at`."""
    while stack and stack[-1][0] > at:
        stack.pop()


def since(stack: list[tuple[int, str]], at: int) -> list[tuple[int, str]]:
    """What is later than event `at`."""
    return stack[bisect_right(stack, at, key=key_of_at) :]
