"""
A wrong decision planted in any guard is seen by the reference traces.

Each guard is negated, dropped, made to block always, and has its bound moved by one; each must
make at least one trace differ from what it expects.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dart_core.admit
import dart_core.localize
from dart_core import GUARDS
from dart_tools.codec import Trace, read_trace
from dart_tools.judge import judge_trace
from regenerate import ROOT

TRACES = [
    read_trace(str(path))
    for path in sorted(ROOT.glob("v1/**/*.jsonl"))
    if path.parent.name != "invalid"
]

Guard = Callable[..., bool]

# The guards that take a cut, which is their last argument.
WITH_CUT = set(GUARDS) - {"stable", "decidable", "separable"}


def negated(guard: Guard) -> Guard:
    return lambda *words: not guard(*words)


def dropped(guard: Guard) -> Guard:
    del guard
    return lambda *_: True


def blocking(guard: Guard) -> Guard:
    del guard
    return lambda *_: False


def moved(by: int) -> Callable[[Guard], Guard]:
    return lambda guard: lambda *words: guard(*words[:-1], words[-1] + by)


PLANTS: list[tuple[str, str, Callable[[Guard], Guard]]] = [
    (guard, plant.__name__, plant) for guard in GUARDS for plant in (negated, dropped, blocking)
]
PLANTS += [(guard, f"moved by {by}", moved(by)) for guard in sorted(WITH_CUT) for by in (-1, 1)]


def is_seen(trace: Trace) -> bool:
    """Whether the trace shows that something is wrong: another decision, or a crash."""
    try:
        found = judge_trace(trace)
    except (IndexError, RuntimeError, ValueError):
        return True
    return bool(found.unmatched) or any(one.differs for one in found.recoveries)


def test_nothing_is_seen_where_nothing_is_planted() -> None:
    assert not any(is_seen(trace) for trace in TRACES)


@pytest.mark.parametrize(("guard", "name", "plant"), PLANTS, ids=[f"{g}-{n}" for g, n, _ in PLANTS])
def test_planted_guard_is_seen(
    monkeypatch: pytest.MonkeyPatch, guard: str, name: str, plant: Callable[[Guard], Guard]
) -> None:
    del name
    monkeypatch.setattr(dart_core.admit, guard, plant(getattr(dart_core.admit, guard)))
    assert any(is_seen(trace) for trace in TRACES)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("matches", lambda *_: True),
        ("matches", lambda *_: False),
        ("live", lambda *_: True),
        ("is_full", lambda *_: False),
        ("fits", lambda *_: True),
        ("bound_entity", lambda *_: None),
        ("suspect_place", lambda *_: None),
    ],
)
def test_planted_localization_is_seen(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: Callable[..., Any]
) -> None:
    monkeypatch.setattr(dart_core.localize, name, wrong)
    assert any(is_seen(trace) for trace in TRACES)
