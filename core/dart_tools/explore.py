"""
Breadth-first search of the core's own transition system, within the bounds of a model.

What happens is the core's `apply`, and which checkpoint may be restored the core's `choice`; here
are only the bounds and the book-keeping.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from attrs import evolve, frozen

import dart_core as core
from dart_core import Event, History, InstanceId, Refusal, Rerun, Restore
from dart_tools.model import Model
from dart_tools.tla_states import VARIABLES

__all__ = [
    "ACTIONS",
    "Graph",
    "Numbering",
    "Search",
    "changes",
    "explore",
    "no_collection",
]

# The specification's name of the action that each kind of event is a step of.
ACTIONS: dict[type[Event], str] = {
    core.Enter: "Enter",
    core.Act: "Act",
    core.Commit: "Commit",
    core.Exit: "Exit",
    core.Save: "Saves",
    core.Fail: "Fails",
    Restore: "Restores",
    Rerun: "Rerun",
}


E = TypeVar("E", core.Save, core.Fail)


class Search:
    """The transition system of a model: its first state, and what can happen in each."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.first = core.initial(model.contract)
        self._steps: dict[InstanceId, list[Event]] = {}
        self._saves: dict[core.Tag, list[_Hidden[core.Save]]] = {}
        self._fails: list[_Hidden[core.Fail]] = []
        for event in model.menu:
            match event:
                case core.Enter() | core.Act() | core.Commit() | core.Exit():
                    self._steps.setdefault(event.instance, []).append(event)
                case core.Save():
                    self._saves.setdefault(event.tag, []).append(_Hidden(event))
                case core.Fail():
                    self._fails.append(_Hidden(event))
        ids = model.checkpoint_ids
        self._earlier = {name: frozenset(ids[:place]) for place, name in enumerate(ids)}

    def moves(self, history: History) -> Iterator[tuple[Event, History]]:
        """The events that can happen in this state, and the states that they lead to."""
        for event in self._tried(history):
            after = core.apply(history, event)
            if not isinstance(after, Refusal) and self._within(history, after):
                yield event, after

    def _tried(self, history: History) -> Iterator[Event]:
        """The model's events in this state, but those that would surely leave its bounds."""
        bounds = self.model.bounds
        for instance, steps in self._steps.items():
            if len(core.log_of(history, instance)) < bounds.log[instance]:
                yield from steps
        saved = frozenset(history.checkpoints)
        for saves in self._saves.values():
            due = [save for save in saves if self._earlier[save.event.id] <= saved]
            owners = core.owners_of(history, due[0].event) if due else frozenset()
            for save in due:
                yield from save.events(owners)
        if len(history.failures) < bounds.pending:
            for fail in self._fails:
                yield from fail.events(core.candidates(history, fail.event))
        if history.failures:
            yield from (Restore(checkpoint.id) for checkpoint in self.model.permitted(history))
        yield Rerun()

    def _within(self, before: History, after: History) -> bool:
        """Whether the step keeps the bounds that only its outcome shows."""
        bounds = self.model.bounds
        return after.epoch <= bounds.epochs and (
            after.attempt is before.attempt
            or all(number <= bounds.attempts for number in after.attempt.values())
        )


class _Hidden(Generic[E]):
    """An event of the menu, with each truth that may be hidden behind it."""

    def __init__(self, event: E) -> None:
        self.event: E = event
        self._events: dict[InstanceId | None, E] = {}

    def events(self, truths: frozenset[InstanceId]) -> Iterator[E]:
        """The event with each of the truths, or with none where there is none."""
        for truth in truths or (None,):
            if truth not in self._events:
                self._events[truth] = evolve(self.event, truth=truth)
            yield self._events[truth]


def changes(before: History, after: History) -> Iterator[tuple[int, Hashable]]:
    """
    The places of the variables that the step may have changed, with their new values.

    A step leaves most variables as they are, the very same objects: those are not looked at.
    """
    for place, name in enumerate(VARIABLES):
        value = getattr(after, name)
        if value is not getattr(before, name):
            yield place, value


class Numbering:
    """Numbers the values of each variable, so that a state is known by nine numbers."""

    def __init__(self) -> None:
        self.tables: list[dict[Hashable, int]] = [{} for _ in VARIABLES]

    def first(self, history: History) -> tuple[int, ...]:
        """The numbers of a state."""
        return tuple(
            table.setdefault(getattr(history, name), len(table))
            for name, table in zip(VARIABLES, self.tables, strict=True)
        )

    def next(self, before: History, numbers: tuple[int, ...], after: History) -> tuple[int, ...]:
        """The numbers of a state that comes after one whose numbers are known."""
        found = list(numbers)
        for place, value in changes(before, after):
            table = self.tables[place]
            found[place] = table.setdefault(value, len(table))
        return tuple(found)


@frozen
class Graph:
    """
    All that a search has found.

    `states` leads from the numbers of a state to its place; an edge is the place of a state, the
    name of an action and the place of a state after it.
    """

    numbering: Numbering
    states: dict[tuple[int, ...], int]
    edges: set[tuple[int, str, int]]


def explore(model: Model) -> Graph:
    """The whole graph of the model."""
    search, numbering = Search(model), Numbering()
    start = numbering.first(search.first)
    graph = Graph(numbering, {start: 0}, set())
    queue = deque([(search.first, start)])
    with no_collection():
        while queue:
            history, numbers = queue.popleft()
            place = graph.states[numbers]
            for event, after in search.moves(history):
                reached = numbering.next(history, numbers, after)
                there = graph.states.get(reached)
                if there is None:
                    there = graph.states[reached] = len(graph.states)
                    queue.append((after, reached))
                graph.edges.add((place, ACTIONS[type(event)], there))
    return graph


@contextmanager
def no_collection() -> Iterator[None]:
    """Within it no garbage is looked for: states are trees, and millions of them are kept."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
