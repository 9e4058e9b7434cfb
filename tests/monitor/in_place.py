"""
A pytest plugin that puts the monitor in the definition's place.

A history remembers the events that led to it; its decision is then the monitor's on these events.
A history that a test makes up, which no events lead to, is left to the definition.
"""

from __future__ import annotations

import sys
from collections import Counter
from weakref import finalize

import pytest
from attrs import frozen

import dart_core
from dart_core import Decision, Event, History, Refusal, initial
from dart_core.monitor import Monitor

__all__ = ["pytest_sessionfinish", "pytest_terminal_summary"]


@frozen(eq=False)
class Node:
    """An event and those before it; the first has none."""

    before: Node | None
    event: Event | None


ROOT = Node(None, None)

nodes: dict[int, Node] = {}
counts: Counter[str] = Counter()
apply_by_definition = dart_core.apply
decide_by_definition = dart_core.decide


def _node(history: History) -> Node | None:
    if history.clock == 0 and history == initial(history.contract):
        return ROOT
    return nodes.get(id(history))


def apply(history: History, event: Event) -> History | Refusal:
    after = apply_by_definition(history, event)
    before = _node(history)
    if isinstance(after, History) and before is not None:
        nodes[id(after)] = Node(before, event)
        finalize(after, nodes.pop, id(after), None)
    return after


def decide(history: History) -> Decision | None:
    node = _node(history)
    if node is None:
        counts["definition"] += 1
        return decide_by_definition(history)
    counts["monitor"] += 1
    events: list[Event] = []
    while node.event is not None and node.before is not None:
        events.append(node.event)
        node = node.before
    monitor = Monitor(history.contract)
    for event in reversed(events):
        assert monitor.observe(event) is None
    return monitor.decide()


for module in ("dart_core", "dart_core.dart", "dart_core.decide"):
    for function in (apply, decide):
        if hasattr(sys.modules[module], function.__name__):
            setattr(sys.modules[module], function.__name__, function)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(
        f"decided by the monitor: {counts['monitor']}, by the definition: {counts['definition']}"
    )


def pytest_sessionfinish(session: pytest.Session) -> None:
    if counts["monitor"] <= 10 * counts["definition"]:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
