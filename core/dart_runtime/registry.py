"""
The instance registry: to whom a call or a checkpoint belongs, by the contract.

What is not known for certain stays unknown: the registry never picks one of several.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from attrs import frozen

from dart_core import Contract, Fail, FrozenMap, History, InstanceId, Tag, candidates

__all__ = ["Seen", "binding_arguments", "live_instances", "next_ordinal", "tag_of", "tag_seen"]

T = TypeVar("T")


@frozen(kw_only=True)
class Seen:
    """What is seen of a call: parts of the tag, the FSM state, the tool and its arguments."""

    tag: Tag = Tag()
    state: str | None = None
    tool: str | None = None
    args: FrozenMap[str, str] = FrozenMap()


def live_instances(history: History, seen: Seen) -> frozenset[InstanceId]:
    """The live instances that all that was seen fits."""
    fail = Fail(tag=seen.tag, state=seen.state, tool=seen.tool, args=seen.args)
    return candidates(history, fail)


def tag_seen(history: History, seen: Seen) -> Tag:
    """
    The tag with every part that is certain: seen, or the same in all instances that fit.

    Where none fits, only what was seen.
    """
    fitting = live_instances(history, seen)
    return Tag(
        skeleton=seen.tag.skeleton or _same({one.skeleton for one in fitting}),
        entity=seen.tag.entity or _same({one.entity for one in fitting}),
        ordinal=seen.tag.ordinal or _same({one.ordinal for one in fitting}),
    )


def _same(values: set[T]) -> T | None:
    return next(iter(values)) if len(values) == 1 else None


def binding_arguments(
    contract: Contract, tool: str, arguments: Mapping[str, object]
) -> FrozenMap[str, str]:
    """The arguments of the call that bind an entity by some skeleton, as the contract has them."""
    names = {skeleton.tools.get(tool) for skeleton in contract.skeletons.values()}
    return FrozenMap((name, str(value)) for name, value in arguments.items() if name in names)


def tag_of(seen: InstanceId | Tag) -> Tag:
    """The instance as a tag with all its parts."""
    if isinstance(seen, Tag):
        return seen
    return Tag(skeleton=seen.skeleton, entity=seen.entity, ordinal=seen.ordinal)


def next_ordinal(history: History, skeleton: str, entity: str) -> int:
    """The ordinal of the next instance of the skeleton for the entity in this epoch."""
    return 1 + max(
        (one.ordinal for one in history.log if (one.skeleton, one.entity) == (skeleton, entity)),
        default=0,
    )
