"""
The observer: it is told what happens, and says what has happened.

Every transition is the core's; an event that the history does not allow is refused and not kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from threading import RLock

import dart_core as core
from dart_core import Act, Contract, Decision, Event, FrozenMap, History, InstanceId, Refusal, Tag
from dart_runtime.errors import (
    CorruptStoreError,
    MalformedEventError,
    NotEnabledError,
    UnderWayError,
)
from dart_runtime.ledger import Kind, Ledger, Record, advance, obstacle
from dart_runtime.registry import next_ordinal, tag_of
from dart_runtime.store import Store
from dart_tools.codec import encode_event

__all__ = ["Draft", "Observer"]


def line_of(event: Event) -> bytes:
    """The event as a line of a trace; MalformedEventError where it cannot be one."""
    try:
        return encode_event(event)
    except (TypeError, ValueError) as error:
        raise MalformedEventError(str(error)) from None


class Draft:
    """What one transaction adds to a ledger."""

    def __init__(self, store: Store, ledger: Ledger) -> None:
        self._store = store
        self.ledger = ledger

    def put(self, kind: Kind, subject: str, line: bytes, data: bytes | None = None) -> None:
        """Append a record; NotEnabledError where its event is not enabled."""
        try:
            after = advance(self.ledger, self._store.append(kind, subject, line, data))
        except ValueError as error:
            raise MalformedEventError(str(error)) from None
        if isinstance(after, Refusal):
            raise NotEnabledError(after)
        self.ledger = after

    def announce(self, act: Act) -> None:
        """Append that the act is about to run; refused where the act would be."""
        refusal = core.enabled(self.ledger.history, act)
        if refusal is not None:
            raise NotEnabledError(refusal)
        waits = obstacle(self.ledger, act)
        if waits is not None or act.id in self.ledger.announced:
            raise UnderWayError(waits or f"act {act.id} is under way")
        self.put(Kind.ANNOUNCE, act.id or "", line_of(act))

    def event(self, event: Event, *, kind: Kind = Kind.EVENT, data: bytes | None = None) -> None:
        """Append an event; UnderWayError where it has to wait."""
        waits = obstacle(self.ledger, event)
        if waits is not None:
            raise UnderWayError(waits)
        subject = event.id if isinstance(event, Act | core.Save) and event.id else ""
        self.put(kind, subject, line_of(event), data)


class Observer:
    """
    The history of one task, in a store, told event by event.

    Each of its calls is durable when it returns, and all or nothing.
    `restore` and `rerun` record what a runtime did, rightly or not: `Sidecar` guards them.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._mutex = RLock()
        self._ledger = Ledger(history=core.initial(store.header.contract))
        self._ledger = self._caught_up()

    @property
    def contract(self) -> Contract:
        """The contract that the store was begun under."""
        return self.store.header.contract

    @property
    def ledger(self) -> Ledger:
        """All that the store holds now, other processes' records among it."""
        with self._mutex:
            self._ledger = self._caught_up()
            return self._ledger

    @property
    def history(self) -> History:
        """The core's state after all events so far."""
        return self.ledger.history

    def decide(self) -> Decision | None:
        """The core's decision about the pending failures; None where none is pending."""
        return core.decide(self.history)

    def tell(self, *events: Event, snapshot: bytes | None = None) -> None:
        """
        Record the events, all of them or none; `snapshot` is kept with a checkpoint.

        NotEnabledError where the history does not allow one, MalformedEventError where the format
        does not.
        UnderWayError while a recovery is under way or was left unfinished, and where an act under
        way forbids one.
        """
        with self._writing() as draft:
            for event in events:
                draft.event(event, data=snapshot if isinstance(event, core.Save) else None)

    def enter(
        self, skeleton: str, entity: str, *, ordinal: int | None = None, state: str | None = None
    ) -> InstanceId:
        """The instance that begins; without an ordinal, the next one of its skeleton and entity."""
        with self._writing() as draft:
            instance = InstanceId(
                skeleton=skeleton,
                entity=entity,
                ordinal=ordinal or next_ordinal(draft.ledger.history, skeleton, entity),
            )
            draft.event(core.Enter(instance, state))
        return instance

    def act(  # noqa: PLR0913 (the format's fields)
        self,
        instance: InstanceId,
        *,
        id: str | None = None,  # noqa: A002 (the format's name)
        tool: str | None = None,
        state: str | None = None,
        reads: Iterable[str] | None = None,
        writes: Iterable[str] = (),
        effects: Iterable[str] = (),
    ) -> None:
        """Record an act that has ended; without `reads` it counts as reading all it could."""
        self.tell(
            Act(
                instance=instance,
                id=id,
                tool=tool,
                state=state,
                reads=None if reads is None else frozenset(reads),
                writes=frozenset(writes),
                effects=frozenset(effects),
            )
        )

    def commit(self, instance: InstanceId, *, state: str | None = None) -> None:
        """Record that the instance claims a commit."""
        self.tell(core.Commit(instance, state))

    def exit(self, instance: InstanceId, *, state: str | None = None) -> None:
        """Record that the instance claims to be done."""
        self.tell(core.Exit(instance, state))

    def checkpoint(
        self,
        id: str,  # noqa: A002 (the format's name)
        tag: InstanceId | Tag,
        *,
        scope: core.Scope = core.Scope.INSTANCE,
        stable: bool = True,
        snapshot: bytes | None = None,
    ) -> None:
        """
        Record a checkpoint, with the host's snapshot beside it.

        Without `snapshot` the host keeps it, and `stable` is the host's word that it is durable.
        """
        save = core.Save(id=id, tag=tag_of(tag), scope=scope, stable=stable)
        self.tell(save, snapshot=snapshot)

    def fail(
        self,
        tag: InstanceId | Tag | None = None,
        *,
        suspect: str | None = None,
        state: str | None = None,
        tool: str | None = None,
        args: Mapping[str, str] | None = None,
    ) -> None:
        """Record a failure as it was seen; what is not known is left out."""
        seen = Tag() if tag is None else tag_of(tag)
        self.tell(
            core.Fail(tag=seen, suspect=suspect, state=state, tool=tool, args=FrozenMap(args or {}))
        )

    def restore(self, checkpoint: str) -> None:
        """Record that the runtime restored the checkpoint."""
        self.tell(core.Restore(checkpoint))

    def rerun(self) -> None:
        """Record that the runtime begins the whole task again."""
        self.tell(core.Rerun())

    def snapshot(self, checkpoint: str) -> bytes | None:
        """The snapshot that the host gave with the checkpoint; None where it gave none."""
        return self.store.snapshot(checkpoint)

    def export(self) -> bytes:
        """The task so far as a trace of format 1."""
        return self.store.trace()

    @contextmanager
    def _writing(self, *, recovers: bool = False) -> Iterator[Draft]:
        with self._mutex:
            with self.store.transaction():
                draft = Draft(self.store, self._caught_up())
                if draft.ledger.claim is not None and not recovers:
                    message = "a recovery is under way or was left unfinished: recover first"
                    raise UnderWayError(message)
                yield draft
            self._ledger = draft.ledger

    def _caught_up(self) -> Ledger:
        ledger = self._ledger
        for record in self.store.records(ledger.number):
            ledger = _read(ledger, record, self.store.path)
        return ledger


def _read(ledger: Ledger, record: Record, path: str) -> Ledger:
    try:
        after = advance(ledger, record)
    except ValueError as error:
        raise CorruptStoreError(path, f"record {record.number}: {error}") from None
    if isinstance(after, Refusal):
        raise CorruptStoreError(path, f"record {record.number}: {NotEnabledError(after)}")
    return after
