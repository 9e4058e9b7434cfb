"""Random histories for the monitor: legal events, and between them events that may be refused."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from attrs import astuple

from dart_core import (
    Act,
    Commit,
    Contract,
    Decision,
    Enter,
    Event,
    Exit,
    Fail,
    FrozenMap,
    History,
    InstanceId,
    Refusal,
    Rerun,
    Restore,
    Save,
    Scope,
    Skeleton,
    Tag,
    apply,
    initial,
)
from dart_core.monitor import Monitor
from dart_tools.generate import Shape, random_contract, random_event

__all__ = [
    "MAKER",
    "OF_MAKER",
    "OF_USER",
    "STALE_AT_THE_CUT",
    "USER",
    "Step",
    "follow",
    "told",
    "walk",
]

Step = tuple[Event, History, Monitor]
PARTS = ("skeleton", "entity", "ordinal")
EFFECTS = ("reversible", "idempotent", "compensable", "irreversible", "unlisted")


def told(decision: Decision | None) -> str:
    """The decision with all that it says, numbers of events too, which equality leaves out."""
    return repr(decision)


def shape_of(rng: Random) -> Shape:
    return Shape(
        events=rng.choice([12, 30, 60]),
        skeletons=rng.choice([1, 2, 3]),
        entities=rng.choice([1, 2, 3]),
        keys=rng.choice([1, 2, 4]),
        lawful=rng.random() < 0.3,
    )


def _stranger(rng: Random) -> InstanceId:
    return InstanceId(
        skeleton=f"s{rng.randrange(3)}", entity=f"e{rng.randrange(3)}", ordinal=rng.randint(1, 3)
    )


def _tag(rng: Random, instance: InstanceId) -> Tag:
    hidden = rng.sample(PARTS, rng.choice([0, 0, 1, 2, 3]))
    return Tag(**{name: None if name in hidden else getattr(instance, name) for name in PARTS})


def wild_event(rng: Random, history: History) -> Event:
    """An event of names that exist or could, which is often not enabled."""
    instance = rng.choice([*sorted(history.log), _stranger(rng)])
    name = rng.choice([*sorted(history.checkpoints), f"c{history.clock + 1}"])
    acts = sorted(history.acts)
    makers: list[Event] = [
        Enter(instance),
        Act(
            instance=instance,
            id=rng.choice([None, *acts]),
            reads=frozenset(rng.sample(["k0", "k1", "k9", "k8"], rng.randint(0, 2))),
            writes=frozenset({"k0"}),
            effects=frozenset(rng.sample(EFFECTS, rng.choice([0, 0, 1, 3]))),
        ),
        Commit(instance),
        Exit(instance),
        Save(
            id=name,
            tag=_tag(rng, instance),
            scope=rng.choice(list(Scope)),
            stable=rng.random() < 0.8,
        ),
        Fail(tag=_tag(rng, instance), suspect=rng.choice([None, None, "unseen", *acts[:2]])),
        Restore(name),
        Rerun(),
    ]
    weights = [4, 4, 3, 3, 4, 1, 2, 1]
    return rng.choices(makers, weights)[0]


def walk(seed: int) -> Iterator[Step]:
    """
    Each event of one history, with the definition's state and a monitor after it.

    Both have refused what is not enabled, in the same words.
    """
    rng = Random(seed)  # noqa: S311 (a seed is wanted)
    shape = shape_of(rng)
    contract: Contract = random_contract(rng, shape)
    history, monitor = initial(contract), Monitor(contract)
    for _ in range(shape.events):
        wild = rng.random() < 0.25
        event = wild_event(rng, history) if wild else random_event(rng, history, shape)
        after = apply(history, event)
        refusal = monitor.observe(event)
        if isinstance(after, Refusal):
            assert refusal == after, (seed, event)
            assert astuple(refusal) == astuple(after)
        else:
            assert refusal is None, (seed, event, refusal)
            history = after
        yield event, history, monitor


def follow(contract: Contract, events: tuple[Event, ...]) -> Iterator[Step]:
    """Each event of a history that is enabled throughout."""
    history, monitor = initial(contract), Monitor(contract)
    for event in events:
        after = apply(history, event)
        assert not isinstance(after, Refusal)
        assert monitor.observe(event) is None
        history = after
        yield event, history, monitor


MAKER = InstanceId(skeleton="make", entity="m", ordinal=1)
USER = InstanceId(skeleton="use", entity="u", ordinal=1)
OF_MAKER = Tag(skeleton="make", entity="m", ordinal=1)
OF_USER = Tag(skeleton="use", entity="u", ordinal=1)

# A read of a version that is gone pins by the version's place: here a commit stands at that place
# now, and the checkpoint right after it may be restored.
STALE_AT_THE_CUT = (
    Contract(skeletons=FrozenMap({"make": Skeleton(), "use": Skeleton()})),
    (
        Enter(MAKER),
        Save(id="entry", tag=OF_MAKER),
        Act(instance=MAKER, writes=frozenset({"part"})),
        Enter(USER),
        Act(instance=USER, reads=frozenset({"part"})),
        Fail(tag=OF_MAKER),
        Restore("entry"),
        Commit(MAKER),
        Save(id="commit", tag=OF_MAKER),
        Act(instance=MAKER, writes=frozenset({"part"})),
        Fail(tag=OF_MAKER),
    ),
)
