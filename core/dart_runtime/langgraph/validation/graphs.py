"""
The schedule-form task as LangGraph graphs: each act is a node, or a function within one.

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
from typing import Any

from langgraph.graph import END, START, StateGraph

from dart_runtime.langgraph.nodes import act
from dart_runtime.langgraph.validation.acts import (
    MEETING,
    Schedule,
    Step,
    doing,
    doubting,
    failing,
    proposing,
    step,
)
from dart_runtime.langgraph.validation.world import World

__all__ = ["ATTENDEES", "COLLECT", "Builder", "again", "beside", "decisive", "earlier", "half_done"]

ATTENDEES = ("a1", "a2", "a3")
COLLECT = ("fetch", "normalise", "merge", "check", "store")
Builder = StateGraph[Any]


def chain(builder: Builder, names: list[str]) -> None:
    """Let the nodes run one after the other."""
    for one, other in pairwise(names):
        builder.add_edge(one, other)


def add(builder: Any, steps: Mapping[str, Step]) -> list[str]:
    """Add the nodes; their names, in order."""
    for name, run in steps.items():
        builder.add_node(name, run)
    return list(steps)


def collecting(world: World, attendee: str) -> Any:
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
    names += add(
        builder, {"announce": doing(world, "announce", "meeting", "announced", "announce")}
    )
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
