"""What somebody could take localization for: each statement is wrong about the real function."""

from __future__ import annotations

from contracts.holds import localize as holds
from contracts.holds.localize import Entity, Name, invite, m2, may_be, slot
from contracts.shapes import FAILED, INVITE, OTHER, Presence
from dart_core import InstanceId


def check_partial_tag_but_exited(
    name: Name, entity: Entity, ordinal: int | None, others: tuple[bool, bool]
) -> frozenset[InstanceId]:
    """
    One that has exited would still be a candidate.

    pre: name is Name.UNKNOWN or entity is Entity.UNKNOWN or ordinal is None
    post: (OTHER in __return__) == (slot(name) and m2(entity) and may_be(ordinal, 1))
    """
    return holds.check_partial_tag(name, entity, ordinal, others)


def check_full_tag_but_live(
    ordinal: int, failed: Presence, twin: Presence
) -> frozenset[InstanceId]:
    """
    A full tag would name live instances only.

    post: (FAILED in __return__) == (ordinal == 1 and failed is Presence.LIVE)
    """
    return holds.check_full_tag(ordinal, failed, twin)


def check_named_act_but_as_tagged(
    survives: bool, own: bool, named: Name, ordinal: int | None, failed: Presence
) -> frozenset[InstanceId]:
    """
    An act that is gone would leave the instances that the tag fits.

    pre: failed is not Presence.ABSENT
    post: (INVITE in __return__) == (not own and invite(named) and may_be(ordinal, 1))
    """
    return holds.check_named_act(survives, own, named, ordinal, failed)


def check_state_and_tool_but_either(
    state: bool, tool: bool, lists: tuple[bool, bool], named: bool, live: bool
) -> bool:
    """
    It would be enough to list the state or the tool.

    post: __return__ == (live and (named or lists[0] or lists[1] or not (state or tool)))
    """
    return holds.check_state_and_tool(state, tool, lists, named, live)


def check_bound_entity_but_required(
    binds: bool, tool: bool, given: bool, right: bool, entity: bool
) -> bool:
    """
    A call that binds nothing would rule everybody out.

    post: __return__ == (entity or (right and binds and tool and given))
    """
    return holds.check_bound_entity(binds, tool, given, right, entity)


def check_identified_but_by_agreement(
    first: tuple[bool, bool, bool], second: tuple[bool, bool], pending: int
) -> InstanceId | None:
    """
    Two failures that agree would identify the instance.

    pre: 0 <= pending <= 2
    post: pending != 2 or sum(first) != 1 or first[:2] != second or __return__ is not None
    """
    return holds.check_identified(first, second, pending)
