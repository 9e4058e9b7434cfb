"""
Long traces as an agent platform records them, for measuring.

Many instances run at a time; each works, publishes one key, commits, works on and exits, and its
acts read what others have published before.
Checkpoints stand at the entry and after the commit, failures show at acts, and every recovery is
the one that the decision asks for.
The random source is an argument: the same seed gives the same trace.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from random import Random

from attrs import define, field, frozen

from dart_core import (
    Act,
    Commit,
    Contract,
    EffectClass,
    Enter,
    Event,
    Exit,
    Fail,
    FrozenMap,
    InstanceId,
    Predicate,
    Rerun,
    Restore,
    Save,
    Skeleton,
    Tag,
)
from dart_core.monitor import Monitor

__all__ = ["CONTRACT", "Workload", "workload_events"]

KINDS = ("collect", "rank", "book", "notify")

CONTRACT = Contract(
    skeletons=FrozenMap(
        {
            kind: Skeleton(
                writes=frozenset({"{entity}.out", "{entity}.note"}),
                states=frozenset({f"{kind}.working", f"{kind}.ready"}),
                tools=FrozenMap({f"{kind}.call": "entity"}),
                commit=Predicate(writes=frozenset({"{entity}.out"})),
                effects=FrozenMap(
                    {
                        "log": EffectClass.IDEMPOTENT,
                        "draft": EffectClass.REVERSIBLE,
                        "send": EffectClass.IRREVERSIBLE,
                    }
                ),
            )
            for kind in KINDS
        }
    )
)


@frozen(kw_only=True)
class Workload:
    """
    What the trace looks like.

    `concurrency` is the number of instances that run at a time, `acts` their acts each, `fan_out`
    the keys that an act reads; `density` is the chance that a checkpoint is saved where one could
    be, `failures` that an instance fails, `sends` that its last act cannot be undone.
    """

    instances: int = 1000
    concurrency: int = 16
    acts: int = 5
    fan_out: int = 1
    density: float = 1.0
    failures: float = 0.01
    sends: float = 0.05


@define
class Running:
    """An instance at work: the next of its steps, and where each of its checkpoints stands."""

    instance: InstanceId
    steps: tuple[str, ...]
    place: int = 0
    marks: dict[str, int] = field(factory=dict)


def _steps(workload: Workload) -> tuple[str, ...]:
    before = max(1, workload.acts // 2)
    after = max(0, workload.acts - before - 1)
    first = ("enter", "save", *("act",) * before, "publish", "commit", "save")
    return (*first, *("act",) * after, "exit")


@define
class Platform:
    """The instances at work, what they have published lately, and the monitor that decides."""

    rng: Random
    workload: Workload
    monitor: Monitor = field(factory=lambda: Monitor(CONTRACT))
    running: list[Running] = field(factory=list)
    published: deque[str] = field(factory=lambda: deque(maxlen=64))
    started: int = 0

    def events(self) -> Iterator[Event]:
        """The events in the order in which they happen, each enabled."""
        steps = _steps(self.workload)
        chance = self.workload.failures / max(1, steps.count("act"))
        while self.running or self.started < self.workload.instances:
            if len(self.running) < self.workload.concurrency and (
                self.started < self.workload.instances
            ):
                self.running.append(Running(self._next_instance(), steps))
            one = self.rng.choice(self.running)
            if one.steps[one.place] == "act" and self.rng.random() < chance:
                yield from self._failure(one)
            else:
                yield from self._step(one)

    def _next_instance(self) -> InstanceId:
        self.started += 1
        kind = KINDS[self.started % len(KINDS)]
        return InstanceId(skeleton=kind, entity=f"e{self.started}", ordinal=1)

    def _step(self, one: Running) -> Iterator[Event]:
        step = one.steps[one.place]
        one.place += 1
        if step != "save" or self.rng.random() < self.workload.density:
            yield self._seen(self._event(one, step))
        if step == "commit":
            self.published.append(f"{one.instance.entity}.out")
        if step == "exit":
            self.running.remove(one)

    def _event(self, one: Running, step: str) -> Event:
        instance = one.instance
        match step:
            case "enter":
                return Enter(instance, f"{instance.skeleton}.working")
            case "save":
                name = f"c{self.monitor.clock + 1}"
                one.marks[name] = one.place
                return Save(id=name, tag=_tag(instance))
            case "commit":
                return Commit(instance, f"{instance.skeleton}.ready")
            case "exit":
                return Exit(instance)
        return self._act(one, "out" if step == "publish" else "note")

    def _act(self, one: Running, key: str) -> Act:
        instance = one.instance
        reads = {
            self.rng.choice(self.published) for _ in range(self.workload.fan_out) if self.published
        }
        is_last = one.steps[one.place] == "exit"
        effect = "send" if is_last and self.rng.random() < self.workload.sends else "log"
        return Act(
            instance=instance,
            id=f"a{self.monitor.clock + 1}",
            tool=f"{instance.skeleton}.call",
            reads=frozenset(reads),
            writes=frozenset({f"{instance.entity}.{key}"}),
            effects=frozenset({effect}),
        )

    def _failure(self, one: Running) -> Iterator[Event]:
        yield self._seen(Fail(tag=_tag(one.instance)))
        ruling = self.monitor.rule()
        if ruling is None or ruling.checkpoint is None:
            self.running.clear()
            self.published.clear()
            yield self._seen(Rerun())
        else:
            one.place = one.marks[ruling.checkpoint]
            yield self._seen(Restore(ruling.checkpoint))

    def _seen(self, event: Event) -> Event:
        self.monitor.observe(event)
        return event


def _tag(instance: InstanceId) -> Tag:
    return Tag(skeleton=instance.skeleton, entity=instance.entity, ordinal=instance.ordinal)


def workload_events(rng: Random, workload: Workload) -> Iterator[Event]:
    """The events of a trace under CONTRACT."""
    return Platform(rng, workload).events()
