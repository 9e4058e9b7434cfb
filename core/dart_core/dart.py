"""
The transitions: when an event is enabled, and what it changes.

Mirrors: DART (spec_tla/DART.tla), its actions; semantics: section 4.

An event that is not enabled yields a refusal with a closed reason and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import assert_never

from attrs import evolve, frozen

from dart_core.contract import Contract
from dart_core.frozen_map import FrozenMap
from dart_core.history import (
    Act,
    Checkpoint,
    Commit,
    Effect,
    Enter,
    Entry,
    EntryKind,
    Event,
    Exit,
    Fail,
    Failure,
    History,
    InstanceId,
    Read,
    Rerun,
    Restore,
    Save,
    Scope,
    Version,
    default_reads,
    entered,
    is_full,
    live,
    log_of,
    matches,
    remaining,
    suspended,
)
from dart_core.localize import candidates, suspect_place

__all__ = [
    "Refusal",
    "RefusalReason",
    "apply",
    "enabled",
    "fold",
    "gaps",
    "initial",
    "owners_of",
    "reads_of",
]


class RefusalReason(Enum):
    """Why an event is not enabled."""

    NOT_NEXT_ORDINAL = "not_next_ordinal"
    NOT_ENTERED = "not_entered"
    EXITED = "exited"
    SUSPENDED = "suspended"
    ACT_ID_IN_USE = "act_id_in_use"
    CHECKPOINT_ID_IN_USE = "checkpoint_id_in_use"
    UNWRITTEN_KEY = "unwritten_key"
    NO_PENDING_FAILURE = "no_pending_failure"
    NO_SUCH_CHECKPOINT = "no_such_checkpoint"


@frozen
class Refusal:
    """The event `at` (its number) is not enabled; `subject` is the instance, id or key meant."""

    reason: RefusalReason
    subject: str
    at: int


def initial(contract: Contract) -> History:
    """
    The state in which nothing has happened.

    Mirrors: DART!Init
    """
    return History(contract=contract)


def refuses_step(history: History, instance: InstanceId) -> RefusalReason | None:
    """
    Why the instance cannot act, commit or exit; None where it can.

    Mirrors: DART!CanStep
    """
    if not entered(history, instance):
        return RefusalReason.NOT_ENTERED
    if not live(history, instance):
        return RefusalReason.EXITED
    return RefusalReason.SUSPENDED if suspended(history, instance) else None


def reads_of(history: History, event: Act) -> frozenset[str]:
    """
    The keys that the act reads: those it says, or all that its skeleton reads.

    Mirrors: DART!ReadsOf
    """
    if event.reads is not None:
        return event.reads
    return default_reads(history.contract, event.instance)


def gaps(history: History, event: Act) -> list[str]:
    """
    The keys that the act reads and that neither the log nor the outside has given.

    Mirrors: DART!Gaps
    """
    external = history.contract.external
    if external is None:
        return []
    return sorted(reads_of(history, event) - external - history.written)


def owners_of(history: History, event: Save) -> frozenset[InstanceId]:
    """
    The instances that the checkpoint may be of.

    Mirrors: DART!OwnersOf
    """
    return frozenset(
        instance
        for instance in history.log
        if matches(event.tag, instance)
        and (is_full(event.tag) or (live(history, instance) and not suspended(history, instance)))
    )


def _refuses_enter(history: History, event: Enter) -> tuple[RefusalReason, str] | None:
    instance = event.instance
    if entered(history, instance) or not (
        instance.ordinal == 1 or entered(history, evolve(instance, ordinal=instance.ordinal - 1))
    ):
        return RefusalReason.NOT_NEXT_ORDINAL, str(instance)
    return None


def _refuses_act(history: History, event: Act) -> tuple[RefusalReason, str] | None:
    reason = refuses_step(history, event.instance)
    if reason is not None:
        return reason, str(event.instance)
    if event.id is not None and event.id in history.acts:
        return RefusalReason.ACT_ID_IN_USE, event.id
    missing = gaps(history, event)
    return (RefusalReason.UNWRITTEN_KEY, missing[0]) if missing else None


def _refuses_save(history: History, event: Save) -> tuple[RefusalReason, str] | None:
    if event.id in history.checkpoints:
        return RefusalReason.CHECKPOINT_ID_IN_USE, event.id
    if is_full(event.tag):
        owners = owners_of(history, event)
        if not owners:
            tag = event.tag
            return RefusalReason.NOT_ENTERED, f"{tag.skeleton}[{tag.entity}]#{tag.ordinal}"
        for owner in owners:
            if suspended(history, owner):
                return RefusalReason.SUSPENDED, str(owner)
    return None


def _refuses(history: History, event: Event) -> tuple[RefusalReason, str] | None:
    match event:
        case Enter():
            return _refuses_enter(history, event)
        case Act():
            return _refuses_act(history, event)
        case Commit() | Exit():
            reason = refuses_step(history, event.instance)
            return None if reason is None else (reason, str(event.instance))
        case Save():
            return _refuses_save(history, event)
        case Fail():
            return None
        case Restore():
            if not history.failures:
                return RefusalReason.NO_PENDING_FAILURE, event.checkpoint
            if event.checkpoint not in history.checkpoints:
                return RefusalReason.NO_SUCH_CHECKPOINT, event.checkpoint
            return None
        case Rerun():
            return None if history.failures else (RefusalReason.NO_PENDING_FAILURE, "")
        case _ as never:
            assert_never(never)


def enabled(history: History, event: Event) -> Refusal | None:
    """Why the event cannot happen in this state; None where it can."""
    refused = _refuses(history, event)
    return None if refused is None else Refusal(*refused, history.clock + 1)


def _extend(history: History, instance: InstanceId, entry: Entry) -> History:
    return evolve(
        history,
        log=history.log.put(instance, (*log_of(history, instance), entry)),
        clock=history.clock + 1,
    )


def enter(history: History, event: Enter) -> History:
    """
    The instance begins its log.

    The attempt of one that was gone by a task restore goes on: no version is named twice.

    Mirrors: DART!Enter
    """
    attempt = history.attempt.get(event.instance, 1)
    entry = Entry(kind=EntryKind.ENTER, attempt=attempt, state=event.state, at=history.clock + 1)
    return evolve(
        _extend(history, event.instance, entry),
        attempt=history.attempt.put(event.instance, attempt),
    )


def act(history: History, event: Act) -> History:
    """
    The act reads the last version of each key, then writes its own, and has its effects.

    Mirrors: DART!Act
    """
    instance, now = event.instance, history.clock + 1
    attempt, index = history.attempt[instance], len(log_of(history, instance)) + 1
    entry = Entry(
        kind=EntryKind.ACT,
        attempt=attempt,
        state=event.state,
        id=event.id,
        reads=tuple(
            Read(key, history.store[key][-1] if key in history.store else None)
            for key in sorted(reads_of(history, event))
        ),
        writes=tuple(sorted(event.writes)),
        effects=tuple(sorted(event.effects)),
        at=now,
    )
    version = Version(writer=instance, attempt=attempt, index=index, at=now)
    performed = frozenset(
        Effect(
            epoch=history.epoch,
            instance=instance,
            attempt=attempt,
            index=index,
            name=effect,
            at=now,
        )
        for effect in event.effects
    )
    return evolve(
        _extend(history, instance, entry),
        store=history.store.update(
            (key, (*history.store.get(key, ()), version)) for key in event.writes
        ),
        world=history.world | performed,
        acts=history.acts if event.id is None else history.acts.put(event.id, (instance, index)),
        written=history.written
        if history.contract.external is None
        else history.written | event.writes,
    )


def commit(history: History, event: Commit) -> History:
    """
    The instance claims a commit.

    Mirrors: DART!Commit
    """
    return _close(history, event, EntryKind.COMMIT)


def exit(history: History, event: Exit) -> History:
    """
    The instance claims to be done.

    Mirrors: DART!Exit
    """
    return _close(history, event, EntryKind.EXIT)


def _close(history: History, event: Commit | Exit, kind: EntryKind) -> History:
    entry = Entry(
        kind=kind,
        attempt=history.attempt[event.instance],
        state=event.state,
        at=history.clock + 1,
    )
    return _extend(history, event.instance, entry)


def save(history: History, event: Save) -> History:
    """
    The checkpoint is saved with its owners and cut, which never change.

    Mirrors: DART!Save
    """
    owners = owners_of(history, event)
    covered = owners if event.scope is Scope.INSTANCE else history.log
    checkpoint = Checkpoint(
        id=event.id,
        tag=event.tag,
        owners=owners,
        cut=FrozenMap((instance, len(log_of(history, instance))) for instance in covered),
        scope=event.scope,
        stable=event.stable,
        truth=event.truth,
        at=history.clock + 1,
    )
    return evolve(
        history,
        checkpoints=history.checkpoints.put(event.id, checkpoint),
        saved=history.saved.update(
            (owner, (*history.saved.get(owner, ()), event.id)) for owner in owners
        ),
        clock=history.clock + 1,
    )


def fail(history: History, event: Fail) -> History:
    """
    The failure is pending, with the candidates that it has now.

    Mirrors: DART!Fail
    """
    found = candidates(history, event)
    failure = Failure(
        observed=evolve(event, truth=None),
        candidates=found,
        suspect=suspect_place(history, event) if found else None,
        truth=event.truth,
        at=history.clock + 1,
    )
    return evolve(history, failures=(*history.failures, failure), clock=history.clock + 1)


def restore(history: History, event: Restore) -> History:
    """
    The logs are cut, what the undone acts wrote is gone, and the failures are cleared.

    Mirrors: DART!Restore
    """
    checkpoint = history.checkpoints[event.checkpoint]
    left = remaining(history, checkpoint)
    cut = {i: n for i, n in left.items() if n < len(history.log[i])}
    undone = [entry for i, n in cut.items() for entry in history.log[i][n:]]
    gone = [
        other.id
        for other in history.checkpoints.values()
        if any(other.cut.get(i, 0) > n for i, n in cut.items())
    ]
    again = {*cut, *(checkpoint.owners if len(checkpoint.owners) == 1 else ())}
    return evolve(
        history,
        log=history.log.update((i, history.log[i][:n]) for i, n in cut.items()).without(
            i for i, n in cut.items() if n == 0
        ),
        attempt=history.attempt.update((i, history.attempt[i] + 1) for i in again),
        store=_surviving(history.store, undone, cut),
        checkpoints=history.checkpoints.without(gone),
        saved=_still_saved(history.saved, frozenset(gone)),
        failures=(),
        acts=history.acts.without(entry.id for entry in undone if entry.id is not None),
        clock=history.clock + 1,
    )


def _surviving(
    store: FrozenMap[str, tuple[Version, ...]],
    undone: list[Entry],
    cut: dict[InstanceId, int],
) -> FrozenMap[str, tuple[Version, ...]]:
    keys = {key for entry in undone for key in entry.writes}
    left = {
        key: tuple(
            version
            for version in store[key]
            if version.writer not in cut or version.index <= cut[version.writer]
        )
        for key in keys
    }
    return store.update(left.items()).without(key for key in keys if not left[key])


def _still_saved(
    saved: FrozenMap[InstanceId, tuple[str, ...]], gone: frozenset[str]
) -> FrozenMap[InstanceId, tuple[str, ...]]:
    left = {
        owner: tuple(name for name in names if name not in gone) for owner, names in saved.items()
    }
    return FrozenMap((owner, names) for owner, names in left.items() if names)


def rerun(history: History, event: Rerun) -> History:
    """
    The task begins again: all is cleared but the world, which remembers.

    Mirrors: DART!Rerun
    """
    del event
    return evolve(
        initial(history.contract),
        epoch=history.epoch + 1,
        world=history.world,
        written=history.written,
        clock=history.clock + 1,
    )


def apply(history: History, event: Event) -> History | Refusal:
    """
    The state after the event, or why it is not enabled.

    Mirrors: DART!Next
    """
    refusal = enabled(history, event)
    if refusal is not None:
        return refusal
    match event:
        case Enter():
            return enter(history, event)
        case Act():
            return act(history, event)
        case Commit():
            return commit(history, event)
        case Exit():
            return exit(history, event)
        case Save():
            return save(history, event)
        case Fail():
            return fail(history, event)
        case Restore():
            return restore(history, event)
        case Rerun():
            return rerun(history, event)
        case _ as never:
            assert_never(never)


def fold(contract: Contract, events: Iterable[Event]) -> History | Refusal:
    """The state after all events, or why the first that is not enabled is not."""
    history = initial(contract)
    for event in events:
        after = apply(history, event)
        if isinstance(after, Refusal):
            return after
        history = after
    return history
