"""
A checker of decisions that shares nothing with what makes them.

The decision that is due is worked out anew from the raw events on a tape, so no part of one can
be altered unnoticed. A test holds that only values and the tape are imported here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import asdict, fields

from dart_core.admit import Guards
from dart_core.contract import Boundary, Contract, EffectClass, Fallback
from dart_core.decide import Decision, Judged, Performed, Reason, Target, Verdict, Witness
from dart_core.history import Act, Enter, Event, Exit, InstanceId
from dart_core.tape import Line, Mark, Tape, bound, effects, firsts

__all__ = ["due", "objections", "verify"]

# Whether the reader is live, who, when, what, and the line that wrote it.
Reader = tuple[bool, InstanceId, int, str, Line]


def _open(kept: list[Line]) -> list[tuple[str, int]]:
    """The keys that were written since the last commit or exit that holds, and when."""
    state, keys, found = None, set[str](), list[tuple[str, int]]()
    for line in kept:
        state = state if line.act.state is None else line.act.state
        keys |= line.act.writes
        found += [(key, line.at) for key in sorted(line.act.writes)]
        claim = line.policy.exit if line.kind is Exit else line.policy.commit
        written = claim.writes is None or bound(claim.writes, line.one) <= keys
        if line.kind is not Act and written and (claim.states is None or state in claim.states):
            found = []
    return found


def _readers(tape: Tape, one: InstanceId) -> list[Reader]:
    """What others have read of the instance."""
    found = []
    for line, key, write in tape.reads.get(one, ()):
        if line.stands and line.one != one:
            live = all(later.kind is Act for later in tape.logs[line.one][line.place :])
            found.append((live, line.one, line.at, key, write))
    return sorted(found)


def _uncertified(tape: Tape, mark: Mark, kept: list[Line], kind: Boundary) -> Iterator[Witness]:
    """Why the checkpoint is no recoverable boundary of the instance, of which it keeps these."""
    one = kept[-1].one
    if not mark.save.stable:
        yield Witness(guard="stable")
    if mark.owners != {one}:
        yield Witness(guard="decidable", owners=tuple(sorted(mark.owners)))
    for key, at in _open(kept):
        yield Witness(guard="closed", key=key, written_at=at)
    for other, at in sorted(firsts(tape.undone(mark)).items()):
        if other != one:
            yield Witness(guard="separable", instance=other, at=at)
    if kind not in kept[-1].policy.rollback_to:
        yield Witness(guard="controllable", kind=kind)


def _inadmissible(tape: Tape, kept: list[Line], readers: list[Reader]) -> Iterator[Witness]:
    """Why what follows the kept lines has to stay, or what is wrong stays with them."""
    one, suspect = kept[-1].one, tape.pending[0][1]
    for line in kept:
        if suspect is not None and line.act.id == suspect:
            yield Witness(guard="repairs", instance=one, at=line.at)
    for live, reader, at, key, write in readers:
        if write.place > len(kept):
            guard = "no_live_conflict" if live else "no_committed_conflict"
            yield Witness(guard=guard, key=key, written_at=write.at, reader=reader, read_at=at)
    unpaid = () if tape.contract.compensate else (EffectClass.COMPENSABLE,)
    for line, effect, found in effects(tape.logs[one][len(kept) :]):
        if found in (EffectClass.IRREVERSIBLE, *unpaid):
            yield Witness(guard="effect_allowed", effect=effect, effect_class=found, at=line.at)


def _judged(tape: Tape, one: InstanceId) -> Iterator[Judged]:
    kinds, readers = {Enter: Boundary.ENTRY, Exit: Boundary.EXIT}, _readers(tape, one)
    for mark in reversed(tape.marks.values()):
        if one in mark.owners:
            kept = [line for line in tape.logs[one] if line.at <= mark.at]
            kind = kinds.get(kept[-1].kind, Boundary.COMMIT)
            bars = (*_uncertified(tape, mark, kept, kind), *_inadmissible(tape, kept, readers))
            barred = {bar.guard for bar in bars}
            held = {guard.name: guard.name not in barred for guard in fields(Guards)}
            yield Judged(id=mark.save.id, kind=kind, guards=Guards(**held), witnesses=bars)


def due(tape: Tape) -> Decision | None:
    """The decision about the pending failures, with its evidence; None where there is none."""
    if not tape.pending:
        return None
    candidates = sorted({one for _, _, owners in tape.pending for one in owners})
    failed = candidates[0] if len(tape.pending) == len(candidates) == 1 else None
    judged = () if failed is None else tuple(_judged(tape, failed))
    chosen = next((tape.marks[one.id] for one in judged if not one.witnesses), None)
    everything = [line for log in tape.logs.values() for line in log]
    undone = everything if chosen is None else tape.undone(chosen)
    acts = [line.one for line in undone if line.kind is Act]
    exited = {one for one, log in tape.logs.items() if log[-1].kind is Exit}
    hazards = [Performed(instance=i, effect=name, at=at) for _, i, at, name in tape.world]
    compensations = [
        Performed(instance=line.one, effect=effect, at=line.at)
        for line, effect, found in effects(undone if chosen else [])
        if found is EffectClass.COMPENSABLE
    ]
    verdict, reason = Verdict.RESTORE, None
    if chosen is None:
        escalates = hazards and tape.contract.fallback is Fallback.ESCALATE
        verdict = Verdict.ESCALATE if escalates else Verdict.RERUN
        reason = Reason.NO_ADMISSIBLE_CHECKPOINT if failed else Reason.NOT_IDENTIFIED
    return Decision(
        failure=tape.pending[0][0],
        verdict=verdict,
        reason=reason,
        instance=failed,
        candidates=tuple(candidates),
        checkpoint=chosen.save.id if chosen else None,
        restore=(Target(failed, chosen.save.id),) if failed and chosen else (),
        replay=len(acts),
        upstream_replay=sum(one != failed for one in acts),
        preserved=len(exited.difference(line.one for line in undone)),
        checkpoints=judged,
        hazards=tuple(hazards),
        compensations=tuple(compensations),
    )


def objections(found: Decision | None, told: Decision | None) -> tuple[str, ...]:
    """Where the decision that is told is not the one that is due, to the numbers of the events."""
    if found is None or told is None:
        missing = "no decision is due" if found is None else "a decision is due"
        return () if found is told else (missing,)
    pairs = [(name, getattr(told, name), so) for name, so in asdict(found, recurse=False).items()]
    return tuple(f"{name}: told {a!r}, found {b!r}" for name, a, b in pairs if repr(a) != repr(b))


def verify(contract: Contract, events: Iterable[Event], decision: Decision) -> tuple[str, ...]:
    """What is not so of the decision that is due after the events; nothing where all is so."""
    tape = Tape(contract)
    for event in events:
        tape.take(event)
    return objections(due(tape), decision)
