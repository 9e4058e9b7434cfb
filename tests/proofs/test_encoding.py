"""The encoding says what the core says, on random histories; and a broken core is found out."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest
from attrs import evolve

from dart_core import GUARDS, Event, Fail, History, InstanceId, Rerun, Restore, dart
from dart_tools.codec import read_trace
from dart_tools.generate import Shape, random_trace
from logic.compare import Compared, predicates, step
from logic.histories import INDEPENDENT, tag
from logic.universe import run_of

HISTORIES = 2000
TRACES = Path(__file__).parents[2] / "reference_traces" / "v1"
SEEDED = 100


def fails_and_restores(rng: Random, history: History) -> Iterator[Event]:
    """The restore of any checkpoint that is there, after a failure where none is pending."""
    if not history.checkpoints:
        return
    if not history.failures:
        failed = rng.choice(sorted(history.log))
        acts = [entry.id for entry in history.log[failed] if entry.id is not None]
        yield Fail(tag=tag(failed), suspect=rng.choice([None, *acts]))
    yield Restore(rng.choice(sorted(history.checkpoints)))


def named_histories() -> Iterator[tuple[list[History], tuple[Event, ...]]]:
    for case in INDEPENDENT.values():
        for events in (case.events, case.played()):
            yield run_of(case.contract, events), events


def histories(count: int) -> Iterator[tuple[list[History], tuple[Event, ...]]]:
    yield from named_histories()
    for seed in range(count):
        rng = Random(seed)  # noqa: S311 - a seed makes it repeatable
        shape = Shape(events=rng.randint(4, 17), lawful=seed % 2 == 0)
        contract, events = random_trace(rng, shape)
        if seed % 3 == 0:
            events = (*events, *fails_and_restores(rng, run_of(contract, events)[-1]))
        yield run_of(contract, events), events


def compared(count: int) -> Iterator[Compared]:
    """All predicates of each history's last state, and its last steps."""
    for run, events in histories(count):
        yield from predicates(run)
        for length in range(max(2, len(run) - 2), len(run) + 1):
            yield from step(run[:length], events[length - 2])


def test_every_answer_is_the_same_and_each_is_given_both_ways() -> None:
    answers: dict[str, set[bool]] = defaultdict(set)
    for one in compared(HISTORIES):
        assert one.logic == one.core, one
        answers[one.name].add(bool(one.core))
    asked = {name for name in answers if ":" not in name}
    assert asked >= {*GUARDS, "V1", "V2", "V3", "V4", "V5", "V6", "identified", "choice"}
    assert {name for name in asked if len(answers[name]) == 1} == {"aligned"}
    events = {name.split(":")[0] for name in answers if ":" in name}
    assert events == {"Enter", "Act", "Commit", "Exit", "Save", "Fail", "Restore", "Rerun"}


def recoveries(path: Path) -> Iterator[Compared]:
    """All that is compared where a recovery of the trace is due, and at its end."""
    trace = read_trace(str(path))
    run = run_of(trace.header.contract, trace.events)
    yield from predicates(run)
    for at, event in enumerate(trace.events):
        if isinstance(event, Restore | Rerun):
            yield from predicates(run[: at + 1])
            yield from step(run[: at + 2], event)


def test_every_answer_on_the_reference_traces_is_the_same() -> None:
    paths = [path for path in TRACES.rglob("*.jsonl") if path.parent.name != "invalid"]
    assert len(paths) > 100
    for path in paths:
        for one in recoveries(path):
            assert one.logic == one.core, (path, one)


@cache
def true_histories() -> list[tuple[list[History], tuple[Event, ...]]]:
    return list(histories(SEEDED))


def differs(name: str) -> bool:
    """Whether the core, as it is now, gives another answer to this question on some history."""
    return any(
        one.name == name and one.logic != one.core
        for run, _ in true_histories()
        for one in predicates(run)
    )


@pytest.fixture(autouse=True, scope="module")
def _true_histories_first() -> None:
    true_histories()


def always(answer: object) -> Callable[..., object]:
    return lambda *_: answer


@pytest.mark.parametrize("guard", GUARDS)
def test_a_core_without_a_guard_is_found_out(guard: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"dart_core.admit.{guard}", always(True))
    assert differs(guard)


def test_a_core_that_takes_the_first_candidate_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def first(history: History) -> InstanceId | None:
        return min((i for f in history.failures for i in f.candidates), default=None)

    monkeypatch.setattr("dart_core.localize.identified", first)
    assert differs("identified")


@pytest.mark.parametrize(
    ("name", "violation"),
    [
        ("orphaned_commit", "V1"),
        ("torn_handoff", "V2"),
        ("erased_effect", "V3"),
        ("wrong_instance", "V4"),
        ("leaves_suspect", "V5"),
        ("crosses_policy", "V6"),
    ],
)
def test_a_core_that_condones_a_violation_is_found_out(
    name: str, violation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"dart_core.valid.{name}", always(False))
    assert differs(violation)


def test_a_restore_that_begins_no_new_attempt_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def restore(history: History, event: Restore) -> History:
        return evolve(true_restore(history, event), attempt=history.attempt)

    true_restore = dart.restore
    monkeypatch.setattr(dart, "restore", restore)
    assert any(
        one.name == "Restore: attempts" and not one.logic
        for run, events in histories(SEEDED)
        if isinstance(events[-1], Restore)
        for one in step(run, events[-1])
    )
