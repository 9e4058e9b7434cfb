"""The quick form of a decision: the verdict without the evidence."""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter

from attrs import frozen

from dart_core.decide import Reason, Verdict
from dart_core.history import InstanceId
from dart_core.monitor.track import Saved

__all__ = ["Ruling", "last_before", "within"]


@frozen(kw_only=True)
class Ruling:
    """What is to be done about the pending failures; each field as a decision has it."""

    failure: int
    verdict: Verdict
    reason: Reason | None
    instance: InstanceId | None
    checkpoint: str | None
    replay: int
    upstream_replay: int
    preserved: int


def last_before(certified: list[Saved], at: int | None) -> Saved | None:
    """The last of them that was saved before event `at`, or at all."""
    end = len(certified) if at is None else bisect_left(certified, at, key=attrgetter("at"))
    return certified[end - 1] if end else None


def within(cut: int, pin: int) -> bool:
    """Whether the cut keeps the last act that must survive, at `pin`; 0 is no such act."""
    return pin <= cut
