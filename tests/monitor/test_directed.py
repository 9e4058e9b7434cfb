"""Histories that show one thing about the monitor each."""

from __future__ import annotations

from dart_core import (
    Act,
    Contract,
    Enter,
    Fail,
    FrozenMap,
    Restore,
    Save,
    Scope,
    Skeleton,
    Verdict,
    decide,
)
from monitor.histories import MAKER, OF_MAKER, OF_USER, STALE_AT_THE_CUT, USER, follow, told


def test_read_of_a_version_that_is_gone_pins_by_its_place() -> None:
    for _, history, monitor in follow(*STALE_AT_THE_CUT):
        assert told(monitor.decide()) == told(decide(history))
    ruling = monitor.rule()
    assert ruling is not None
    assert (ruling.verdict, ruling.checkpoint) == (Verdict.RESTORE, "commit")


ALONE = (
    Contract(skeletons=FrozenMap({"make": Skeleton(), "use": Skeleton()})),
    (
        Enter(MAKER),
        Save(id="whole", tag=OF_MAKER, scope=Scope.TASK),
        Act(instance=MAKER, writes=frozenset({"part"})),
        Fail(tag=OF_MAKER),
    ),
)


def test_snapshot_is_separable_where_nobody_else_went_on() -> None:
    for _, history, monitor in follow(*ALONE):
        assert told(monitor.decide()) == told(decide(history))
    ruling = monitor.rule()
    assert ruling is not None
    assert ruling.checkpoint == "whole"


def test_snapshot_is_not_separable_once_another_has_gone_on() -> None:
    contract, events = ALONE
    for _, history, monitor in follow(contract, (*events[:-1], Enter(USER), events[-1])):
        assert told(monitor.decide()) == told(decide(history))
    ruling = monitor.rule()
    assert ruling is not None
    assert ruling.verdict is Verdict.RERUN


def test_snapshot_is_separable_again_once_the_other_was_taken_back() -> None:
    events = (
        Enter(MAKER),
        Enter(USER),
        Save(id="use", tag=OF_USER),
        Save(id="whole", tag=OF_MAKER, scope=Scope.TASK),
        Act(instance=USER),
        Fail(tag=OF_USER),
        Restore("use"),
        Fail(tag=OF_MAKER),
    )
    for _, history, monitor in follow(ALONE[0], events):
        assert told(monitor.decide()) == told(decide(history))
    ruling = monitor.rule()
    assert ruling is not None
    assert ruling.checkpoint == "whole"
