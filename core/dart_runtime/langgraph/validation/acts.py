"""The acts of the schedule-form task: what they do, and how they fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from dart_runtime.langgraph.errors import DoubtError
from dart_runtime.langgraph.validation.world import World

__all__ = ["MEETING", "Schedule", "Step", "doing", "doubting", "failing", "proposing", "step"]

MEETING = "m1"


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


Step = Callable[[Any], Mapping[str, Any]]


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
