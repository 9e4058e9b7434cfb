"""Small tasks in the shape of the five domains, for runs that are killed."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve, frozen

from dart_core import Contract, EffectClass, Fallback, FrozenMap, InstanceId, Skeleton

__all__ = ["TASKS", "Step", "Task"]


@frozen(kw_only=True)
class Step:
    """One step of one instance; `saves` saves a checkpoint with it, `fails` raises at first."""

    instance: InstanceId
    kind: str
    tool: str = ""
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    effects: frozenset[str] = frozenset()
    saves: bool = False
    fails: bool = False


@frozen(kw_only=True)
class Task:
    """A contract, and the steps in the order in which a run without faults takes them."""

    name: str
    contract: Contract
    steps: tuple[Step, ...]


def instance(skeleton: str, entity: str) -> InstanceId:
    return InstanceId(skeleton=skeleton, entity=entity, ordinal=1)


def begins(who: InstanceId) -> Step:
    return Step(instance=who, kind="enter", saves=True)


def commits(who: InstanceId) -> Step:
    return Step(instance=who, kind="commit", saves=True)


def exits(who: InstanceId) -> Step:
    return Step(instance=who, kind="exit")


def act(  # noqa: PLR0913 (the format's fields)
    who: InstanceId,
    tool: str,
    *,
    reads: str = "",
    writes: str = "",
    effects: str = "",
    fails: bool = False,
) -> Step:
    return Step(
        instance=who,
        kind="act",
        tool=tool,
        reads=frozenset(reads.split()),
        writes=frozenset(writes.split()),
        effects=frozenset(effects.split()),
        fails=fails,
    )


def subtask(who: InstanceId, count: int, key: str) -> Iterator[Step]:
    """A completed upstream instance that writes its key with its last act."""
    yield begins(who)
    for number in range(1, count):
        yield act(who, f"gather{number}")
    yield act(who, "store", writes=key)
    yield exits(who)


def skeletons(**effects: dict[str, EffectClass]) -> FrozenMap[str, Skeleton]:
    return FrozenMap((name, Skeleton(effects=FrozenMap(made))) for name, made in effects.items())


def schedule_form() -> Task:
    slot, invite, room = instance("slot", "m1"), instance("invite", "m1"), instance("room", "m1")
    steps = (
        *subtask(instance("collect", "ann"), 2, "free/ann"),
        begins(slot),
        act(slot, "propose", reads="free/ann"),
        act(slot, "commit_slot", writes="slot"),
        commits(slot),
        begins(invite),
        begins(room),
        act(invite, "send", reads="slot", effects="send_invite"),
        act(room, "book", reads="slot", effects="book_room"),
        commits(invite),
        commits(room),
        act(slot, "confirm_form", writes="form", fails=True),
        exits(slot),
        exits(invite),
        exits(room),
    )
    kinds = skeletons(collect={}, slot={}, invite={}, room={})
    contract = Contract(skeletons=kinds, fallback=Fallback.ESCALATE)
    return Task(name="schedule-form", contract=contract, steps=steps)


def navigation() -> Task:
    leg, notice = instance("leg", "w2"), instance("handoff", "w2")
    steps = (
        *subtask(instance("leg", "w1"), 2, "eta/w1"),
        begins(leg),
        act(leg, "query_route", reads="eta/w1"),
        act(leg, "traverse", writes="eta/w2"),
        commits(leg),
        begins(notice),
        act(notice, "post_notice", reads="eta/w2", effects="notice"),
        commits(notice),
        act(leg, "confirm_arrival", fails=True),
        exits(leg),
        exits(notice),
    )
    kinds = skeletons(leg={}, handoff={"notice": EffectClass.REVERSIBLE})
    return Task(name="navigation", contract=Contract(skeletons=kinds), steps=steps)


def diagnosis() -> Task:
    case, plan = instance("hypothesis", "c"), instance("plan", "c")
    steps = (
        *subtask(instance("test", "blood"), 2, "result/blood"),
        *subtask(instance("test", "image"), 1, "result/image"),
        begins(case),
        act(case, "rank", reads="result/blood result/image"),
        act(case, "publish_dx", writes="dx"),
        commits(case),
        begins(plan),
        act(plan, "draft", reads="dx", writes="plan"),
        commits(plan),
        act(case, "verify", writes="verified"),
        act(case, "finalise", fails=True),
        exits(case),
        exits(plan),
    )
    kinds = skeletons(test={}, hypothesis={}, plan={})
    return Task(name="diagnosis", contract=Contract(skeletons=kinds), steps=steps)


def etl() -> Task:
    fact, load = instance("transform", "sales"), instance("load", "mart")
    steps = (
        *subtask(instance("extract", "crm"), 1, "raw/crm"),
        begins(fact),
        act(fact, "join", reads="raw/crm"),
        act(fact, "publish", writes="part"),
        commits(fact),
        begins(load),
        act(load, "load", reads="part", writes="mart"),
        act(fact, "announce", effects="publish_feed"),
        act(fact, "verify", fails=True),
        exits(fact),
        commits(load),
        exits(load),
    )
    kinds = skeletons(extract={}, transform={}, load={})
    contract = Contract(skeletons=kinds, fallback=Fallback.ESCALATE)
    return Task(name="etl", contract=contract, steps=steps)


def travel() -> Task:
    trip, visa = instance("itinerary", "t"), instance("visa", "t")
    steps = (
        *subtask(instance("flight", "t"), 2, "flight"),
        begins(trip),
        act(trip, "publish_dates", reads="flight", writes="dates", effects="hold"),
        commits(trip),
        begins(visa),
        act(visa, "apply", reads="dates", effects="visa_fee"),
        act(trip, "pay", effects="payment", fails=True),
        exits(trip),
        commits(visa),
        exits(visa),
    )
    kinds = skeletons(flight={}, itinerary={"hold": EffectClass.COMPENSABLE}, visa={})
    return Task(name="travel", contract=Contract(skeletons=kinds, compensate=True), steps=steps)


def escalating(task: Task) -> Task:
    """The task under a contract that calls a person where a rerun would repeat something."""
    contract = evolve(task.contract, fallback=Fallback.ESCALATE)
    return Task(name=f"{task.name}-escalate", contract=contract, steps=task.steps)


TASKS = {
    task.name: task
    for task in (
        schedule_form(),
        navigation(),
        diagnosis(),
        etl(),
        travel(),
        escalating(travel()),
    )
}
