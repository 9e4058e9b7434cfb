"""The monitor against the definition, on random histories."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from attrs import asdict

from dart_core import Decision, Rerun, Restore, Scope, decide
from dart_core.monitor import Ruling
from monitor.histories import told, walk

HISTORIES = int(os.environ.get("DART_HISTORIES", "1500"))
CHUNKS = 10


def _seeds(chunk: int) -> range:
    return range(chunk * HISTORIES // CHUNKS, (chunk + 1) * HISTORIES // CHUNKS)


def quick_form(ruling: Ruling | None, decision: Decision | None) -> bool:
    """Whether the quick form says what the decision says."""
    if ruling is None or decision is None:
        return (ruling is None) == (decision is None)
    said = asdict(ruling, recurse=False).items()
    return all(value == getattr(decision, name) for name, value in said)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_monitor_decides_as_the_definition_after_every_event(chunk: int) -> None:
    for seed in _seeds(chunk):
        for event, history, monitor in walk(seed):
            decision = decide(history)
            assert told(monitor.decide()) == told(decision), (seed, event)
            assert quick_form(monitor.rule(), decision), (seed, event)


def test_judge_says_of_one_checkpoint_what_the_decision_says() -> None:
    for seed in range(200):
        for _, history, monitor in walk(seed):
            decision = decide(history)
            judged = {one.id: one for one in decision.checkpoints} if decision else {}
            for name in history.checkpoints:
                assert repr(monitor.judge(name)) == repr(judged.get(name))


def test_histories_reach_what_can_go_wrong() -> None:
    seen: Counter[str] = Counter()
    for seed in range(800):
        for event, history, monitor in walk(seed):
            decision = decide(history)
            seen["restore"] += isinstance(event, Restore)
            seen["rerun"] += isinstance(event, Rerun)
            seen["several failures"] += len(history.failures) > 1
            for checkpoint in history.checkpoints.values():
                seen["many owners"] += len(checkpoint.owners) > 1
                seen["task scope"] += checkpoint.scope is Scope.TASK
            for judged in decision.checkpoints if decision else ():
                for witness in judged.witnesses:
                    seen[witness.guard] += 1
                seen["admissible"] += not judged.witnesses
            seen["stale reads"] += any(
                version.writer.writes and version not in version.writer.writes
                for track in monitor.tracks.values()
                for _, version in track.reads
            )
    wanted = [
        "restore",
        "rerun",
        "several failures",
        "many owners",
        "task scope",
        "admissible",
        "stale reads",
        "stable",
        "decidable",
        "closed",
        "separable",
        "controllable",
        "repairs",
        "no_committed_conflict",
        "no_live_conflict",
        "effect_allowed",
    ]
    assert {name: seen[name] for name in wanted if seen[name] < 10} == {}
