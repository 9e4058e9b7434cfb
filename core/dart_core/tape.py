"""
The raw events of a run, read once, for the checker of decisions: it shares nothing with others.

The tape keeps the lines that stand, each with the number of its event.
A checkpoint is a number too: restoring it keeps what was there before.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator

from attrs import asdict, define, field, frozen

from dart_core.contract import Contract, EffectClass, Skeleton
from dart_core.history import Act, Event, Exit, Fail, InstanceId, Rerun, Restore, Save, Scope

__all__ = ["Line", "Mark", "Tape", "bound", "effects", "firsts"]


@define(eq=False)
class Line:
    """An event in the log of `one`, and its place there; what is no act stands as an idle one."""

    at: int
    place: int
    one: InstanceId
    kind: type[Event]
    act: Act
    policy: Skeleton
    stands: bool = True


@frozen
class Mark:
    """A checkpoint, its number and the instances whose it may be."""

    at: int
    save: Save
    owners: frozenset[InstanceId]


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
                self._remove(self.undone(self.marks[event.checkpoint]))
            case Rerun():
                self.logs, self.writes, self.reads, self.marks = {}, {}, {}, {}
                self.epoch, self.pending = self.epoch + 1, []
            case Act():
                self._add(Act, event)
            case _:
                idle = Act(instance=event.instance, state=event.state, reads=frozenset())
                self._add(type(event), idle)

    def undone(self, mark: Mark) -> list[Line]:
        """What restoring the checkpoint undoes: nothing where nobody can say whose it is."""
        alone = mark.owners if len(mark.owners) == 1 else ()
        rewound = self.logs if mark.save.scope is Scope.TASK else alone
        return [line for one in rewound for line in self.logs[one] if line.at > mark.at]

    def _add(self, kind: type[Event], act: Act) -> None:
        one, log = act.instance, self.logs.setdefault(act.instance, [])
        policy = self.contract.skeletons.get(one.skeleton, Skeleton(rollback_to=frozenset()))
        line = Line(self.clock, len(log) + 1, one, kind, act, policy)
        log.append(line)
        keys = bound(policy.reads, one) if act.reads is None else act.reads
        for key, write in [(key, self.writes[key][-1]) for key in keys if self.writes.get(key)]:
            self.reads.setdefault(write.one, []).append((line, key, write))
        for key in act.writes:
            self.writes.setdefault(key, []).append(line)
        for _, effect, found in effects([line]):
            if found is EffectClass.IRREVERSIBLE:
                insort(self.world, (self.epoch, one, line.at, effect))

    def _remove(self, lines: list[Line]) -> None:
        for line in lines:
            line.stands = False
            self.logs[line.one].pop()
            for key in line.act.writes:
                self.writes[key].remove(line)
        self.logs = {one: log for one, log in self.logs.items() if log}
        first = firsts(lines).items()
        for name, mark in list(self.marks.items()):
            whole = mark.save.scope is Scope.TASK
            if any(at < mark.at and (whole or one in mark.owners) for one, at in first):
                del self.marks[name]
        self.pending = []

    def _whose(self, seen: Fail) -> frozenset[InstanceId]:
        """Whom all that was seen fits: the suspect's owner, a full tag's, or some at work."""
        known = {name: part for name, part in asdict(seen.tag).items() if part is not None}
        full = InstanceId(**asdict(seen.tag))
        if seen.suspect is not None:
            lines = [line for log in self.logs.values() for line in log]
            found = [line.one for line in lines if line.act.id == seen.suspect]
        elif full in self.logs:
            found = [full]
        else:
            last = [log[-1] for log in self.logs.values()]
            found = [line.one for line in last if line.kind is not Exit and _shows(line, seen)]
        return frozenset(one for one in found if known.items() <= asdict(one).items())


def _shows(line: Line, seen: Fail) -> bool:
    """Whether state, tool and arguments fit the instance, where the tag leaves that open."""
    states, tools = line.policy.states, line.policy.tools
    told = {seen.state} <= {None, *states} and {seen.tool} <= {None, *tools}
    entities = {seen.args[name] for name in seen.args if (seen.tool, name) in tools.items()}
    skeleton, entity = seen.tag.skeleton, seen.tag.entity
    return (skeleton is not None or told) and (entity is not None or entities <= {line.one.entity})


def bound(keys: frozenset[str], one: InstanceId) -> set[str]:
    """The keys with the instance's entity in its place."""
    return {key.replace("{entity}", one.entity) for key in keys}


def effects(lines: list[Line]) -> Iterator[tuple[Line, str, EffectClass]]:
    """Each effect of the lines with its class, in order; what is not reviewed is irreversible."""
    for line in lines:
        for effect in sorted(line.act.effects):
            yield line, effect, line.policy.effects.get(effect, EffectClass.IRREVERSIBLE)


def firsts(lines: list[Line]) -> dict[InstanceId, int]:
    """The number of each instance's first line among these, which are in order."""
    return {line.one: line.at for line in reversed(lines)}
