"""The cases of the validation: what fails, and what the host declares of the nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen

from dart_core import Boundary, Contract, EffectClass, FrozenMap, Skeleton
from dart_runtime.langgraph.declare import Node
from dart_runtime.langgraph.validation.graphs import (
    ATTENDEES,
    COLLECT,
    Builder,
    again,
    beside,
    decisive,
    earlier,
    half_done,
)
from dart_runtime.langgraph.validation.world import World

__all__ = ["CASES", "Case"]

CONTRACT = Contract(
    skeletons=FrozenMap(
        {
            "collect": Skeleton(),
            "slot": Skeleton(),
            "invite": Skeleton(
                effects=FrozenMap(
                    {"send_invite": EffectClass.IRREVERSIBLE, "file_copy": EffectClass.IDEMPOTENT}
                )
            ),
            "book_room": Skeleton(effects=FrozenMap({"book": EffectClass.IRREVERSIBLE})),
            "announce": Skeleton(effects=FrozenMap({"announce": EffectClass.IRREVERSIBLE})),
        }
    )
)


@frozen(kw_only=True)
class Case:
    """
    A way in which the task fails.

    `build` makes the graph in a world; `guarded` says whether its functions are recorded acts.
    `subtasks` leads from each subtask to its acts; `failed` is the one that fails, and `entry` the
    node that it begins with.
    """

    name: str
    title: str
    build: Callable[[World, bool], Builder]
    nodes: Mapping[str, Node]
    subtasks: Mapping[str, tuple[str, ...]]
    failed: str
    entry: str
    contract: Contract = CONTRACT


def meeting(**more: Any) -> Node:
    """A node that works on the meeting."""
    return Node(entity="meeting", **more)


SLOT_NODES = {
    "propose": meeting(skeleton="slot", opens=True, closes=None, reads=["meeting"]),
    "rank": meeting(skeleton="slot", closes=None, reads=["draft"]),
    "select": meeting(skeleton="slot", closes=None, reads=["ranked"]),
    "commit_slot": meeting(skeleton="slot", closes=Boundary.COMMIT, reads=["chosen"]),
    "confirm_form": meeting(skeleton="slot", reads=["slot"]),
}
SLOT = tuple(SLOT_NODES)


def user_nodes(
    skeleton: str, effect: str, first: str, last: str, *, logged: bool
) -> dict[str, Node]:
    """The nodes of a subtask that relies on the slot."""
    key = {"compose": "invitation", "request": "request"}[first]
    closes = Boundary.COMMIT if logged else Boundary.EXIT
    nodes = {
        first: meeting(skeleton=skeleton, closes=None, reads=["slot"]),
        last: meeting(skeleton=skeleton, closes=closes, reads=[key, "rounds"], effects=[effect]),
    }
    log = {"send": "log_invite", "book": "log_room"}[last]
    more = {log: meeting(skeleton=skeleton, reads=["sent" if last == "send" else "room"])}
    return {**nodes, **more} if logged else nodes


def _always(entity: str) -> Callable[[Any], str]:
    return lambda _: entity


def collect_nodes() -> dict[str, Node]:
    """The nodes of the three subgraphs."""
    nodes = {}
    for attendee in ATTENDEES:
        for kind in COLLECT:
            nodes[f"{kind}_{attendee}"] = Node(
                skeleton="collect",
                entity=_always(attendee),
                closes=Boundary.EXIT if kind == COLLECT[-1] else None,
                reads=["meeting"] if kind == COLLECT[0] else ["calendar"],
            )
    return nodes


COLLECTED = {f"collect {a}": tuple(f"{kind}_{a}" for kind in COLLECT) for a in ATTENDEES}
INVITE = user_nodes("invite", "send_invite", "compose", "send", logged=True)


def _decisive(name: str, rooms: int) -> Case:
    room = user_nodes("book_room", "book", "request", "book", logged=rooms == len(INVITE))
    return Case(
        name=name,
        title="the last act of the slot fails; an invitation and a room rely on the slot",
        build=decisive(rooms),
        nodes={**collect_nodes(), **SLOT_NODES, **INVITE, **room},
        subtasks={**COLLECTED, "slot": SLOT, "invite": tuple(INVITE), "book_room": tuple(room)},
        failed="slot",
        entry="propose",
    )


CASES = (
    _decisive("SCH-LG a", 2),
    _decisive("SCH-LG b", 3),
    Case(
        name="earlier act",
        title="the act in doubt lies before the failing one, and nobody relies on it",
        build=earlier,
        nodes={
            **SLOT_NODES,
            "announce": meeting(skeleton="announce", reads=["meeting"], effects=["announce"]),
        },
        subtasks={"slot": SLOT, "announce": ("announce",)},
        failed="slot",
        entry="propose",
    ),
    Case(
        name="half done",
        title="the failed node had already had an effect",
        build=half_done,
        nodes={
            **SLOT_NODES,
            "commit_slot": meeting(skeleton="slot", reads=["chosen"]),
            "invite": meeting(reads=["slot"]),
        },
        subtasks={"slot": SLOT[:-1], "invite": ("send", "copy")},
        failed="invite",
        entry="invite",
    ),
    Case(
        name="branch beside",
        title="a branch beside it has relied on the output that turns out wrong",
        build=beside,
        nodes={
            **SLOT_NODES,
            "send": meeting(skeleton="invite", reads=["slot"], effects=["send_invite"]),
        },
        subtasks={"slot": SLOT, "invite": ("send",)},
        failed="slot",
        entry="propose",
    ),
    Case(
        name="entered again",
        title="the subtask is entered again, and its second output turns out wrong",
        build=again,
        nodes={**SLOT_NODES, **INVITE, "reschedule": meeting(reads=["rounds"])},
        subtasks={"slot": SLOT, "invite": tuple(INVITE), "reschedule": ("reschedule",)},
        failed="slot",
        entry="propose",
    ),
)
