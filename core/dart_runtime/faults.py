"""Faults: what is seen of one, and what it spoils."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dart_core import Fail, History, InstanceId, Tag, is_full
from dart_runtime.final import DAMAGED
from dart_runtime.programs import Part
from dart_runtime.rows import Fault, instance_of, place_of

__all__ = ["blamed", "damaged", "failure", "seen_tag"]


def seen_tag(instance: InstanceId, seen: tuple[Part, ...]) -> Tag:
    """The instance as far as it is seen."""
    return Tag(
        skeleton=instance.skeleton if "skeleton" in seen else None,
        entity=instance.entity if "entity" in seen else None,
        ordinal=instance.ordinal if "ordinal" in seen else None,
    )


def blamed(fault: Fault) -> InstanceId:
    """The instance that the failure is of."""
    return instance_of(fault.blames or fault.instance)


def failure(history: History, fault: Fault, lost: str | None) -> Fail:
    """
    The failure as it is seen, but for state, tool and arguments.

    `lost` is the id of the act whose reply was lost.
    """
    tag = seen_tag(blamed(fault), fault.seen)
    return Fail(
        tag=tag,
        suspect=_suspect(history, fault) or (lost if is_full(tag) else None),
        truth=None if is_full(tag) else blamed(fault),
    )


def _suspect(history: History, fault: Fault) -> str | None:
    if fault.suspect is None:
        return None
    instance, act = place_of(fault.suspect)
    name = f"{instance}/{act}"
    return next(one for one in history.acts if one.partition("~")[0] == name)


def damaged(value: Any) -> Any:  # noqa: ANN401
    """The value with every text and number in it spoilt."""
    if isinstance(value, Mapping):
        return {key: damaged(one) for key, one in value.items()}
    if isinstance(value, list):
        return [damaged(one) for one in value]
    if isinstance(value, str):
        return DAMAGED
    return -1 if isinstance(value, int) else value
