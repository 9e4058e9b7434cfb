"""The smallest histories: found anew, equal to what is committed, and wrong as they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from dart_core import History, Policy, Restore, choice, fold
from dart_tools.codec import parse_trace
from necessity.generate import FOLDER, README, readme, shown, traces
from necessity.policies import POLICIES, first_wrong
from necessity.search import CONTRACT


def policy_of(name: str) -> str:
    return name.removesuffix("_on_commitments")


def test_the_committed_traces_are_what_the_search_finds() -> None:
    committed = {path.name: path.read_bytes() for path in FOLDER.glob("*.jsonl")}
    assert committed == traces()


def test_the_drawings_are_what_the_search_finds() -> None:
    assert README.read_text(encoding="utf-8") == readme()


def test_every_policy_has_its_smallest_history() -> None:
    assert {policy_of(one.name) for one in shown()} == set(POLICIES)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_policy_goes_wrong_at_the_last_event_and_no_sooner(path: Path) -> None:
    events = parse_trace(path.read_bytes(), path.name).events
    found = first_wrong(CONTRACT, events, POLICIES[policy_of(path.stem)])
    assert found is not None
    assert found[0] == len(events)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.jsonl")), ids=lambda path: path.stem)
def test_no_event_of_it_can_be_left_out(path: Path) -> None:
    events = parse_trace(path.read_bytes(), path.name).events
    for place in range(len(events)):
        fewer = (*events[:place], *events[place + 1 :])
        assert first_wrong(CONTRACT, fewer, POLICIES[policy_of(path.stem)]) is None


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_procedure_itself_does_not_do_it(path: Path) -> None:
    events = parse_trace(path.read_bytes(), path.name).events
    place = next(n for n, event in enumerate(events) if isinstance(event, Restore))
    before = fold(CONTRACT, events[:place])
    restored = events[place]
    assert isinstance(before, History)
    assert isinstance(restored, Restore)
    assert restored.checkpoint not in {one.id for one in choice(before, Policy.DART)}
