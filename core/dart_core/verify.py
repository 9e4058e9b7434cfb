"""
A checker of decisions that shares nothing with what makes them.

It reads the raw events once and keeps the lines that stand, by their numbers: a checkpoint is a
number too, and its cut of a log is what stands up to there.
Every claim of a decision is worked out again from the lines, so none can be altered unnoticed.
A test holds that only values are imported here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import define, field, fields, frozen

from dart_core.admit import Guards
from dart_core.contract import Boundary, Contract, EffectClass, Fallback, Skeleton
from dart_core.decide import Decision, Judged, Performed, Reason, Target, Verdict, Witness
from dart_core.history import (
    Act,
    Commit,
    Enter,
    Event,
    Exit,
    Fail,
    InstanceId,
    Rerun,
    Restore,
    Save,
    Scope,
    Tag,
)

__all__ = ["Tape", "objections", "verify"]


@frozen(eq=False)
class Line:
    """An event of a log, its number and its place there."""

    at: int
    place: int
    event: Enter | Act | Commit | Exit


@frozen
class Mark:
    """A checkpoint and whose it may be."""

    at: int
    event: Save
    owners: frozenset[InstanceId]


@frozen
class Seen:
    """A pending failure, whose it may be, and the number of the act in doubt."""

    at: int
    candidates: frozenset[InstanceId]
    doubt: int | None


def _fits(tag: Tag, one: InstanceId) -> bool:
    pairs = ((tag.skeleton, one.skeleton), (tag.entity, one.entity), (tag.ordinal, one.ordinal))
    return all(seen is None or seen == part for seen, part in pairs)


def _by_reader(read: tuple[Line, str, Line]) -> tuple[InstanceId, int, str]:
    line, key, _ = read
    return line.event.instance, line.at, key


def _is_full(tag: Tag) -> bool:
    return tag.skeleton is not None and tag.entity is not None and tag.ordinal is not None


def _bound(keys: Iterable[str], one: InstanceId) -> set[str]:
    return {key.replace("{entity}", one.entity) for key in keys}


@define
class Tape:
    """The lines that stand after the events taken so far, each of which has to be enabled."""

    contract: Contract
    clock: int = 0
    epoch: int = 1
    logs: dict[InstanceId, list[Line]] = field(factory=dict)
    writes: dict[str, list[Line]] = field(factory=dict)
    read_by: dict[InstanceId, list[tuple[Line, str, Line]]] = field(factory=dict)
    standing: set[int] = field(factory=set)
    marks: dict[str, Mark] = field(factory=dict)
    pending: list[Seen] = field(factory=list)
    done: list[tuple[int, InstanceId, int, str]] = field(factory=list)

    def _skeleton(self, one: InstanceId) -> Skeleton:
        return self.contract.skeletons.get(one.skeleton, Skeleton(rollback_to=frozenset()))

    def _class(self, one: InstanceId, effect: str) -> EffectClass:
        return self._skeleton(one).effects.get(effect, EffectClass.IRREVERSIBLE)

    def _exited(self, one: InstanceId) -> bool:
        return isinstance(self.logs[one][-1].event, Exit)

    def take(self, event: Event) -> None:
        """Read one more event."""
        self.clock += 1
        match event:
            case Save():
                self.marks[event.id] = Mark(self.clock, event, self._owners(event.tag))
            case Fail():
                self.pending.append(self._seen(event))
            case Restore():
                self._cut(self.marks[event.checkpoint])
                self.pending = []
            case Rerun():
                self.logs, self.writes, self.marks, self.pending = {}, {}, {}, []
                self.read_by, self.standing = {}, set()
                self.epoch += 1
            case Act():
                self._act(event, self._line(event))
            case _:
                self._line(event)

    def _line(self, event: Enter | Act | Commit | Exit) -> Line:
        log = self.logs.setdefault(event.instance, [])
        log.append(Line(self.clock, len(log) + 1, event))
        self.standing.add(self.clock)
        return log[-1]

    def _act(self, event: Act, line: Line) -> None:
        one = event.instance
        keys = _bound(self._skeleton(one).reads, one) if event.reads is None else event.reads
        for key in keys:
            write = self.writes[key][-1] if self.writes.get(key) else line
            if write.event.instance != one:
                self.read_by.setdefault(write.event.instance, []).append((line, key, write))
        for key in event.writes:
            self.writes.setdefault(key, []).append(line)
        for effect in event.effects:
            if self._class(one, effect) not in {EffectClass.REVERSIBLE, EffectClass.IDEMPOTENT}:
                self.done.append((self.epoch, one, self.clock, effect))

    def _owners(self, tag: Tag) -> frozenset[InstanceId]:
        held = [seen.candidates for seen in self.pending if len(seen.candidates) == 1]
        return frozenset(
            one
            for one in self.logs
            if _fits(tag, one)
            and (_is_full(tag) or not (self._exited(one) or frozenset((one,)) in held))
        )

    def _seen(self, fail: Fail) -> Seen:
        doubt = None
        if fail.suspect is not None:
            found = [
                (one, line.at)
                for one, log in self.logs.items()
                for line in log
                if isinstance(line.event, Act) and line.event.id == fail.suspect
            ]
            owners = [one for one, _ in found if _fits(fail.tag, one)]
            doubt = found[0][1] if owners else None
        elif _is_full(fail.tag):
            owners = [one for one in self.logs if _fits(fail.tag, one)]
        else:
            owners = [one for one in self.logs if not self._exited(one) and self._may_be(fail, one)]
        return Seen(self.clock, frozenset(owners), doubt)

    def _may_be(self, fail: Fail, one: InstanceId) -> bool:
        skeleton = self._skeleton(one)
        told = (fail.state is None or fail.state in skeleton.states) and (
            fail.tool is None or fail.tool in skeleton.tools
        )
        argument = None if fail.tool is None else skeleton.tools.get(fail.tool)
        entity = None if argument is None else fail.args.get(argument)
        return (
            _fits(fail.tag, one)
            and (fail.tag.skeleton is not None or told)
            and (fail.tag.entity is not None or entity is None or entity == one.entity)
        )

    def _cut(self, mark: Mark) -> None:
        whole = mark.event.scope is Scope.TASK
        alone = mark.owners if len(mark.owners) == 1 else frozenset()
        lost = {}
        for one in list(self.logs) if whole else alone:
            log = self.logs[one]
            gone = [line for line in log if line.at > mark.at]
            if gone:
                lost[one] = gone[0].at
                self._strike(gone)
                del log[len(log) - len(gone) :]
            if not log:
                del self.logs[one]
        self.marks = {
            name: other
            for name, other in self.marks.items()
            if not any(
                at < other.at and (other.event.scope is Scope.TASK or one in other.owners)
                for one, at in lost.items()
            )
        }

    def _strike(self, gone: list[Line]) -> None:
        for line in gone:
            self.standing.remove(line.at)
            for key in line.event.writes if isinstance(line.event, Act) else ():
                self.writes[key].remove(line)

    def _open(self, one: InstanceId, kept: list[Line]) -> list[Line]:
        state, keys, found = None, set[str](), list[Line]()
        for line in kept:
            event = line.event
            state = state if event.state is None else event.state
            if isinstance(event, Act):
                keys |= event.writes
                found += [line] if event.writes else []
                continue
            claims = {Commit: self._skeleton(one).commit, Exit: self._skeleton(one).exit}
            claim = claims.get(type(event))
            if claim is None or (
                (claim.states is None or state in claim.states)
                and _bound(claim.writes or (), one) <= keys
            ):
                found = []
        return found

    def _readers(self, one: InstanceId) -> list[tuple[Line, str, Line, bool]]:
        found = [read for read in self.read_by.get(one, ()) if read[0].at in self.standing]
        return [
            (line, key, write, self._is_committed(line))
            for line, key, write in sorted(found, key=_by_reader)
        ]

    def _is_committed(self, line: Line) -> bool:
        log = self.logs[line.event.instance]
        return any(isinstance(other.event, Commit | Exit) for other in log[line.place :])

    def _bars(
        self, mark: Mark, one: InstanceId, kind: Boundary, readers: list[Any]
    ) -> Iterator[Witness]:
        log = self.logs[one]
        kept = [line for line in log if line.at <= mark.at]
        yield from self._boundary_bars(mark, one, kind, kept)
        doubt = self.pending[0].doubt
        if doubt is not None and doubt <= mark.at:
            yield Witness(guard="repairs", instance=one, at=doubt)
        for guard, wanted in (("no_committed_conflict", True), ("no_live_conflict", False)):
            for line, key, write, committed in readers:
                if committed is wanted and write.place > len(kept):
                    yield Witness(
                        guard=guard,
                        key=key,
                        written_at=write.at,
                        reader=line.event.instance,
                        read_at=line.at,
                    )
        yield from self._effect_bars(one, log[len(kept) :])

    def _boundary_bars(
        self, mark: Mark, one: InstanceId, kind: Boundary, kept: list[Line]
    ) -> Iterator[Witness]:
        if not mark.event.stable:
            yield Witness(guard="stable")
        if mark.owners != frozenset((one,)):
            yield Witness(guard="decidable", owners=tuple(sorted(mark.owners)))
        for line in self._open(one, kept):
            for key in sorted(getattr(line.event, "writes", ())):
                yield Witness(guard="closed", key=key, written_at=line.at)
        for other in sorted(self.logs) if mark.event.scope is Scope.TASK else ():
            after = [line.at for line in self.logs[other] if line.at > mark.at]
            if other != one and after:
                yield Witness(guard="separable", instance=other, at=after[0])
        if kind not in self._skeleton(one).rollback_to:
            yield Witness(guard="controllable", kind=kind)

    def _effect_bars(self, one: InstanceId, undone: list[Line]) -> Iterator[Witness]:
        for line in undone:
            for effect in sorted(getattr(line.event, "effects", ())):
                found = self._class(one, effect)
                compensated = found is EffectClass.COMPENSABLE and self.contract.compensate
                if (
                    found not in {EffectClass.REVERSIBLE, EffectClass.IDEMPOTENT}
                    and not compensated
                ):
                    yield Witness(
                        guard="effect_allowed", effect=effect, effect_class=found, at=line.at
                    )

    def _judged(self, mark: Mark, one: InstanceId, readers: list[Any]) -> Judged:
        kept = [line for line in self.logs[one] if line.at <= mark.at]
        kinds = {Enter: Boundary.ENTRY, Exit: Boundary.EXIT}
        kind = kinds.get(type(kept[-1].event), Boundary.COMMIT)
        bars = tuple(self._bars(mark, one, kind, readers))
        barred = {bar.guard for bar in bars}
        held = Guards(**{guard.name: guard.name not in barred for guard in fields(Guards)})
        return Judged(id=mark.event.id, kind=kind, guards=held, witnesses=bars)

    def _performed(self, wanted: EffectClass) -> tuple[Performed, ...]:
        return tuple(
            Performed(instance=one, effect=effect, at=at)
            for _, one, at, effect in sorted(self.done)
            if self._class(one, effect) is wanted
        )

    def claims(self) -> dict[str, Any]:
        """Each field that the decision which is due now has to have; none where none is due."""
        if not self.pending:
            return {}
        candidates = frozenset[InstanceId]().union(*(seen.candidates for seen in self.pending))
        known = len(self.pending) == 1 and len(candidates) == 1
        failed = next(iter(candidates)) if known else None
        judged: tuple[Judged, ...] = ()
        if failed is not None:
            readers = self._readers(failed)
            own = [mark for mark in self.marks.values() if failed in mark.owners]
            judged = tuple(self._judged(mark, failed, readers) for mark in reversed(own))
        chosen = next((one.id for one in judged if not one.witnesses), None)
        hazards = self._performed(EffectClass.IRREVERSIBLE)
        escalates = self.contract.fallback is Fallback.ESCALATE and hazards
        fallen = Verdict.ESCALATE if escalates else Verdict.RERUN
        reason = Reason.NO_ADMISSIBLE_CHECKPOINT if known else Reason.NOT_IDENTIFIED
        return {
            "failure": self.pending[0].at,
            "verdict": fallen if chosen is None else Verdict.RESTORE,
            "reason": reason if chosen is None else None,
            "instance": failed,
            "candidates": tuple(sorted(candidates)),
            "checkpoint": chosen,
            "restore": () if failed is None or chosen is None else (Target(failed, chosen),),
            **self._costs(failed, chosen),
            "checkpoints": judged,
            "hazards": hazards,
        }

    def _costs(self, failed: InstanceId | None, chosen: str | None) -> dict[str, Any]:
        again = [line for log in self.logs.values() for line in log]
        if failed is not None and chosen is not None:
            again = [line for line in self.logs[failed] if line.at > self.marks[chosen].at]
        acts = [line for line in again if isinstance(line.event, Act)]
        undone = {line.at for line in again} if chosen else set()
        exited = {one for one in self.logs if self._exited(one)}
        return {
            "replay": len(acts),
            "upstream_replay": sum(line.event.instance != failed for line in acts),
            "preserved": len(exited - {line.event.instance for line in again}),
            "compensations": tuple(
                one for one in self._performed(EffectClass.COMPENSABLE) if one.at in undone
            ),
        }

    def complaints(self, decision: Decision | None) -> tuple[str, ...]:
        """What is not so of what the decision says, field by field; nothing where all is so."""
        return objections(self.claims(), decision)


def objections(claims: dict[str, Any], decision: Decision | None) -> tuple[str, ...]:
    """Where the decision differs from what it has to claim."""
    if decision is None:
        return ("a decision is due",) if claims else ()
    if not claims:
        return ("no decision is due",)
    return tuple(
        f"{name}: told {getattr(decision, name)!r}, found {claim!r}"
        for name, claim in claims.items()
        if repr(getattr(decision, name)) != repr(claim)
    )


def verify(contract: Contract, events: Iterable[Event], decision: Decision) -> tuple[str, ...]:
    """What is not so of the decision that is due after the events; nothing where all is so."""
    tape = Tape(contract)
    for event in events:
        tape.take(event)
    return tape.complaints(decision)
