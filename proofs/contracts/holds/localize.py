"""Step 1: who may have failed, and when exactly one is known to have."""

from __future__ import annotations

from enum import Enum

from attrs import evolve

from contracts.shapes import (
    CONTRACT,
    FAILED,
    INVITE,
    OTHER,
    ROOM,
    TWIN,
    Presence,
    failure,
    members,
)
from dart_core import (
    Contract,
    Fail,
    FrozenMap,
    History,
    InstanceId,
    Skeleton,
    Tag,
    candidates,
    identified,
)


class Name(Enum):
    """What is seen of the skeleton; None is nothing."""

    UNKNOWN = None
    SLOT = "slot"
    INVITE = "invite"


class Entity(Enum):
    """What is seen of the entity; None is nothing."""

    UNKNOWN = None
    FIRST = "m1"
    SECOND = "m2"


def present(**presence: Presence) -> History:
    """A history in which each instance is absent, live or exited."""
    names = {"failed": FAILED, "twin": TWIN, "other": OTHER, "invite": INVITE}
    logs = {names[name]: one.value for name, one in presence.items()}
    there = FrozenMap((instance, log) for instance, log in logs.items() if log)
    return History(contract=CONTRACT, log=there)


def slot(name: Name) -> bool:
    """Whether the seen name leaves `slot` possible."""
    return name is not Name.INVITE


def m1(entity: Entity) -> bool:
    """Whether the seen entity leaves the first one possible."""
    return entity is not Entity.SECOND


def m2(entity: Entity) -> bool:
    """Whether the seen entity leaves the second one possible."""
    return entity is not Entity.FIRST


def invite(name: Name) -> bool:
    """Whether the seen name leaves `invite` possible."""
    return name is not Name.SLOT


def may_be(ordinal: int | None, one: int) -> bool:
    """Whether the seen ordinal leaves this one possible."""
    return ordinal is None or ordinal == one


def check_partial_tag(
    name: Name, entity: Entity, ordinal: int | None, others: tuple[bool, bool]
) -> frozenset[InstanceId]:
    """
    A partial tag may be of every live instance that it does not rule out.

    pre: name is Name.UNKNOWN or entity is Entity.UNKNOWN or ordinal is None
    post: (FAILED in __return__) == (slot(name) and m1(entity) and may_be(ordinal, 1))
    post: (TWIN in __return__) == (others[0] and slot(name) and m1(entity) and may_be(ordinal, 2))
    post: (OTHER in __return__) == (others[1] and slot(name) and m2(entity) and may_be(ordinal, 1))
    post: (INVITE in __return__) == (invite(name) and m1(entity) and may_be(ordinal, 1))
    """
    twin, other = (Presence.LIVE if live else Presence.EXITED for live in others)
    history = present(failed=Presence.LIVE, twin=twin, other=other, invite=Presence.LIVE)
    tag = Tag(skeleton=name.value, entity=entity.value, ordinal=ordinal)
    return candidates(history, Fail(tag=tag))


def check_full_tag(ordinal: int, failed: Presence, twin: Presence) -> frozenset[InstanceId]:
    """
    A full tag is of the instance that it names, live or exited, if it entered at all.

    post: (FAILED in __return__) == (ordinal == 1 and failed is not Presence.ABSENT)
    post: (TWIN in __return__) == (ordinal == 2 and twin is not Presence.ABSENT)
    post: OTHER not in __return__ and INVITE not in __return__
    """
    history = present(failed=failed, twin=twin, other=Presence.LIVE, invite=Presence.LIVE)
    return candidates(history, Fail(tag=Tag(skeleton="slot", entity="m1", ordinal=ordinal)))


def check_named_act(
    survives: bool, own: bool, named: Name, ordinal: int | None, failed: Presence
) -> frozenset[InstanceId]:
    """
    A named act is of its owner alone, live or exited, if it survives and the tag allows it.

    pre: failed is not Presence.ABSENT
    post: (FAILED in __return__) == (survives and own and slot(named) and may_be(ordinal, 1))
    post: (INVITE in __return__) == (survives and not own and invite(named) and may_be(ordinal, 1))
    post: TWIN not in __return__ and OTHER not in __return__
    """
    history = present(
        failed=failed, twin=Presence.LIVE, other=Presence.LIVE, invite=Presence.EXITED
    )
    place = (FAILED if own else INVITE, 1)
    acts = FrozenMap({"a1" if survives else "a2": place})
    fail = Fail(tag=Tag(skeleton=named.value, ordinal=ordinal), suspect="a1")
    return candidates(evolve(history, acts=acts), fail)


def check_state_and_tool(
    state: bool, tool: bool, lists: tuple[bool, bool], named: bool, live: bool
) -> bool:
    """
    Where the skeleton is unknown, it lists the state and the tool that were seen, if any were.

    post: __return__ == (live and (named or ((lists[0] or not state) and (lists[1] or not tool))))
    """
    skeleton = Skeleton(
        states=frozenset(("busy",) if lists[0] else ()),
        tools=FrozenMap({"call": None} if lists[1] else {}),
    )
    contract = Contract(skeletons=FrozenMap({"slot": skeleton}))
    history = present(failed=Presence.LIVE if live else Presence.EXITED)
    fail = Fail(
        tag=Tag(skeleton="slot" if named else None),
        state="busy" if state else None,
        tool="call" if tool else None,
    )
    return FAILED in candidates(evolve(history, contract=contract), fail)


def check_bound_entity(binds: bool, tool: bool, given: bool, right: bool, entity: bool) -> bool:
    """
    Where the entity is unknown, it is the one that the call's argument binds, if it binds one.

    post: __return__ == (entity or right or not (binds and tool and given))
    """
    skeleton = Skeleton(tools=FrozenMap({"call": "who" if binds else None}))
    contract = Contract(skeletons=FrozenMap({"slot": skeleton}))
    fail = Fail(
        tag=Tag(skeleton="slot", entity="m1" if entity else None),
        tool="call" if tool else None,
        args=FrozenMap({"who" if given else "what": "m1" if right else "m2"}),
    )
    return FAILED in candidates(evolve(present(failed=Presence.LIVE), contract=contract), fail)


def check_identified(
    first: tuple[bool, bool, bool], second: tuple[bool, bool], pending: int
) -> InstanceId | None:
    """
    The failed instance is known where one failure is pending and has one candidate.

    pre: 0 <= pending <= 2
    post: (__return__ is not None) == (pending == 1 and sum(first) == 1)
    post: __return__ is None or first[(FAILED, INVITE, ROOM).index(__return__)]
    """
    failures = (
        failure(*members(*zip((FAILED, INVITE, ROOM), first, strict=True))),
        failure(*members(*zip((FAILED, INVITE), second, strict=True))),
    )
    return identified(History(contract=CONTRACT, failures=failures[:pending]))
