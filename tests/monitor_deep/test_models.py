"""The monitor decides as the definition does in every state of the small models, on every step."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import pytest

from dart_core import Event, History, decide
from dart_core.monitor import Monitor
from dart_tools.explore import Search
from dart_tools.model import read_model
from monitor.histories import told

SPECIFICATION = Path(__file__).parents[2] / "spec_tla"
MODELS = (
    "MCScope",
    "MCDependencies",
    "MCEffects",
    "MCCompensation",
    "MCIdentity",
    "MCHandoffs",
)

Path_ = tuple["Path_", Event] | None


def observed(history: History, path: Path_) -> Monitor:
    """A monitor that has observed the events of the path."""
    events = []
    while path is not None:
        path, event = path
        events.append(event)
    monitor = Monitor(history.contract)
    for event in reversed(events):
        assert monitor.observe(event) is None
    return monitor


@pytest.mark.parametrize("name", MODELS)
def test_monitor_decides_as_the_definition_does_on_every_step(name: str) -> None:
    search = Search(read_model(SPECIFICATION, name))
    paths: dict[History, Path_] = {search.first: None}
    queue = deque([search.first])
    steps = due = 0
    while queue:
        before = queue.popleft()
        for event, after in search.moves(before):
            path = (paths[before], event)
            decision = decide(after)
            if after not in paths:
                paths[after] = path
                queue.append(after)
            # Numbers of events belong to the path: only the state of this very path has them.
            steps += 1
            due += decision is not None
            found = observed(after, path).decide()
            assert found == decision
            if decision is not None:
                assert told(found) == told(decision)
    assert steps > 10_000
    assert due > 1000
