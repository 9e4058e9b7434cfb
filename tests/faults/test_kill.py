from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path
from time import sleep

import pytest

from dart_runtime.store import Store
from faults.checking import check, events_of, no_effect_is_forgotten
from faults.killing import DONE, ESCALATED, KILLED, PointedStore, fresh, points, run, start
from faults.tasks import EVERY_POINT, ROWS, Task, task_of


def gone_on_with(task: Task, place: Path) -> int:
    """How the task ends that a killed process left; all that has to be true of it is."""
    end = run(task, place, PointedStore)
    assert end in (DONE, ESCALATED)
    check(task, place)
    return end


@pytest.mark.parametrize("name", EVERY_POINT)
def test_kill_at_every_point_loses_nothing(name: str, folder: Path) -> None:
    task = task_of(name, EVERY_POINT[name])
    whole = fresh(folder, "whole")
    gone_on_with(task, whole)
    with Store.open(whole / "task") as store:
        expected = events_of(store)
    ends: Counter[int] = Counter()
    last, _ = points(task, folder, PointedStore)
    for point in range(1, last + 1):
        place = fresh(folder, str(point))
        assert run(task, place, PointedStore, point) == KILLED
        with Store.open(place / "task") as store:
            before = events_of(store)
            no_effect_is_forgotten(store, place)
        assert before == expected[: len(before)]
        ends[gone_on_with(task, place)] += 1
        shutil.rmtree(place)
    assert ends[DONE] > 100


@pytest.mark.parametrize("name", ROWS)
def test_kill_again_and_again_loses_nothing(name: str, folder: Path) -> None:
    rng = random.Random(name)  # noqa: S311
    task = task_of(name)
    last, _ = points(task, folder, PointedStore)
    kills = 0
    for number in range(3):
        place = fresh(folder, str(number))
        for _ in range(6):
            kills += run(task, place, PointedStore, rng.randint(5, last)) == KILLED
            check(task, place)
        gone_on_with(task, place)
    assert kills > 0


@pytest.mark.parametrize("name", EVERY_POINT)
def test_kill_at_any_time_loses_nothing(name: str, folder: Path) -> None:
    rng = random.Random(name)  # noqa: S311
    task = task_of(name, EVERY_POINT[name])
    kills = 0
    for number in range(20):
        place = fresh(folder, str(number))
        child = start(task, place, PointedStore)
        while not (place / "task").exists():
            sleep(0.001)
        sleep(rng.random() * 0.1)
        child.kill()
        child.join()
        kills += child.exitcode == KILLED
        gone_on_with(task, place)
    assert kills > 0
