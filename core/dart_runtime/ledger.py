"""
What a store's records amount to: the history, and what is unfinished beside it.

A record is an event of the trace, or says that something is about to happen outside.
All here is pure: a ledger and a record yield a ledger.
"""

from __future__ import annotations

from enum import Enum

from attrs import evolve, frozen

from dart_core import (
    Act,
    Contract,
    Event,
    Fail,
    FrozenMap,
    History,
    Refusal,
    Rerun,
    Restore,
    apply,
    default_reads,
    enabled,
)
from dart_tools.codec import decode_event

__all__ = ["Claim", "Kind", "Ledger", "Record", "advance", "key_of", "obstacle", "reads_of"]


class Kind(Enum):
    """What a record says."""

    EVENT = "event"  # an event of the trace happened
    DOUBT = "doubt"  # so did an act, perhaps: it was announced and nobody said how it ended
    ANNOUNCE = "announce"  # an act is about to run
    WITHDRAW = "withdraw"  # an announced act did nothing
    CLAIM = "claim"  # a recovery is about to be carried out; the line is its decision
    ESCALATE = "escalate"  # a person has been called, which ends the claim


@frozen(kw_only=True)
class Record:
    """
    One durable line; `number` counts from 1.

    `subject` is the act's or checkpoint's id, or the claim's key.
    """

    number: int
    kind: Kind
    subject: str
    line: bytes


@frozen
class Claim:
    """
    A recovery that was begun: the number of the latest pending failure, and which attempt it is.

    Attempt 2 and later take over from a process that died in the attempt before.
    """

    failure: int
    attempt: int


@frozen(kw_only=True)
class Ledger:
    """
    The history, and what is unfinished.

    `announced` are the acts that may be running; `doubts` are acts whose end nobody told and whose
    failure is still to be told; `escalated` is the latest failure that a person was called for, or
    0.
    """

    history: History
    number: int = 0
    announced: FrozenMap[str, Act] = FrozenMap()
    doubts: tuple[Act, ...] = ()
    claim: Claim | None = None
    escalated: int = 0


def key_of(claim: Claim) -> str:
    """The claim as the subject of a record; no two records have the same."""
    return f"{claim.failure}.{claim.attempt}"


def advance(ledger: Ledger, record: Record) -> Ledger | Refusal:
    """The ledger with the record in it, or why the record's event is not enabled."""
    ledger = evolve(ledger, number=record.number)
    match record.kind:
        case Kind.EVENT | Kind.DOUBT:
            event = decode_event(record.line)
            after = apply(ledger.history, event)
            return after if isinstance(after, Refusal) else _settled(ledger, after, event, record)
        case Kind.ANNOUNCE:
            act = decode_event(record.line)
            assert isinstance(act, Act)  # noqa: S101 (nothing else is announced)
            return evolve(ledger, announced=ledger.announced.put(record.subject, act))
        case Kind.WITHDRAW:
            return evolve(ledger, announced=ledger.announced.without([record.subject]))
        case Kind.CLAIM:
            failure, attempt = record.subject.split(".")
            return evolve(ledger, claim=Claim(int(failure), int(attempt)))
        case Kind.ESCALATE:
            escalated = 0 if ledger.claim is None else ledger.claim.failure
            return evolve(ledger, claim=None, escalated=escalated)


def _settled(ledger: Ledger, history: History, event: Event, record: Record) -> Ledger:
    announced, doubts, claim = ledger.announced, ledger.doubts, ledger.claim
    match event:
        case Act():
            announced = announced.without([record.subject])
            doubts = (*doubts, event) if record.kind is Kind.DOUBT else doubts
        case Fail():
            doubts = tuple(doubt for doubt in doubts if doubt.id != event.suspect)
        case Restore() | Rerun():
            doubts = tuple(doubt for doubt in doubts if doubt.id in history.acts)
            claim = None
        case _:
            pass
    return evolve(ledger, history=history, announced=announced, doubts=doubts, claim=claim)


def reads_of(contract: Contract, act: Act) -> frozenset[str]:
    """The keys that the act reads: those it says, or all that its skeleton reads."""
    return default_reads(contract, act.instance) if act.reads is None else act.reads


def _clash(contract: Contract, one: Act, other: Act) -> frozenset[str]:
    """The keys for which it matters which of the two acts comes first."""
    ours, theirs = reads_of(contract, one), reads_of(contract, other)
    return (one.writes & (theirs | other.writes)) | (other.writes & ours)


def obstacle(ledger: Ledger, event: Event) -> str | None:
    """
    Why the event, though enabled, has to wait for what is under way; None where it need not.

    The order of the trace is the order in which events are recorded, but an announced act may
    have read and written already: nothing may come before it that would change what it read,
    overwrite or read what it writes, or forbid it.
    """
    own = event.id if isinstance(event, Act) else None
    unfinished = [act for name, act in ledger.announced.items() if name != own]
    if not unfinished:
        return None
    if isinstance(event, Restore | Rerun):
        return f"act {unfinished[0].id} is under way, or was left unfinished"
    after = apply(ledger.history, event)
    for act in unfinished:
        if isinstance(event, Act) and (keys := _clash(ledger.history.contract, event, act)):
            return f"act {act.id} is under way and touches {min(keys)!r} too"
        if not isinstance(after, Refusal) and enabled(after, act):
            return f"act {act.id} is under way and could not end after this"
    return None
