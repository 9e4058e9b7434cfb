from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path
from time import sleep

import pytest

from dart_runtime.store import Store
from faults.checking import check, events_of
from faults.killing import DONE, ESCALATED, KILLED, PointedStore, fresh, run, start
from faults.tasks import TASKS, Task


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_kill_at_every_point_loses_nothing(task: Task, folder: Path) -> None:
    whole = fresh(folder, "whole")
    run(task, whole, PointedStore)
    check(task, whole)
    with Store.open(whole / "task") as store:
        expected = events_of(store)
    ends: Counter[int] = Counter()
    for point in range(1, 10_000):
        place = fresh(folder, str(point))
        if run(task, place, PointedStore, point) != KILLED:
            break
        with Store.open(place / "task") as store:
            before = events_of(store)
        assert before == expected[: len(before)]
        ends[run(task, place, PointedStore)] += 1
        check(task, place)
        shutil.rmtree(place)
    assert set(ends) <= {DONE, ESCALATED}
    assert ends.total() > 100


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_kill_again_and_again_loses_nothing(task: Task, folder: Path) -> None:
    rng = random.Random(task.name)  # noqa: S311
    kills = 0
    for number in range(20):
        place = fresh(folder, str(number))
        while (end := run(task, place, PointedStore, rng.randint(5, 120))) == KILLED:
            kills += 1
            check(task, place)
        assert end in (DONE, ESCALATED)
        check(task, place)
    assert kills > 20


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_kill_at_any_time_loses_nothing(task: Task, folder: Path) -> None:
    rng = random.Random(task.name)  # noqa: S311
    kills = 0
    for number in range(20):
        place = fresh(folder, str(number))
        child = start(task, place, PointedStore)
        while not (place / "task").exists():
            sleep(0.001)
        sleep(rng.random() * 0.05)
        child.kill()
        child.join()
        kills += child.exitcode == KILLED
        assert run(task, place, PointedStore) in (DONE, ESCALATED)
        check(task, place)
    assert kills > 0
