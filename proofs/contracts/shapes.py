"""
Histories of a fixed shape, made from a few numbers.

The names are fixed, the shape of the logs is fixed by the length of the arguments, and all that
varies is numbers, truth values and members of small enumerations.
So a contract holds for every number, and for logs of the lengths that its arguments have.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from dart_core import (
    Checkpoint,
    Contract,
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
    Skeleton,
    Tag,
    Version,
)

FAILED = InstanceId(skeleton="slot", entity="m1", ordinal=1)
TWIN = InstanceId(skeleton="slot", entity="m1", ordinal=2)
OTHER = InstanceId(skeleton="slot", entity="m2", ordinal=1)
INVITE = InstanceId(skeleton="invite", entity="m1", ordinal=1)
ROOM = InstanceId(skeleton="room", entity="m1", ordinal=1)

ENTER = Entry(kind=EntryKind.ENTER, attempt=1)
ACT = Entry(kind=EntryKind.ACT, attempt=1)
WRITE = Entry(kind=EntryKind.ACT, attempt=1, writes=("slot",))
COMMIT = Entry(kind=EntryKind.COMMIT, attempt=1)
EXIT = Entry(kind=EntryKind.EXIT, attempt=1)

REVIEWED = Skeleton(commit=Predicate(states=frozenset(("ready",))))
CONTRACT = Contract(skeletons=FrozenMap({"slot": REVIEWED}))


class Step(Enum):
    """One entry of the failed instance's log, as far as closing a handoff is concerned."""

    SILENT = ACT
    WRITES = WRITE
    COMMITS = Entry(kind=EntryKind.COMMIT, attempt=1, state="ready")
    COMMITS_FALSELY = Entry(kind=EntryKind.COMMIT, attempt=1, state="busy")


class Presence(Enum):
    """Whether an instance is there, by its log."""

    ABSENT = ()
    LIVE = (ENTER,)
    EXITED = (ENTER, EXIT)


class Listed(Enum):
    """How the policy lists an effect; None is not at all."""

    NOT_LISTED = None
    REVERSIBLE = EffectClass.REVERSIBLE
    IDEMPOTENT = EffectClass.IDEMPOTENT
    COMPENSABLE = EffectClass.COMPENSABLE
    IRREVERSIBLE = EffectClass.IRREVERSIBLE


def version(index: int, writer: InstanceId = FAILED) -> Version:
    """The version that the writer's first attempt wrote at `index`."""
    return Version(writer=writer, attempt=1, index=index)


def reads(index: int, writer: InstanceId = FAILED) -> Entry:
    """An act that read the writer's version `index`."""
    return Entry(kind=EntryKind.ACT, attempt=1, reads=(Read("slot", version(index, writer)),))


def reader_log(places: Iterable[int]) -> tuple[Entry, ...]:
    """A log in which each place is a read of version `place`, or a commit where it is negative."""
    return (ENTER, *(COMMIT if place < 0 else reads(place) for place in places))


def read_by(*readers: tuple[int, ...], length: int = 1) -> History:
    """A history in which the failed instance has `length` entries and up to two others read it."""
    logs = zip((INVITE, ROOM), map(reader_log, readers), strict=False)
    failed = (ENTER, *((WRITE,) * (length - 1)))
    return History(contract=CONTRACT, log=FrozenMap({FAILED: failed, **dict(logs)}))


def checkpoint(
    cut: int,
    *,
    name: str = "c1",
    owners: frozenset[InstanceId] = frozenset((FAILED,)),
    stable: bool = True,
) -> Checkpoint:
    """A checkpoint of the failed instance with this cut."""
    covered = FrozenMap((owner, cut) for owner in owners)
    return Checkpoint(id=name, tag=Tag(), owners=owners, cut=covered, stable=stable)


def failure(*candidates: InstanceId, suspect: tuple[InstanceId, int] | None = None) -> Failure:
    """A pending failure that may concern the candidates."""
    return Failure(observed=Fail(), candidates=frozenset(candidates), suspect=suspect)


def members(*pairs: tuple[InstanceId, bool]) -> frozenset[InstanceId]:
    """The instances whose flag is set."""
    return frozenset(instance for instance, flag in pairs if flag)


def decided(number: int, last: int) -> int:
    """
    The number, which is one of 0 to `last`, as a plain one: each value is a path of its own.

    That is cheaper than carrying an unknown number on where it serves as a place or a length.
    """
    return next(value for value in range(last + 1) if value == number)
