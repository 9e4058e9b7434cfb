"""
The state: one log per instance, linked by reads; and the events that change it.

Mirrors: History (spec_tla/History.tla); semantics: sections 1 and 3.

Fields that are left out of comparison (`at`, `clock`) are labels for a reader: numbers of events.
Two interleavings of independent events are one history.
"""

from __future__ import annotations

from enum import Enum

from attrs import field, frozen

from dart_core.contract import Contract, Predicate, bind, holds, skeleton_of
from dart_core.frozen_map import FrozenMap

__all__ = [
    "Act",
    "Checkpoint",
    "Commit",
    "Effect",
    "Enter",
    "Entry",
    "EntryKind",
    "Event",
    "Exit",
    "Fail",
    "Failure",
    "History",
    "InstanceId",
    "Read",
    "Rerun",
    "Restore",
    "Save",
    "Scope",
    "Tag",
    "Version",
    "closes",
    "default_reads",
    "entered",
    "is_full",
    "last_commit",
    "last_state",
    "live",
    "log_of",
    "matches",
    "others",
    "remaining",
    "suspended",
]


class Scope(Enum):
    """What restoring a checkpoint rewinds: its owner alone, or every instance."""

    INSTANCE = "instance"
    TASK = "task"


class EntryKind(Enum):
    """What happened at one place of an instance's log."""

    ENTER = "enter"
    ACT = "act"
    COMMIT = "commit"
    EXIT = "exit"


@frozen(kw_only=True, order=True, cache_hash=True)
class InstanceId:
    """One occurrence of a skeleton for one bound entity; ordinals count from 1."""

    skeleton: str
    entity: str
    ordinal: int

    def __str__(self) -> str:
        return f"{self.skeleton}[{self.entity}]#{self.ordinal}"


@frozen(kw_only=True)
class Tag:
    """An instance as seen: a part that is None is unknown."""

    skeleton: str | None = None
    entity: str | None = None
    ordinal: int | None = None


@frozen(kw_only=True)
class Version:
    """What one act wrote under one key: the act, by writer, attempt and place in its log."""

    writer: InstanceId
    attempt: int
    index: int
    at: int = field(default=0, eq=False)


@frozen
class Read:
    """A read names the version that it read; None is a value from outside the log."""

    key: str
    version: Version | None


@frozen(kw_only=True, cache_hash=True)
class Entry:
    """One place of a log; `reads`, `writes` and `effects` are sets, kept sorted."""

    kind: EntryKind
    attempt: int
    state: str | None = None
    id: str | None = None
    reads: tuple[Read, ...] = ()
    writes: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    at: int = field(default=0, eq=False)


@frozen(kw_only=True)
class Effect:
    """One effect that was ever performed on the world."""

    epoch: int
    instance: InstanceId
    attempt: int
    index: int
    name: str
    at: int = field(default=0, eq=False)


@frozen(kw_only=True)
class Checkpoint:
    """
    A saved snapshot.

    `cut` gives the length that each log it covers had when it was saved.
    `truth` is the owner behind a partial tag, for models and tests; no decision reads it.
    """

    id: str
    tag: Tag
    owners: frozenset[InstanceId]
    cut: FrozenMap[InstanceId, int]
    scope: Scope = Scope.INSTANCE
    stable: bool = True
    truth: InstanceId | None = None
    at: int = field(default=0, eq=False)


@frozen(kw_only=True)
class Failure:
    """
    A pending failure: what was observed, and whom it can concern.

    `suspect` is the place of the act in doubt, `(owner, index)`, where one is named and survives.
    `truth` is the culprit behind a partial tag, for models and tests; no decision reads it.
    """

    observed: Fail
    candidates: frozenset[InstanceId]
    suspect: tuple[InstanceId, int] | None = None
    truth: InstanceId | None = None
    at: int = field(default=0, eq=False)


@frozen(kw_only=True)
class History:
    """
    The state of one task.

    `saved` lists the ids of an instance's checkpoints, oldest first.
    `acts` leads from the ids of surviving acts to their places; it follows from `log`.
    `written` holds the keys that an act has ever written, where the contract lists `external` keys.
    `clock` counts the events so far.
    """

    contract: Contract
    log: FrozenMap[InstanceId, tuple[Entry, ...]] = FrozenMap()
    attempt: FrozenMap[InstanceId, int] = FrozenMap()
    store: FrozenMap[str, tuple[Version, ...]] = FrozenMap()
    checkpoints: FrozenMap[str, Checkpoint] = FrozenMap()
    saved: FrozenMap[InstanceId, tuple[str, ...]] = FrozenMap()
    failures: tuple[Failure, ...] = ()
    epoch: int = 1
    world: frozenset[Effect] = frozenset()
    acts: FrozenMap[str, tuple[InstanceId, int]] = field(default=FrozenMap(), eq=False, repr=False)
    written: frozenset[str] = frozenset()
    clock: int = field(default=0, eq=False)


@frozen
class Enter:
    """An instance begins."""

    instance: InstanceId
    state: str | None = None


@frozen(kw_only=True)
class Act:
    """One tool call; `reads` is None where the act does not say what it read."""

    instance: InstanceId
    id: str | None = None
    tool: str | None = None
    state: str | None = None
    reads: frozenset[str] | None = None
    writes: frozenset[str] = frozenset()
    effects: frozenset[str] = frozenset()


@frozen
class Commit:
    """An instance claims a commit."""

    instance: InstanceId
    state: str | None = None


@frozen
class Exit:
    """An instance claims to be done."""

    instance: InstanceId
    state: str | None = None


@frozen(kw_only=True)
class Save:
    """A checkpoint is saved."""

    id: str
    tag: Tag
    scope: Scope = Scope.INSTANCE
    stable: bool = True
    truth: InstanceId | None = None


@frozen(kw_only=True)
class Fail:
    """A failure is seen; all that is known of it may be partial."""

    tag: Tag = Tag()
    suspect: str | None = None
    state: str | None = None
    tool: str | None = None
    args: FrozenMap[str, str] = FrozenMap()
    truth: InstanceId | None = None


@frozen
class Restore:
    """The runtime restores a checkpoint, rightly or not."""

    checkpoint: str


@frozen
class Rerun:
    """The runtime reruns the whole task."""


Event = Enter | Act | Commit | Exit | Save | Fail | Restore | Rerun


def is_full(tag: Tag) -> bool:
    """
    Whether no part of the tag is unknown.

    Mirrors: History!IsFull
    """
    return None not in (tag.skeleton, tag.entity, tag.ordinal)


def matches(tag: Tag, instance: InstanceId) -> bool:
    """
    Whether the instance may be the one that was seen.

    Mirrors: History!Matches
    """
    return (
        tag.skeleton in (None, instance.skeleton)
        and tag.entity in (None, instance.entity)
        and tag.ordinal in (None, instance.ordinal)
    )


def log_of(history: History, instance: InstanceId) -> tuple[Entry, ...]:
    """
    The surviving entries of the instance in this epoch; none where it did not enter.

    Mirrors: History!LogOf
    """
    return history.log.get(instance, ())


def entered(history: History, instance: InstanceId) -> bool:
    """
    Whether the instance has entered in this epoch and is not gone.

    Mirrors: History!Entered
    """
    return instance in history.log


def live(history: History, instance: InstanceId) -> bool:
    """
    Whether the instance has entered and not exited.

    Mirrors: History!Live
    """
    log = log_of(history, instance)
    return bool(log) and log[-1].kind is not EntryKind.EXIT


def others(history: History, instance: InstanceId | None) -> list[InstanceId]:
    """
    All instances but this one, in no order.

    Mirrors: History!Others
    """
    return [other for other in history.log if other != instance]


def suspended(history: History, instance: InstanceId) -> bool:
    """
    Whether the instance is the only candidate of a pending failure.

    Mirrors: History!Suspended
    """
    return any(failure.candidates == {instance} for failure in history.failures)


def last_commit(history: History, instance: InstanceId) -> int:
    """
    The index of the last commit or exit in the instance's log, or 0: all up to it is committed.

    Mirrors: History!LastCommit
    """
    log = log_of(history, instance)
    for index in range(len(log), 0, -1):
        if log[index - 1].kind in (EntryKind.COMMIT, EntryKind.EXIT):
            return index
    return 0


def last_state(log: tuple[Entry, ...]) -> str | None:
    """
    The FSM state seen last in the log, or None where none was seen.

    Mirrors: History!LastState
    """
    return next((entry.state for entry in reversed(log) if entry.state is not None), None)


def closes(history: History, instance: InstanceId, index: int) -> bool:
    """
    Whether the entry at `index` is a closing point: the entry, or a commit or exit that holds.

    Mirrors: History!Closes
    """
    prefix = log_of(history, instance)[:index]
    skeleton = skeleton_of(history.contract, instance.skeleton)
    predicates: dict[EntryKind, Predicate] = {
        EntryKind.ENTER: Predicate(),
        EntryKind.COMMIT: skeleton.commit,
        EntryKind.EXIT: skeleton.exit,
    }
    predicate = predicates.get(prefix[-1].kind)
    if predicate is None:
        return False
    if predicate == Predicate():
        return True
    written = {key for entry in prefix for key in entry.writes}
    return holds(predicate, instance.entity, last_state(prefix), written)


def default_reads(contract: Contract, instance: InstanceId) -> frozenset[str]:
    """
    What an act is taken to have read that does not say: all that its skeleton reads.

    Mirrors: History!DefaultReads
    """
    reads = skeleton_of(contract, instance.skeleton).reads
    return frozenset(bind(key, instance.entity) for key in reads)


def remaining(history: History, checkpoint: Checkpoint) -> FrozenMap[InstanceId, int]:
    """
    The length that each log would have once the checkpoint were restored; 0 is gone.

    An instance checkpoint that has not exactly one owner cuts no log: nobody can say whose it is.

    Mirrors: History!Remaining
    """
    if checkpoint.scope is Scope.TASK:
        rewound = frozenset(history.log)
    else:
        rewound = checkpoint.owners if len(checkpoint.owners) == 1 else frozenset()
    return FrozenMap(
        (instance, checkpoint.cut.get(instance, 0) if instance in rewound else len(log))
        for instance, log in history.log.items()
    )
