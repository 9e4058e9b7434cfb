"""
A breadth-first search for the smallest history in which a policy goes wrong.

Two instances of two reviewed skeletons share one key: `slot` writes it, `invite` reads it.
A menu says which events there are; within it the histories found are smallest, because all shorter
ones have been looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import frozen

from dart_core import (
    Act,
    Commit,
    Contract,
    Enter,
    Event,
    Exit,
    Fail,
    FrozenMap,
    History,
    InstanceId,
    Refusal,
    Restore,
    Save,
    Scope,
    Skeleton,
    Tag,
    Violation,
    apply,
    entered,
    initial,
    live,
    log_of,
    restore_violations,
    violations,
)
from necessity.policies import Choose

__all__ = ["CONTRACT", "SLOT", "WHOLE", "WRITE_AND_COMMIT", "Found", "Menu", "smallest"]

SLOT = InstanceId(skeleton="slot", entity="m1", ordinal=1)
INVITE = InstanceId(skeleton="invite", entity="m1", ordinal=1)
INSTANCES = (SLOT, INVITE)
KEY = frozenset(("slot",))
CONTRACT = Contract(
    skeletons=FrozenMap({"slot": Skeleton(writes=KEY), "invite": Skeleton(reads=KEY)})
)

Moves = Callable[[History], Iterator[Event]]


@frozen
class Menu:
    """What may happen before the failure, and what is seen of it."""

    moves: Moves
    failures: Moves


@frozen(kw_only=True)
class Found:
    """The events of a history that goes wrong at its last one, and how."""

    events: tuple[Event, ...]
    wrong: frozenset[Violation]


def full(instance: InstanceId) -> Tag:
    """The tag that leaves nothing open."""
    return Tag(skeleton=instance.skeleton, entity=instance.entity, ordinal=instance.ordinal)


def alive(history: History) -> list[InstanceId]:
    """The instances that have entered and not exited."""
    return [instance for instance in INSTANCES if live(history, instance)]


def write_and_commit(history: History) -> Iterator[Event]:
    """Entering, writing, reading, committing, and checkpoints of the instance that writes."""
    yield from (Enter(instance) for instance in INSTANCES if not entered(history, instance))
    for instance in alive(history):
        yield act_of(history, instance)
        yield Commit(instance)
    if live(history, SLOT):
        yield Save(id=f"c{len(history.checkpoints) + 1}", tag=full(SLOT))


def act_of(history: History, instance: InstanceId) -> Act:
    """The act by which the instance writes the shared key, or reads it."""
    if instance == SLOT:
        return Act(instance=SLOT, id=next_id(history), reads=frozenset(), writes=KEY)
    return Act(instance=INVITE, reads=KEY)


def next_id(history: History) -> str:
    """An id that hangs on the writer's log alone, so that interleavings stay one history."""
    return f"a{len(log_of(history, SLOT)) + 1}"


def whole(history: History) -> Iterator[Event]:
    """All that, an irreversible effect, exits, and checkpoints of unclear owner or wide scope."""
    yield from write_and_commit(history)
    yield from (Exit(instance) for instance in alive(history))
    name = f"c{len(history.checkpoints) + 1}"
    if live(history, SLOT):
        effects = frozenset(("send",))
        yield Act(instance=SLOT, id=next_id(history), reads=frozenset(), effects=effects)
        yield Save(id=name, tag=full(SLOT), scope=Scope.TASK)
    elif entered(history, SLOT):
        yield Save(id=name, tag=full(SLOT))
    if len(alive(history)) > 1:
        yield from (Save(id=name, tag=Tag(), truth=truth) for truth in alive(history))


def clear_failure(history: History) -> Iterator[Event]:
    """The instance that writes has failed, and that is seen."""
    if entered(history, SLOT):
        yield Fail(tag=full(SLOT))


def any_failure(history: History) -> Iterator[Event]:
    """That, or an act of it is in doubt, or nobody sees who failed."""
    yield from clear_failure(history)
    acts = sorted(act for act, (owner, _) in history.acts.items() if owner == SLOT)
    yield from (Fail(tag=full(SLOT), suspect=act) for act in acts)
    if len(alive(history)) > 1:
        yield from (Fail(truth=truth) for truth in alive(history))


WRITE_AND_COMMIT = Menu(write_and_commit, clear_failure)
WHOLE = Menu(whole, any_failure)


def after(history: History, event: Event) -> History | None:
    """The state after the event, or None where it is not enabled."""
    found = apply(history, event)
    return None if isinstance(found, Refusal) else found


def continuations(history: History) -> Iterator[tuple[Event, ...]]:
    """What may follow a restore: nothing, a commit, or an act and a commit."""
    yield ()
    for instance in alive(history):
        yield (Commit(instance),)
        yield (act_of(history, instance), Commit(instance))


def ends(history: History, choose: Choose) -> Iterator[Found]:
    """The ways in which the policy goes wrong in a state in which a failure is pending."""
    for checkpoint in sorted(choose(history), key=lambda one: one.id):
        restore = Restore(checkpoint.id)
        at_once = restore_violations(history, checkpoint)
        restored = after(history, restore)
        if restored is None:
            continue
        for events in continuations(restored):
            state: History | None = restored
            for event in events:
                state = None if state is None else after(state, event)
            wrong = frozenset() if state is None else at_once | violations(state)
            if wrong:
                yield Found(events=(restore, *events), wrong=wrong)


def levels(menu: Menu, depth: int) -> Iterator[list[tuple[History, tuple[Event, ...]]]]:
    """The histories without a failure of 0, 1, 2 … events, each once, with its events."""
    level = [(initial(CONTRACT), tuple[Event, ...]())]
    seen = {level[0][0]}
    for _ in range(depth + 1):
        yield level
        wider = []
        for history, events in level:
            for event in menu.moves(history):
                found = after(history, event)
                if found is not None and found not in seen:
                    seen.add(found)
                    wider.append((found, (*events, event)))
        level = wider


def smallest(
    menu: Menu,
    policies: dict[str, Choose],
    depth: int,
    wanted: Callable[[Found], bool] = lambda found: bool(found.wrong),
) -> dict[str, Found]:
    """
    For each policy a smallest history of the menu in which it goes wrong in a wanted way.

    A policy is missing where `depth` events before the failure do not suffice.
    """
    best: dict[str, Found] = {}
    for done, level in enumerate(levels(menu, depth)):
        # What is found below this level has at least a failure and a restore more.
        still = {
            name: choose
            for name, choose in policies.items()
            if name not in best or len(best[name].events) > done + 2
        }
        if not still:
            break
        for name, found in candidates(menu, level, still):
            shorter = name not in best or len(found.events) < len(best[name].events)
            if shorter and wanted(found):
                best[name] = found
    return best


def candidates(
    menu: Menu, level: list[tuple[History, tuple[Event, ...]]], policies: dict[str, Choose]
) -> Iterator[tuple[str, Found]]:
    """The ways in which the policies go wrong after one failure more."""
    for history, events in level:
        if not history.checkpoints:
            continue
        for fail in menu.failures(history):
            failing = after(history, fail)
            if failing is None:
                continue
            for name, choose in policies.items():
                for end in ends(failing, choose):
                    yield name, Found(events=(*events, fail, *end.events), wrong=end.wrong)
