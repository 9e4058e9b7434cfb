"""Short ways to write histories in tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import dart_core as d
from dart_core import Contract, FrozenMap, History, InstanceId, Refusal, Skeleton, Tag

__all__ = ["A2", "A", "B", "C", "act", "contract", "failed", "full", "run", "save"]

A = InstanceId(skeleton="a", entity="x", ordinal=1)
A2 = InstanceId(skeleton="a", entity="x", ordinal=2)
B = InstanceId(skeleton="b", entity="y", ordinal=1)
C = InstanceId(skeleton="c", entity="z", ordinal=1)


def contract(skeletons: dict[str, Skeleton] | None = None, **rest: Any) -> Contract:
    """A contract that reviews a, b and c, the given ones as given."""
    reviewed = {name: Skeleton() for name in "abc"} | (skeletons or {})
    return Contract(skeletons=FrozenMap(reviewed), **rest)


def full(instance: InstanceId) -> Tag:
    """The tag that leaves nothing open."""
    return Tag(skeleton=instance.skeleton, entity=instance.entity, ordinal=instance.ordinal)


def act(instance: InstanceId, name: str | None = None, **sets: Iterable[str]) -> d.Act:
    """An act that reads nothing unless it says so."""
    given: dict[str, Any] = {key: frozenset(value) for key, value in sets.items()}
    return d.Act(instance=instance, id=name, **{"reads": frozenset(), **given})


def save(name: str, instance: InstanceId, **rest: Any) -> d.Save:
    """A checkpoint with a full tag."""
    return d.Save(id=name, tag=full(instance), **rest)


def failed(instance: InstanceId, **rest: Any) -> d.Fail:
    """A failure with a full tag."""
    return d.Fail(tag=full(instance), **rest)


def run(*events: d.Event, under: Contract | None = None) -> History:
    """The state after the events, all of which must be enabled."""
    after = d.fold(contract() if under is None else under, events)
    assert not isinstance(after, Refusal), after
    return after
