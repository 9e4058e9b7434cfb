from __future__ import annotations

from collections.abc import Mapping

import pytest

from dart_core import Commit, History, Restore, Verdict, apply
from dart_runtime.evaluation.measure import Measured, dangling
from dart_runtime.rows import instance_of
from dart_runtime.strategies import GUARD_NAMES

Found = Mapping[tuple[str, str], Measured]

# The rows in which dart without the guard is unsafe, with the violations and what of the task's
# own contract then does not hold.
LOST = "hypothesis[c1]#1 holds something lost or damaged"
TWICE = "something irreversible was done twice"
NEEDED: dict[str, dict[str, tuple[tuple[str, ...], str]]] = {
    "identified": {"trv-two-itineraries": (("V4",), "dates/t1 once gave impossible dates")},
    "stable": {"dia-unflushed": ((), LOST)},
    "decidable": {
        "nav-roster": (
            ("V4", "V5"),
            "leg[wp3]#1 is over and its arrival is not confirmed",
        )
    },
    "closed": {
        "sch-slot-ready": (
            ("V2",),
            "slot/m1 was not committed in the session that holds its choice",
        )
    },
    "separable": {"sch-snapshot-store": (("V3", "V4"), TWICE)},
    "controllable": {"dia-archived": (("V6",), "result/scan holds something lost or damaged")},
    "repairs": {
        "sch-bad-slot": (("V5",), "slot/m1 holds something lost or damaged"),
        "etl-bad-partition": (("V5",), "partition/sales holds something lost or damaged"),
    },
    "no_committed_conflict": {
        "nav-entry-only-store": (("V1",), "notice/wp2 quotes an arrival time that is gone"),
        "sch-bad-slot": (("V1",), "invitation/m1 quotes a slot that is gone"),
        "dia-bad-dx": (("V1",), "plan[c1]#1 holds something lost or damaged"),
        "etl-bad-partition": (("V1",), "mart/sales quotes a partition that is gone"),
    },
    "no_live_conflict": {
        "nav-live-reader": (("V1",), "notice/wp2 quotes an arrival time that is gone")
    },
    "effect_allowed": {
        "sch-announced": (("V3",), TWICE),
        "etl-announced": (("V3",), TWICE),
        "trv-captured": (("V3",), TWICE),
    },
}


def test_every_guard_has_a_row() -> None:
    assert set(NEEDED) == set(GUARD_NAMES)
    assert all(NEEDED.values())


@pytest.mark.parametrize("guard", GUARD_NAMES)
def test_without_guard_is_unsafe_in_its_rows_alone(measured: Found, guard: str) -> None:
    harmed = {
        row: (one.violations, one.broken[0])
        for (row, strategy), one in measured.items()
        if strategy == f"dart_without_{guard}" and one.unsafe
    }
    assert harmed == NEEDED[guard]


@pytest.mark.parametrize(
    ("guard", "row"), [(guard, row) for guard, rows in NEEDED.items() for row in rows]
)
def test_all_guards_are_safe_there(measured: Found, guard: str, row: str) -> None:
    whole, without = measured[row, "dart"], measured[row, f"dart_without_{guard}"]
    assert without.verdict is Verdict.RESTORE
    assert not without.success or without.violations or not without.equivalent
    assert (whole.success, whole.equivalent, whole.unsafe) == (True, True, False)


def test_committed_consumers_that_dangle(measured: Found) -> None:
    found = measured["sch-bad-slot", "dart_without_no_committed_conflict"]
    assert [str(instance) for instance in found.dangling] == ["book_room[m1]#1", "invite[m1]#1"]
    assert [found.outcome.final.instances[one].state for one in found.dangling] == ["DONE", "DONE"]


def test_reader_dangles_once_it_has_committed(measured: Found) -> None:
    recovery = measured["nav-live-reader", "entry_only"].outcome.recoveries[0]
    reader = instance_of("handoff[wp2]")
    restored = apply(recovery.before, Restore("leg[wp2]#1@entry"))
    assert isinstance(restored, History)
    assert dangling(restored) == ()
    committed = apply(restored, Commit(reader))
    assert isinstance(committed, History)
    assert dangling(committed) == (reader,)
