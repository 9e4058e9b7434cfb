"""Several processes recover the same failure: one of them acts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from time import sleep

import pytest

from dart_core import Restore
from dart_runtime.errors import SidecarError, UnderWayError
from dart_runtime.presence import Presence
from dart_runtime.sidecar import Recovery, Sidecar
from dart_runtime.store import Store
from faults.checking import events_of
from faults.host import append
from faults.killing import KILLED, Killer, PointedStore, fresh, process
from runtime.schedule import CONTRACT, SLOT, chosen


def failed(folder: Path) -> Path:
    path = folder / "task"
    with Store.create(path, CONTRACT, name="meeting") as store:
        sidecar = Sidecar(store)
        chosen(sidecar)
        sidecar.fail(SLOT)
    return path


def recover(path: Path, kill_at: int = 0) -> None:
    """Recover until nothing is due, whatever others do; the file `acted` tells of each callback."""
    killer = Killer(kill_at)
    acted = path.parent / "acted"
    with PointedStore.open(path, CONTRACT) as store:
        assert isinstance(store, PointedStore)
        store.point = killer
        sidecar = Sidecar(store)

        def restore(recovery: Recovery) -> None:
            killer()
            append(acted, f"begin {os.getpid()} {recovery.attempt}")
            sleep(0.01)
            append(acted, f"end {os.getpid()} {recovery.attempt}")
            killer()

        while sidecar.history.failures:
            try:
                sidecar.recover(restore=restore, rerun=restore)
            except UnderWayError:
                sleep(0.001)


def race(path: Path, *kills: int) -> list[int | None]:
    """How each of the processes ended that recover the store at once."""
    children = [process(target=recover, args=(path, kill_at)) for kill_at in kills]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    return [child.exitcode for child in children]


def acted(path: Path) -> list[list[str]]:
    file = path.parent / "acted"
    return [line.split() for line in file.read_text().splitlines()] if file.exists() else []


def restores(path: Path) -> int:
    with Store.open(path) as store:
        return sum(isinstance(event, Restore) for event in events_of(store))


@pytest.mark.parametrize("number", range(20))
def test_one_of_several_processes_acts(number: int, folder: Path) -> None:
    path = failed(fresh(folder, str(number)))
    assert race(path, 0, 0, 0, 0) == [0, 0, 0, 0]
    assert [(what, attempt) for what, _, attempt in acted(path)] == [("begin", "1"), ("end", "1")]
    assert restores(path) == 1


def test_a_claimant_that_died_is_taken_over_and_one_that_lives_is_not(folder: Path) -> None:
    attempts = set()
    for point in range(1, 100):
        path = failed(fresh(folder, str(point)))
        first = process(target=recover, args=(path, point))
        first.start()
        while first.is_alive() and not acted(path):
            sleep(0.001)
        assert race(path, 0) == [0]
        first.join(60)
        assert restores(path) == 1
        attempts.add(never_two_at_once(acted(path)))
        if first.exitcode != KILLED:
            break
    else:
        pytest.fail("the recovery never ran to its end")
    assert attempts == {1, 2}


def never_two_at_once(lines: list[list[str]]) -> int:
    """How often it was attempted; each attempt began after the one before had ended or died."""
    numbers = [int(attempt) for what, _, attempt in lines if what == "begin"]
    assert numbers in ([1], [2], [1, 2])
    for before, line in pairwise(lines):
        if line[0] == "end":
            assert before == ["begin", *line[1:]], "two act at once"
    return numbers[-1]


def test_two_processes_act_where_nothing_holds_the_lock(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def not_alone(_: Presence) -> Iterator[None]:
        yield

    def recover_once() -> None:
        def restore(_: Recovery) -> None:
            append(path.parent / "acted", f"begin {os.getpid()}")
            sleep(3)

        with Store.open(path, CONTRACT) as store, suppress(UnderWayError):
            Sidecar(store).recover(restore=restore, rerun=restore)

    monkeypatch.setattr(Presence, "alone", not_alone)
    path = failed(folder)
    first, second = process(target=recover_once), process(target=recover_once)
    first.start()
    while not acted(path):
        sleep(0.001)
    second.start()
    first.join(60)
    second.join(60)
    assert len(acted(path)) == 2


def test_no_process_recovers_while_another_is_acting(folder: Path) -> None:
    path = failed(folder)
    ready = folder / "ready"

    def act() -> None:
        with Store.open(path, CONTRACT) as store:
            sidecar = Sidecar(store)
            other = sidecar.enter("slot", "m2")
            with sidecar.acting(other, reads=[]):
                ready.touch()
                sleep(60)

    child = process(target=act)
    child.start()
    while not ready.exists():
        sleep(0.001)
    with Store.open(path, CONTRACT) as store:
        sidecar = Sidecar(store)
        for _ in range(3):
            with pytest.raises(UnderWayError), sidecar.recovering():
                pass
        child.kill()
        child.join()
        # The failure that was pending, then that of the act that died with its process.
        decisions = []
        while decision := sidecar.recover(restore=lambda _: None, rerun=lambda _: None):
            decisions.append(decision.verdict.value)
        assert decisions == ["restore", "rerun"]
        assert issubclass(UnderWayError, SidecarError)
