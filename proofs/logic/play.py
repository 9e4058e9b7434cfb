"""Structures as events: a counter-model of a guard becomes a history that the core plays."""

from __future__ import annotations

from collections.abc import Iterator

from dart_core import (
    Act,
    Commit,
    Enter,
    EntryKind,
    Event,
    Exit,
    Fail,
    InstanceId,
    Save,
    Tag,
)
from logic.decode import Decoded


def _tag(owners: frozenset[InstanceId]) -> Tag:
    """A tag that leads to just these instances: to one, or to all that are live."""
    if len(owners) != 1:
        return Tag()
    (one,) = owners
    return Tag(skeleton=one.skeleton, entity=one.entity, ordinal=one.ordinal)


def _event(state: Decoded, number: int) -> Event:
    entry, instance = state.entry(number), state.owner(number)
    match entry.kind:
        case EntryKind.ENTER:
            return Enter(instance)
        case EntryKind.COMMIT:
            return Commit(instance, entry.state)
        case EntryKind.EXIT:
            return Exit(instance, entry.state)
        case EntryKind.ACT:
            return Act(
                instance=instance,
                id=entry.id,
                reads=frozenset(read.key for read in entry.reads),
                writes=frozenset(entry.writes),
                effects=frozenset(entry.effects),
            )


def events(state: Decoded) -> Iterator[Event]:
    """The events that lead to the structure, up to its pending failure."""
    for number in state.alive():
        yield _event(state, number)
        if number == state.constants["saved_after"]:
            saved = state.checkpoint(state.constants["c"])
            yield Save(
                id=saved.id,
                tag=_tag(saved.owners),
                scope=saved.scope,
                stable=saved.stable,
                truth=saved.truth,
            )
    failure = state.failure(state.constants["f"])
    suspect = state.first("in_doubt", state.constants["f"])
    yield Fail(
        tag=_tag(failure.candidates),
        suspect=None if suspect is None else f"a{suspect}",
        truth=failure.truth,
    )
