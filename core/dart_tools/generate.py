"""
Random legal histories with a hidden truth, for tests of this core and of other runtimes.

Every event that is yielded is enabled.
What a failure or a partial checkpoint shows is a masked view of the truth that it carries, and an
instance that is seen without its ordinal is live (assumption A1).
The random source is an argument: the same seed gives the same history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from attrs import evolve, frozen

from dart_core import (
    Act,
    Boundary,
    Commit,
    Contract,
    EffectClass,
    Enter,
    EntryKind,
    Event,
    Exit,
    Fail,
    Fallback,
    FrozenMap,
    History,
    InstanceId,
    Predicate,
    Refusal,
    Rerun,
    Restore,
    Save,
    Scope,
    Skeleton,
    Tag,
    apply,
    decide,
    entered,
    initial,
    live,
    log_of,
    suspended,
)

__all__ = ["Shape", "random_contract", "random_event", "random_events", "random_trace"]


@frozen(kw_only=True)
class Shape:
    """
    What the histories look like.

    `events` is their length; `skeletons`, `entities` and `keys` are counts, small ones make
    instances meet; `lawful` restores only what the decision says, else any checkpoint at times.
    """

    events: int = 30
    skeletons: int = 3
    entities: int = 2
    keys: int = 4
    lawful: bool = True


def _chance(rng: Random, percent: int) -> bool:
    return rng.randrange(100) < percent


def _some(rng: Random, names: list[str], most: int) -> frozenset[str]:
    return frozenset(rng.sample(names, rng.randint(0, min(most, len(names)))))


def _keys(shape: Shape) -> list[str]:
    return [f"k{number}" for number in range(shape.keys)]


def _predicate(rng: Random, states: list[str], keys: list[str]) -> Predicate:
    if _chance(rng, 60):
        return Predicate()
    return Predicate(
        frozenset(rng.sample(states, rng.randint(1, 2))) if _chance(rng, 50) else None,
        _some(rng, [*keys[:2], "{entity}.out"], 1) if _chance(rng, 50) else None,
    )


def _skeleton(rng: Random, shape: Shape, name: str) -> Skeleton:
    keys = [*_keys(shape), "{entity}.out"]
    states = [f"{name}.{step}" for step in ("ready", "working", "done")] + ["shared"]
    boundaries = [Boundary.ENTRY, Boundary.COMMIT, Boundary.EXIT]
    opened = [kind for kind in boundaries if _chance(rng, 50 if kind is Boundary.EXIT else 90)]
    default = Skeleton().rollback_to
    return Skeleton(
        reads=_some(rng, keys, 2),
        writes=_some(rng, keys, 2),
        states=frozenset(states),
        tools=FrozenMap({"call": rng.choice([None, "who"]), f"{name}.call": "who"}),
        commit=_predicate(rng, states, keys),
        exit=_predicate(rng, states, keys),
        rollback_to=default if _chance(rng, 50) else frozenset(opened),
        effects=FrozenMap({kind.value: kind for kind in EffectClass}),
    )


def random_contract(rng: Random, shape: Shape) -> Contract:
    """A contract of `shape.skeletons` skeletons, the last of which is sometimes unreviewed."""
    names = [f"s{number}" for number in range(shape.skeletons)]
    reviewed = names if _chance(rng, 80) else names[:-1]
    external = frozenset([*_keys(shape), *(f"e{n}.out" for n in range(shape.entities))])
    return Contract(
        skeletons=FrozenMap((name, _skeleton(rng, shape, name)) for name in reviewed),
        compensate=_chance(rng, 50),
        fallback=rng.choice([Fallback.RERUN, Fallback.ESCALATE]),
        external=external if _chance(rng, 20) else None,
    )


def _state(rng: Random, history: History, instance: InstanceId) -> str | None:
    skeleton = history.contract.skeletons.get(instance.skeleton)
    if skeleton is None or _chance(rng, 40):
        return None
    return rng.choice(sorted(skeleton.states))


def _consumed(history: History) -> list[InstanceId]:
    """The instances of which another one has read something."""
    return sorted(
        {
            read.version.writer
            for reader, log in history.log.items()
            for entry in log
            for read in entry.reads
            if read.version is not None
            and read.version.writer not in (reader, None)
            and entered(history, read.version.writer)
        }
    )


def _free(history: History) -> list[InstanceId]:
    return sorted(i for i in history.log if live(history, i) and not suspended(history, i))


def _enter(rng: Random, history: History, shape: Shape) -> Event:
    skeleton = f"s{rng.randrange(shape.skeletons)}"
    entity = f"e{rng.randrange(shape.entities)}"
    ordinal = 1
    instance = InstanceId(skeleton=skeleton, entity=entity, ordinal=ordinal)
    while entered(history, instance):
        ordinal += 1
        instance = evolve(instance, ordinal=ordinal)
    return Enter(instance, _state(rng, history, instance))


def _act(rng: Random, history: History, shape: Shape) -> Event | None:
    free = _free(history)
    if not free:
        return None
    instance = rng.choice(free)
    keys = [*_keys(shape), f"{instance.entity}.out"]
    likely = [EffectClass.REVERSIBLE, EffectClass.IDEMPOTENT, EffectClass.COMPENSABLE]
    effect = rng.choice([*likely, *likely, EffectClass.IRREVERSIBLE]).value
    written = sorted(history.store)
    return Act(
        instance=instance,
        id=f"a{history.clock + 1}" if _chance(rng, 80) else None,
        tool=rng.choice([None, "call"]),
        state=_state(rng, history, instance),
        reads=None
        if _chance(rng, 20)
        else _some(rng, written or keys, 2)
        if _chance(rng, 80)
        else frozenset(),
        writes=_some(rng, keys, 2) if _chance(rng, 60) else frozenset(),
        effects=frozenset((effect,)) if _chance(rng, 20) else frozenset(),
    )


def _close(rng: Random, history: History, shape: Shape) -> Event | None:
    del shape
    free = _free(history)
    if not free:
        return None
    instance = rng.choice(free)
    kind = Commit if _chance(rng, 70) else Exit
    return kind(instance, _state(rng, history, instance))


def _mask(rng: Random, instance: InstanceId, *, partial: bool) -> Tag:
    hidden = rng.sample(["skeleton", "entity", "ordinal"], rng.randint(1, 3)) if partial else []
    parts = {
        name: None if name in hidden else getattr(instance, name)
        for name in ("skeleton", "entity", "ordinal")
    }
    return Tag(**parts)


def _save(rng: Random, history: History, shape: Shape) -> Event | None:
    del shape
    free = _free(history)
    exited = sorted(i for i in history.log if not live(history, i))
    partial = bool(free) and _chance(rng, 25)
    owners = [i for i in free if partial] or [i for i in free + exited if not suspended(history, i)]
    if not owners:
        return None
    rested = [i for i in owners if log_of(history, i)[-1].kind is not EntryKind.ACT]
    owner = rng.choice(rested if rested and _chance(rng, 60) else owners)
    return Save(
        id=f"c{history.clock + 1}",
        tag=_mask(rng, owner, partial=partial),
        scope=Scope.TASK if _chance(rng, 25) else Scope.INSTANCE,
        stable=_chance(rng, 90),
        truth=owner if partial else None,
    )


def _fail(rng: Random, history: History, shape: Shape) -> Event | None:
    del shape
    everybody = sorted(history.log)
    if not everybody:
        return None
    alive = [i for i in everybody if live(history, i)]
    likely = rng.choice([_consumed(history), alive, alive, everybody])
    culprit = rng.choice(likely or everybody)
    acts = [entry.id for entry in log_of(history, culprit) if entry.id is not None]
    suspect = rng.choice([*acts, acts[0], "unseen"]) if acts and _chance(rng, 35) else None
    partial = (culprit in alive or suspect is not None) and _chance(rng, 50)
    tag = _mask(rng, culprit, partial=partial)
    skeleton = history.contract.skeletons.get(culprit.skeleton)
    seen = partial and skeleton is not None
    tools = ["call", f"{culprit.skeleton}.call"]
    return Fail(
        tag=tag,
        suspect=suspect,
        state=rng.choice(sorted(skeleton.states)) if skeleton and _chance(rng, 40) else None,
        tool=rng.choice(tools) if seen and _chance(rng, 40) else None,
        args=FrozenMap({"who": culprit.entity} if _chance(rng, 50) else {}),
        truth=culprit if partial else None,
    )


def _recover(rng: Random, history: History, shape: Shape) -> Event | None:
    decision = decide(history)
    if decision is None:
        return None
    if not shape.lawful and history.checkpoints and _chance(rng, 50):
        return Restore(rng.choice(sorted(history.checkpoints)))
    if decision.checkpoint is not None:
        admissible = [
            one.id for one in decision.checkpoints if not one.witnesses and _chance(rng, 30)
        ]
        return Restore(rng.choice([decision.checkpoint, *admissible]))
    return Rerun()


_Maker = Callable[[Random, History, Shape], Event | None]

CALM: dict[_Maker, int] = {_enter: 9, _act: 45, _close: 18, _save: 22, _fail: 6}
PENDING: dict[_Maker, int] = {_enter: 2, _act: 10, _close: 10, _save: 6, _fail: 2, _recover: 40}


def random_event(rng: Random, history: History, shape: Shape) -> Event:
    """An event that is enabled in this state."""
    weights = PENDING if history.failures else CALM
    while True:
        if not history.log and not history.failures:
            return _enter(rng, history, shape)
        (maker,) = rng.choices(list(weights), list(weights.values()))
        event = maker(rng, history, shape)
        if event is not None and not isinstance(apply(history, event), Refusal):
            return event


def random_events(rng: Random, contract: Contract, shape: Shape) -> Iterator[Event]:
    """`shape.events` events, each enabled after those before it."""
    history = initial(contract)
    for _ in range(shape.events):
        event = random_event(rng, history, shape)
        after = apply(history, event)
        if not isinstance(after, Refusal):
            yield event
            history = after


def random_trace(rng: Random, shape: Shape) -> tuple[Contract, tuple[Event, ...]]:
    """A contract and the events of one legal history under it."""
    contract = random_contract(rng, shape)
    return contract, tuple(random_events(rng, contract, shape))
