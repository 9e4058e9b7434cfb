"""
The schedule-form task on LangGraph: each act is a node, or a function within one.

`collect(attendee)` gathers what is free, three times five acts.
`slot(meeting)` proposes, ranks, selects and commits a slot, and later confirms a form.
`invite` and `book_room` rely on the committed slot, and what they do cannot be undone.
The domain is ours; its counts are those that the paper reports for this substrate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from threading import Event
from typing import Any, TypedDict

from attrs import frozen
from langgraph.graph import END, START, StateGraph

from dart_core import Boundary, Contract, EffectClass, FrozenMap, Skeleton
from dart_runtime.langgraph.declare import Node
from dart_runtime.langgraph.errors import DoubtError
from dart_runtime.langgraph.nodes import act
from dart_runtime.langgraph.validation.world import World

__all__ = ["CASES", "Case", "Schedule"]

ATTENDEES = ("a1", "a2", "a3")
MEETING = "m1"
COLLECT = ("fetch", "normalise", "merge", "check", "store")
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


class Schedule(TypedDict, total=False):
    """The state; a slot is a time of day."""

    meeting: str
    rounds: int
    calendar: str
    free: str
    draft: str
    ranked: str
    chosen: str
    slot: str
    form: str
    invitation: str
    sent: str
    request: str
    room: str
    announced: str


Builder = StateGraph[Any]
Step = Callable[[Any], Mapping[str, Any]]


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


def step(world: World, name: str, source: str, target: str) -> Step:
    """An act that passes on what it reads."""

    def run(state: Schedule) -> Mapping[str, Any]:
        world.begin(name)
        return {target: state.get(source, "")}

    return run


def doing(world: World, name: str, source: str, target: str, effect: str) -> Step:
    """An act that does something that cannot be undone, and relies on what it reads."""

    def run(state: Schedule) -> Mapping[str, Any]:
        world.begin(name)
        relies_on = str(state.get(source, ""))
        world.do(effect, f"{MEETING} round {state.get('rounds', 1)}", relies_on)
        return {target: relies_on}

    return run


def proposing(world: World) -> Step:
    """The act that proposes the next slot."""

    def run(_: Schedule) -> Mapping[str, Any]:
        return {"draft": world.slot(world.begin("propose"))}

    return run


def failing(world: World, name: str, source: str, target: str) -> Step:
    """An act that fails the first time, having done nothing."""

    def run(state: Schedule) -> Mapping[str, Any]:
        world.begin(name)
        if world.first_time(name):
            message = "the form's server does not answer"
            raise OSError(message)
        return {target: state.get(source, "")}

    return run


def doubting(world: World, name: str, taken: int, target: str) -> Step:
    """An act that finds the slot of the proposal `taken` is no longer free."""

    def run(state: Schedule) -> Mapping[str, Any]:
        world.begin(name)
        if world.taken(state["slot"], taken):
            message = f"{state['slot']} is no longer free"
            raise DoubtError(message, key="slot")
        return {target: state["slot"]}

    return run


def chain(builder: Builder, names: list[str]) -> None:
    """Let the nodes run one after the other."""
    for one, other in pairwise(names):
        builder.add_edge(one, other)


def add(builder: Any, steps: Mapping[str, Step]) -> list[str]:  # noqa: ANN401
    """Add the nodes; their names, in order."""
    for name, run in steps.items():
        builder.add_node(name, run)
    return list(steps)


def collecting(world: World, attendee: str) -> Any:  # noqa: ANN401
    """The subgraph that gathers what is free of one attendee."""
    builder: Builder = StateGraph(Schedule)
    names = [f"{kind}_{attendee}" for kind in COLLECT]
    channels = ["meeting", "calendar", "calendar", "calendar", "calendar", "free"]
    add(builder, {n: step(world, n, channels[i], channels[i + 1]) for i, n in enumerate(names)})
    chain(builder, [START, *names, END])
    return builder.compile()


def slot_steps(world: World) -> dict[str, Step]:
    """The four acts that end in the committed slot."""
    return {
        "propose": proposing(world),
        "rank": step(world, "rank", "draft", "ranked"),
        "select": step(world, "select", "ranked", "chosen"),
        "commit_slot": step(world, "commit_slot", "chosen", "slot"),
    }


def invite_steps(world: World) -> dict[str, Step]:
    """The three acts of the invitation."""
    return {
        "compose": step(world, "compose", "slot", "invitation"),
        "send": doing(world, "send", "invitation", "sent", "send_invite"),
        "log_invite": step(world, "log_invite", "sent", "sent"),
    }


def room_steps(world: World, acts: int) -> dict[str, Step]:
    """The two or three acts of the room."""
    steps = {
        "request": step(world, "request", "slot", "request"),
        "book": doing(world, "book", "request", "room", "book"),
        "log_room": step(world, "log_room", "room", "room"),
    }
    return dict(list(steps.items())[:acts])


def decisive(rooms: int) -> Callable[[World, bool], Builder]:
    """Confirming fails once, after others have committed on the slot (the paper's case)."""

    def build(world: World, guarded: bool) -> Builder:
        del guarded
        builder: Builder = StateGraph(Schedule)
        names = add(builder, {f"collect_{a}": collecting(world, a) for a in ATTENDEES})
        names += add(builder, slot_steps(world))
        users = [add(builder, invite_steps(world)), add(builder, room_steps(world, rooms))]
        names += [name for user in users[:: 1 if world.seed % 2 else -1] for name in user]
        names += add(builder, {"confirm_form": failing(world, "confirm_form", "slot", "form")})
        chain(builder, [START, *names, END])
        return builder

    return build


def earlier(world: World, guarded: bool) -> Builder:
    """The committed slot turns out wrong, and nobody has relied on it."""
    del guarded
    builder: Builder = StateGraph(Schedule)
    names = add(builder, slot_steps(world))
    names += add(builder, {"announce": doing(world, "announce", "meeting", "announced", "announce")})
    names += add(builder, {"confirm_form": doubting(world, "confirm_form", 1, "form")})
    chain(builder, [START, *names, END])
    return builder


def half_done(world: World, guarded: bool) -> Builder:
    """One node sends the invitation and then files a copy, which fails once."""

    def send(slot: str) -> str:
        world.begin("send")
        world.do("send_invite", MEETING, slot)
        return slot

    def copy(slot: str) -> str:
        world.begin("copy")
        if world.first_time("copy"):
            message = "the archive does not answer"
            raise OSError(message)
        return slot

    if guarded:
        send = act("send", effects=["send_invite"])(send)
        copy = act("copy", effects=["file_copy"])(copy)

    def invite(state: Schedule) -> Mapping[str, Any]:
        return {"sent": copy(send(state["slot"])), "form": state["slot"]}

    builder: Builder = StateGraph(Schedule)
    names = [*add(builder, slot_steps(world)), *add(builder, {"invite": invite})]
    chain(builder, [START, *names, END])
    return builder


def beside(world: World, guarded: bool) -> Builder:
    """A branch sends the invitation for the slot while the other finds that it is taken."""
    del guarded
    sent = Event()
    deliver = doing(world, "send", "slot", "sent", "send_invite")
    confirm = doubting(world, "confirm_form", 1, "form")

    def send(state: Schedule) -> Mapping[str, Any]:
        output = deliver(state)
        sent.set()
        return output

    def check(state: Schedule) -> Mapping[str, Any]:
        sent.wait(10)
        time.sleep(0.02)  # the branch beside it has ended
        return confirm(state)

    builder: Builder = StateGraph(Schedule)
    names = add(builder, slot_steps(world))
    add(builder, {"send": send, "confirm_form": check})
    chain(builder, [START, *names])
    for name in ("send", "confirm_form"):
        chain(builder, ["commit_slot", name, END])
    return builder


def again(world: World, guarded: bool) -> Builder:
    """The meeting is scheduled anew; the second slot turns out wrong before anybody is invited."""
    del guarded

    def reschedule(state: Schedule) -> Mapping[str, Any]:
        world.begin("reschedule")
        return {"rounds": state.get("rounds", 1) + 1}

    builder: Builder = StateGraph(Schedule)
    names = add(builder, slot_steps(world))
    names += add(builder, {"confirm_form": doubting(world, "confirm_form", 2, "form")})
    names += add(builder, invite_steps(world))
    add(builder, {"reschedule": reschedule})
    chain(builder, [START, *names])
    builder.add_conditional_edges(
        "log_invite",
        lambda state: END if state.get("rounds", 1) > 1 else "reschedule",
        ["reschedule", END],
    )
    builder.add_edge("reschedule", "propose")
    return builder


def meeting(**more: Any) -> Node:  # noqa: ANN401
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


def user_nodes(skeleton: str, effect: str, first: str, last: str, *, logged: bool) -> dict[str, Node]:
    """The nodes of a subtask that relies on the slot."""
    key = {"compose": "invitation", "request": "request"}[first]
    closes = Boundary.COMMIT if logged else Boundary.EXIT
    nodes = {
        first: meeting(skeleton=skeleton, closes=None, reads=["slot"]),
        last: meeting(
            skeleton=skeleton, closes=closes, reads=[key, "rounds"], effects=[effect]
        ),
    }
    log = {"send": "log_invite", "book": "log_room"}[last]
    more = {log: meeting(skeleton=skeleton, reads=["sent" if last == "send" else "room"])}
    return {**nodes, **more} if logged else nodes


def collect_nodes() -> dict[str, Node]:
    """The nodes of the three subgraphs."""
    nodes = {}
    for attendee in ATTENDEES:
        for kind in COLLECT:
            nodes[f"{kind}_{attendee}"] = Node(
                skeleton="collect",
                entity=lambda _, attendee=attendee: attendee,
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
