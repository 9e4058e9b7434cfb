"""
The sidecar: an observer that announces acts before they run, and guards every restore.

What is safe, and why
- An act is announced before it runs and recorded after.
  If the process dies in between, nobody knows whether it ran: the next `recover` records it as an
  act, with the effects that were announced, and as the suspect of a failure.
  So no irreversible effect is ever undone by a local restore, and run again, because it was
  forgotten.
- A recovery is claimed before it is carried out and recorded after.
  Two processes that recover the same failure do not both act: the one that holds the store's lock
  does, and the other is refused; when it asks again, nothing is left to recover.
- If the claimant dies, its lock is free, and that is the evidence by which the next `recover`
  takes over. It repeats the host's callback, which therefore has to be idempotent.
- Between claim and record nothing else is recorded, so that the decision still holds at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from attrs import define, evolve, frozen

import dart_core as core
from dart_core import Act, Decision, Event, FrozenMap, InstanceId, Verdict
from dart_runtime.errors import SidecarError, UnderWayError
from dart_runtime.ledger import Claim, Kind, key_of, reads_of
from dart_runtime.observer import Observer
from dart_runtime.registry import tag_of
from dart_tools.codec import encode_decision, encode_event

__all__ = ["Acting", "NothingDoneError", "Recovery", "Sidecar", "UnannouncedError"]


class NothingDoneError(SidecarError):
    """Raised by a tool that failed and knows that it has done nothing to the world."""


class UnannouncedError(SidecarError):
    """An act touched more than was announced; it is recorded, as one that failed."""


@define
class Acting:
    """An act in flight, as it will be recorded; `may_read` are the keys that it may have read."""

    act: Act
    may_read: frozenset[str]

    @property
    def id(self) -> str:
        """The id under which the act is recorded."""
        return self.act.id or ""

    def touched(
        self,
        *,
        reads: Iterable[str] | None = None,
        writes: Iterable[str] | None = None,
        effects: Iterable[str] | None = None,
    ) -> None:
        """
        Say what the act really read, wrote and did, of what was announced.

        UnannouncedError where it did more: nobody can tell then in which order that came to what
        other acts did meanwhile.
        """
        announced = self.act
        said = (reads, writes, effects)
        limits = (self.may_read, announced.writes, announced.effects)
        self.act = evolve(
            announced,
            reads=announced.reads if reads is None else frozenset(reads),
            writes=announced.writes if writes is None else frozenset(writes),
            effects=announced.effects if effects is None else frozenset(effects),
        )
        for names, limit in zip(said, limits, strict=True):
            beyond = frozenset(names or ()) - limit
            if beyond:
                message = f"act {self.id} touched {min(beyond)!r}, which was not announced"
                raise UnannouncedError(message)


@frozen(kw_only=True)
class Recovery:
    """
    What a callback has to carry out.

    `snapshot` is what the host gave with the checkpoint that is restored.
    `attempt` is above 1 where an attempt before was begun and never recorded: it may have done
    some of its work, or all.
    """

    decision: Decision
    snapshot: bytes | None
    attempt: int


Callback = Callable[[Recovery], None]


class Sidecar(Observer):
    """The guard beside one task: told of events, or wrapped around the calls of its tools."""

    def tell(self, *events: Event, snapshot: bytes | None = None) -> None:
        """Record the events, as an observer does; a restore or rerun goes through `recover`."""
        if any(isinstance(event, core.Restore | core.Rerun) for event in events):
            message = "a sidecar restores and reruns by `recover` alone"
            raise SidecarError(message)
        super().tell(*events, snapshot=snapshot)

    @contextmanager
    def acting(  # noqa: PLR0913 (the format's fields)
        self,
        instance: InstanceId,
        *,
        id: str | None = None,  # noqa: A002 (the format's name)
        tool: str | None = None,
        args: Mapping[str, str] | None = None,
        state: str | None = None,
        reads: Iterable[str] | None = None,
        writes: Iterable[str] = (),
        effects: Iterable[str] = (),
    ) -> Iterator[Acting]:
        """
        Announce an act, let the block run it, and record it.

        `reads`, `writes` and `effects` are all that it might touch.
        If the block raises, the act is recorded as one that may have done all that, and as the
        suspect of a failure; or as a failure alone, if it raises NothingDoneError.
        """
        act = Act(
            instance=instance,
            id=id,
            tool=tool,
            state=state,
            reads=None if reads is None else frozenset(reads),
            writes=frozenset(writes),
            effects=frozenset(effects),
        )
        acting = Acting(self.announce(act), reads_of(self.contract, act))
        try:
            try:
                yield acting
            except NothingDoneError:
                self._end(None, acting.act, args or {})
                raise
            except BaseException:
                self._end(acting.act, acting.act, args or {})
                raise
            with self._writing() as draft:
                draft.event(acting.act)
        finally:
            self.store.presence.end_act()

    def announce(self, act: Act) -> Act:
        """The act with its id, announced: until it is recorded it may have happened."""
        self.store.presence.begin_act()
        try:
            with self._writing() as draft:
                act = act if act.id else evolve(act, id=f"act@{draft.ledger.number + 1}")
                draft.announce(act)
        except BaseException:
            self.store.presence.end_act()
            raise
        return act

    def withdraw(self, act: str) -> None:
        """
        Say that an act that was left unfinished did nothing, and never will.

        For a host that can find out; else `recover` takes the act for one that happened.
        """
        with self._writing() as draft:
            if act not in draft.ledger.announced:
                message = f"no act {act} is announced"
                raise SidecarError(message)
            draft.put(Kind.WITHDRAW, act, b"")

    def _end(self, happened: Act | None, act: Act, args: Mapping[str, str]) -> None:
        """Record that the act failed: after it perhaps did something, or after nothing."""
        with self._writing() as draft:
            if happened is None:
                draft.put(Kind.WITHDRAW, act.id or "", b"")
            else:
                draft.put(Kind.EVENT, act.id or "", encode_event(happened))
            draft.event(_failure_of(act, happened=happened is not None, args=FrozenMap(args)))

    @contextmanager
    def recovering(self) -> Iterator[Recovery | None]:
        """
        The recovery that is due, claimed, for the block to carry out; None where none is.

        It is recorded when the block ends; if the block raises, it stays begun.
        UnderWayError while an act is in flight, or another recovery.
        """
        ledger = self.ledger
        if not (ledger.history.failures or ledger.announced or ledger.doubts):
            yield None
            return
        with self.store.presence.alone():
            self._doubt()
            recovery = self._claimed()
            yield recovery
            if recovery is not None:
                self._finish(recovery)

    def recover(
        self,
        *,
        restore: Callback,
        rerun: Callback,
        escalate: Callback = lambda _: None,
    ) -> Decision | None:
        """
        Decide, and carry the decision out once: what was decided, or None where nothing is due.

        Each failure is recovered by a call of its own: call until it yields None.
        The callback puts the state back, and does not run the task: what runs again is recorded
        after it. It may be called again for the same recovery if the process dies, so putting the
        state back twice must be the same as once, the decision's compensations among it.
        Escalating calls a person, once for each failure; what the person decides is told to an
        `Observer` as `restore` or `rerun`.
        """
        callbacks = {
            Verdict.RESTORE: restore,
            Verdict.RERUN: rerun,
            Verdict.ESCALATE: escalate,
        }
        with self.recovering() as recovery:
            if recovery is None:
                return None
            callbacks[recovery.decision.verdict](recovery)
        return recovery.decision

    def _doubt(self) -> None:
        """Record the acts that were left unfinished, and the first failure that they mean."""
        with self._writing(recovers=True) as draft:
            for act in draft.ledger.announced.values():
                draft.put(Kind.DOUBT, act.id or "", encode_event(act))
            ledger = draft.ledger
            if ledger.doubts and not ledger.history.failures:
                draft.event(_failure_of(ledger.doubts[0], happened=True, args=FrozenMap()))

    def _claimed(self) -> Recovery | None:
        with self._writing(recovers=True) as draft:
            ledger = draft.ledger
            decision = core.decide(ledger.history)
            if decision is None or ledger.history.failures[-1].at == ledger.escalated:
                return None
            attempt = 1 if ledger.claim is None else ledger.claim.attempt + 1
            claim = Claim(ledger.history.failures[-1].at, attempt)
            line = encode_decision(self.store.header.name, decision)
            draft.put(Kind.CLAIM, key_of(claim), line)
        snapshot = None if decision.checkpoint is None else self.snapshot(decision.checkpoint)
        return Recovery(decision=decision, snapshot=snapshot, attempt=attempt)

    def _finish(self, recovery: Recovery) -> None:
        decision = recovery.decision
        with self._writing(recovers=True) as draft:
            claim = draft.ledger.claim
            if claim is None or claim.attempt != recovery.attempt:
                message = "another process has taken this recovery over"
                raise UnderWayError(message)
            match decision.verdict:
                case Verdict.RESTORE:
                    draft.event(core.Restore(decision.checkpoint or ""))
                case Verdict.RERUN:
                    draft.event(core.Rerun())
                case Verdict.ESCALATE:
                    draft.put(Kind.ESCALATE, key_of(claim), b"")


def _failure_of(act: Act, *, happened: bool, args: FrozenMap[str, str]) -> core.Fail:
    return core.Fail(
        tag=tag_of(act.instance),
        suspect=act.id if happened else None,
        state=act.state,
        tool=act.tool,
        args=args,
    )
