"""Histories that show one thing about the monitor each."""

from __future__ import annotations

from dart_core import Verdict, decide
from monitor.histories import STALE_AT_THE_CUT, follow, told


def test_read_of_a_version_that_is_gone_pins_by_its_place() -> None:
    for _, history, monitor in follow(*STALE_AT_THE_CUT):
        assert told(monitor.decide()) == told(decide(history))
    ruling = monitor.rule()
    assert ruling is not None
    assert (ruling.verdict, ruling.checkpoint) == (Verdict.RESTORE, "commit")
