from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from dart_runtime.store import Store
from faults.checking import check, events_of
from faults.killing import DONE, ESCALATED, KILLED, PointedStore, run
from faults.tasks import TASKS, Task


def fresh(folder: Path, name: str) -> Path:
    place = folder / name
    place.mkdir()
    return place


def uninterrupted(task: Task, folder: Path) -> list[object]:
    place = fresh(folder, "whole")
    run(task, place, PointedStore)
    check(task, place)
    with Store.open(place / "task") as store:
        return list(events_of(store))


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_kill_at_every_point_loses_nothing(task: Task, folder: Path) -> None:
    whole = uninterrupted(task, folder)
    ends: Counter[int] = Counter()
    for point in range(1, 10_000):
        place = fresh(folder, str(point))
        if run(task, place, PointedStore, point) != KILLED:
            break
        with Store.open(place / "task") as store:
            before = events_of(store)
        assert before == whole[: len(before)]
        ends[run(task, place, PointedStore)] += 1
        check(task, place)
        shutil.rmtree(place)
    assert set(ends) <= {DONE, ESCALATED}
    assert ends.total() > 100
    assert ends[DONE] > 0
