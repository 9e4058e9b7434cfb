"""Runs of a task in processes of their own, which are killed at a point or at a time."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from dart_runtime.store import Store
from faults.host import ENDED, EscalatedError, Host
from faults.tasks import Task

__all__ = [
    "DONE",
    "ESCALATED",
    "KILLED",
    "Killer",
    "PointedStore",
    "fresh",
    "points",
    "run",
    "start",
]

KILLED = -signal.SIGKILL
DONE = 0
ESCALATED = 3
FOREVER = 10**9

process = multiprocessing.get_context("fork").Process


class Killer:
    """Counts the points that a process passes and kills it, hard, at the one given."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class PointedStore(Store):
    """A store with a point before and after each statement, and around its acknowledgement."""

    point: Callable[[], None] = staticmethod(lambda: None)

    def _run(self, statement: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        if statement.startswith(("BEGIN", "INSERT", "COMMIT")):
            self.point()
        found = super()._run(statement, values)
        if statement.startswith(("INSERT", "COMMIT")):
            self.point()
        return found

    def _acknowledge(self, last: list[tuple[Any, ...]]) -> None:
        super()._acknowledge(last)
        self.point()


def work(task: Task, folder: Path, kind: type[PointedStore], kill_at: int) -> None:
    """Begin the task or go on with it, in this process; its exit code says how it ended."""
    killer = Killer(kill_at)
    path = folder / "task"
    if not path.exists():
        kind.create(path, task.contract, name=task.name).close()
    with kind.open(path, task.contract) as store:
        assert isinstance(store, PointedStore)
        store.point = killer
        host = Host(task, store, folder, killer)
        try:
            host.run()
        except EscalatedError:
            os._exit(ESCALATED)
        finished(host)


def finished(host: Host) -> None:
    """Every instance that this process knew whole went through all of its steps."""
    for instance, trail in host.memory.items():
        steps = [step.name for step in host.task.steps if step.instance == instance]
        assert trail == steps or set(trail) == {ENDED}, (trail, steps)


def start(task: Task, folder: Path, kind: type[PointedStore], kill_at: int = FOREVER) -> Any:
    """A process that runs the task, started."""
    child = process(target=work, args=(task, folder, kind, kill_at))
    child.start()
    return child


def run(task: Task, folder: Path, kind: type[PointedStore], kill_at: int = FOREVER) -> int:
    """How the process ended: DONE, ESCALATED, KILLED, or something that is an error."""
    child = start(task, folder, kind, kill_at)
    child.join(60)
    assert child.exitcode is not None, "the process hangs"
    return int(child.exitcode)


def fresh(folder: Path, name: str) -> Path:
    """A new folder in the folder."""
    place = folder / name
    place.mkdir()
    return place


def points(task: Task, folder: Path, kind: type[PointedStore]) -> tuple[int, int]:
    """How many points a run passes that is not killed, and how many before its first effect."""
    place, passed, before = fresh(folder, "counted"), 0, 0

    def point() -> None:
        nonlocal passed, before
        passed += 1
        before += not (place / "world").exists()

    with kind.create(place / "task", task.contract, name=task.name) as store:
        assert isinstance(store, PointedStore)
        store.point = point
        with suppress(EscalatedError):
            Host(task, store, place, point).run()
    return passed, before
