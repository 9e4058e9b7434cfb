"""
A checker of decisions that shares nothing with what makes them.

It reads the raw events once and keeps the lines that stand, each with the number of its event.
A checkpoint is a number too: restoring it keeps what was there before.
The decision that is due is worked out anew from these, so no part of one can be altered unnoticed.
A test holds that only values are imported here.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator

from attrs import asdict, define, field, fields, frozen

from dart_core.admit import Guards
from dart_core.contract import Boundary, Contract, EffectClass, Fallback, Skeleton
from dart_core.decide import Decision, Judged, Performed, Reason, Target, Verdict, Witness
from dart_core.history import Act, Enter, Event, Exit, Fail, InstanceId, Rerun, Restore, Save, Scope

__all__ = ["Tape", "objections", "verify"]


@frozen(eq=False)
class Line:
    """An event of a log and its place there; what is no act stands as one that does nothing."""

    at: int
    place: int
    kind: type[Event]
    act: Act


@frozen
class Mark:
    """A checkpoint, its number and the instances whose it may be."""

    at: int
    save: Save
    owners: frozenset[InstanceId]


def _bound(keys: Iterable[str], one: InstanceId) -> set[str]:
    return {key.replace("{entity}", one.entity) for key in keys}


@define
class Tape:
    """
    What stands after the events taken so far, each of which has to be enabled.

    `reads` has what was ever read of an instance: the reading line, the key, the line that wrote.
    `pending` has number, suspect and candidates of each failure; `world` has epoch, instance,
    number and name of each irreversible effect that ever was.
    """

    contract: Contract
    clock: int = 0
    epoch: int = 1
    logs: dict[InstanceId, list[Line]] = field(factory=dict)
    writes: dict[str, list[Line]] = field(factory=dict)
    reads: dict[InstanceId, list[tuple[Line, str, Line]]] = field(factory=dict)
    marks: dict[str, Mark] = field(factory=dict)
    pending: list[tuple[int, str | None, frozenset[InstanceId]]] = field(factory=list)
    world: list[tuple[int, InstanceId, int, str]] = field(factory=list)

    def take(self, event: Event) -> None:
        """Read one more event."""
        self.clock += 1
        match event:
            case Save():
                stopped = [owners for _, _, owners in self.pending if len(owners) == 1]
                owners = self._whose(Fail(tag=event.tag)).difference(*stopped)
                self.marks[event.id] = Mark(self.clock, event, owners)
            case Fail():
                self.pending.append((self.clock, event.suspect, self._whose(event)))
            case Restore():
                self._restore(self.marks[event.checkpoint])
            case Rerun():
                self.logs, self.writes, self.reads, self.marks = {}, {}, {}, {}
                self.epoch, self.pending = self.epoch + 1, []
            case Act():
                self._add(Act, event)
            case _:
                idle = Act(instance=event.instance, state=event.state, reads=frozenset())
                self._add(type(event), idle)

    def _add(self, kind: type[Event], act: Act) -> None:
        one, log = act.instance, self.logs.setdefault(act.instance, [])
        keys = _bound(self._policy(one).reads, one) if act.reads is None else act.reads
        line = Line(self.clock, len(log) + 1, kind, act)
        log.append(line)
        for key, write in [(key, self.writes[key][-1]) for key in keys if self.writes.get(key)]:
            self.reads.setdefault(write.act.instance, []).append((line, key, write))
        for key in act.writes:
            self.writes.setdefault(key, []).append(line)
        for done in self._effects([line], EffectClass.IRREVERSIBLE):
            insort(self.world, (self.epoch, one, done.at, done.effect))

    def _restore(self, mark: Mark) -> None:
        undone = self._undone(mark)
        for line in undone:
            self.logs[line.act.instance].pop()
            for key in line.act.writes:
                self.writes[key].remove(line)
        self.logs = {one: log for one, log in self.logs.items() if log}
        first = {line.act.instance: line.at for line in reversed(undone)}
        for name, other in list(self.marks.items()):
            whole = other.save.scope is Scope.TASK
            if any(at < other.at and (whole or one in other.owners) for one, at in first.items()):
                del self.marks[name]
        self.pending = []

    def _undone(self, mark: Mark) -> list[Line]:
        """What restoring the checkpoint undoes: nothing where nobody can say whose it is."""
        alone = mark.owners if len(mark.owners) == 1 else ()
        rewound = self.logs if mark.save.scope is Scope.TASK else alone
        return [line for one in rewound for line in self.logs[one] if line.at > mark.at]

    def _policy(self, one: InstanceId) -> Skeleton:
        return self.contract.skeletons.get(one.skeleton, Skeleton(rollback_to=frozenset()))

    def _class(self, one: InstanceId, effect: str) -> EffectClass:
        return self._policy(one).effects.get(effect, EffectClass.IRREVERSIBLE)

    def _effects(self, lines: list[Line], *classes: EffectClass) -> list[Performed]:
        return [
            Performed(instance=line.act.instance, effect=effect, at=line.at)
            for line in lines
            for effect in sorted(line.act.effects)
            if self._class(line.act.instance, effect) in classes
        ]

    def _whose(self, seen: Fail) -> frozenset[InstanceId]:
        """Whom all that was seen fits: the suspect's owner, a full tag's, or some at work."""
        known = {name: part for name, part in asdict(seen.tag).items() if part is not None}
        full = InstanceId(**asdict(seen.tag))
        if seen.suspect is not None:
            acts = [line.act for log in self.logs.values() for line in log]
            found = [act.instance for act in acts if act.id == seen.suspect]
        elif full in self.logs:
            found = [full]
        else:
            live = [one for one, log in self.logs.items() if log[-1].kind is not Exit]
            found = [one for one in live if self._shows(one, seen)]
        return frozenset(one for one in found if known.items() <= asdict(one).items())

    def _shows(self, one: InstanceId, seen: Fail) -> bool:
        """Whether state, tool and arguments fit the instance, where the tag leaves that open."""
        policy = self._policy(one)
        told = {seen.state} <= {None, *policy.states} and {seen.tool} <= {None, *policy.tools}
        bound = {seen.args[name] for name in seen.args if (seen.tool, name) in policy.tools.items()}
        skeleton, entity = seen.tag.skeleton, seen.tag.entity
        return (skeleton is not None or told) and (entity is not None or bound <= {one.entity})

    def _open(self, kept: list[Line]) -> list[tuple[str, int]]:
        """The keys that were written since the last commit or exit that holds, and when."""
        state, keys, found = None, set[str](), list[tuple[str, int]]()
        for line in kept:
            state = state if line.act.state is None else line.act.state
            keys |= line.act.writes
            found += [(key, line.at) for key in sorted(line.act.writes)]
            policy = self._policy(line.act.instance)
            claim = policy.exit if line.kind is Exit else policy.commit
            written = _bound(claim.writes or (), line.act.instance) <= keys
            if line.kind is not Act and written and (claim.states is None or state in claim.states):
                found = []
        return found

    def _readers(self, one: InstanceId) -> list[tuple[bool, InstanceId, int, str, Line]]:
        """What others have read of the instance: whether they are live, who, when, what, whence."""
        found = []
        for line, key, write in self.reads.get(one, ()):
            log = self.logs.get(line.act.instance, [])
            if line in log[line.place - 1 : line.place] and line.act.instance != one:
                live = all(later.kind is Act for later in log[line.place :])
                found.append((live, line.act.instance, line.at, key, write))
        return sorted(found)

    def _bars(self, mark: Mark, kept: list[Line], kind: Boundary) -> Iterator[Witness]:  # noqa: C901 (nine guards)
        one = kept[-1].act.instance
        if not mark.save.stable:
            yield Witness(guard="stable")
        if mark.owners != {one}:
            yield Witness(guard="decidable", owners=tuple(sorted(mark.owners)))
        for key, at in self._open(kept):
            yield Witness(guard="closed", key=key, written_at=at)
        first = {line.act.instance: line.at for line in reversed(self._undone(mark))}
        for other, at in sorted(first.items()):
            if other != one:
                yield Witness(guard="separable", instance=other, at=at)
        if kind not in self._policy(one).rollback_to:
            yield Witness(guard="controllable", kind=kind)
        suspect = self.pending[0][1]
        for line in kept:
            if suspect is not None and line.act.id == suspect:
                yield Witness(guard="repairs", instance=one, at=line.at)
        for live, reader, at, key, write in self._readers(one):
            if write.place > len(kept):
                guard = "no_live_conflict" if live else "no_committed_conflict"
                yield Witness(guard=guard, key=key, written_at=write.at, reader=reader, read_at=at)
        unpaid = () if self.contract.compensate else (EffectClass.COMPENSABLE,)
        for done in self._effects(self.logs[one][len(kept) :], EffectClass.IRREVERSIBLE, *unpaid):
            found = self._class(one, done.effect)
            yield Witness(
                guard="effect_allowed", effect=done.effect, effect_class=found, at=done.at
            )

    def _judged(self, one: InstanceId) -> Iterator[Judged]:
        kinds = {Enter: Boundary.ENTRY, Exit: Boundary.EXIT}
        for mark in reversed(self.marks.values()):
            if one in mark.owners:
                kept = [line for line in self.logs[one] if line.at <= mark.at]
                kind = kinds.get(kept[-1].kind, Boundary.COMMIT)
                bars = tuple(self._bars(mark, kept, kind))
                barred = {bar.guard for bar in bars}
                held = {guard.name: guard.name not in barred for guard in fields(Guards)}
                yield Judged(id=mark.save.id, kind=kind, guards=Guards(**held), witnesses=bars)

    def due(self) -> Decision | None:
        """The decision about the pending failures, with its evidence; None where there is none."""
        if not self.pending:
            return None
        candidates = sorted({one for _, _, owners in self.pending for one in owners})
        failed = candidates[0] if len(self.pending) == len(candidates) == 1 else None
        judged = () if failed is None else tuple(self._judged(failed))
        chosen = next((self.marks[one.id] for one in judged if not one.witnesses), None)
        everything = [line for log in self.logs.values() for line in log]
        undone = everything if chosen is None else self._undone(chosen)
        acts = [line.act.instance for line in undone if line.kind is Act]
        exited = {one for one, log in self.logs.items() if log[-1].kind is Exit}
        hazards = tuple(Performed(instance=i, effect=name, at=at) for _, i, at, name in self.world)
        verdict, reason = Verdict.RESTORE, None
        if chosen is None:
            escalates = hazards and self.contract.fallback is Fallback.ESCALATE
            verdict = Verdict.ESCALATE if escalates else Verdict.RERUN
            reason = Reason.NO_ADMISSIBLE_CHECKPOINT if failed else Reason.NOT_IDENTIFIED
        return Decision(
            failure=self.pending[0][0],
            verdict=verdict,
            reason=reason,
            instance=failed,
            candidates=tuple(candidates),
            checkpoint=chosen.save.id if chosen else None,
            restore=(Target(failed, chosen.save.id),) if failed and chosen else (),
            replay=len(acts),
            upstream_replay=sum(one != failed for one in acts),
            preserved=len(exited.difference(line.act.instance for line in undone)),
            checkpoints=judged,
            hazards=hazards,
            compensations=tuple(self._effects(undone if chosen else [], EffectClass.COMPENSABLE)),
        )


def objections(due: Decision | None, told: Decision | None) -> tuple[str, ...]:
    """Where the decision that is told is not the one that is due, to the numbers of the events."""
    if due is None or told is None:
        missing = "no decision is due" if due is None else "a decision is due"
        return () if due is told else (missing,)
    pairs = [(name, getattr(told, name), so) for name, so in asdict(due, recurse=False).items()]
    return tuple(f"{name}: told {a!r}, found {b!r}" for name, a, b in pairs if repr(a) != repr(b))


def verify(contract: Contract, events: Iterable[Event], decision: Decision) -> tuple[str, ...]:
    """What is not so of the decision that is due after the events; nothing where all is so."""
    tape = Tape(contract)
    for event in events:
        tape.take(event)
    return objections(tape.due(), decision)
