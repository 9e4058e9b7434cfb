"""The disk is full, or a file was cut: a clear error, and nothing acknowledged is lost."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dart_core import Verdict
from dart_runtime.errors import CorruptStoreError, FullStoreError, StoreError
from dart_runtime.observer import Observer
from dart_runtime.sidecar import Sidecar
from dart_runtime.store import Store
from faults.killing import KILLED, Killer, fresh, process
from runtime.damage import content, refused, refused_or_whole
from runtime.schedule import CONTRACT, INVITE, chosen, invited

FRAME = 4096 + 24  # bytes of one page in the write-ahead log


def fill(observer: Observer) -> int:
    """How many events were acknowledged before the disk was full, to the last small record."""
    number = 0
    for snapshot in (bytes(2000), None):
        try:
            for _ in range(10_000):
                observer.checkpoint(f"c{number:06d}", INVITE, snapshot=snapshot)
                number += 1
        except FullStoreError:
            continue
        raise AssertionError
    return number


def begun(path: Path) -> Store:
    with Store.create(path, CONTRACT, name="meeting") as store:
        chosen(Observer(store))
        invited(Observer(store))
    return Store.open(path, CONTRACT)


def full_for_sqlite(store: Store) -> Callable[[], None]:
    database = store._database
    (pages,) = database.execute("PRAGMA page_count").fetchone()
    database.execute(f"PRAGMA max_page_count = {pages + 20}")
    return lambda: database.execute("PRAGMA max_page_count = 1000000").close()


def test_a_full_store_keeps_what_it_has_and_goes_on_with_room(folder: Path) -> None:
    with begun(folder / "task") as store:
        observer = Observer(store)
        make_room = full_for_sqlite(store)
        acknowledged = 8 + fill(observer)
        assert acknowledged > 10
        assert observer.history.clock == acknowledged
        whole = observer.export()
        make_room()
        observer.exit(INVITE)
    with Store.open(folder / "task", CONTRACT) as store:
        export = Observer(store).export()
        assert export.startswith(whole)
        assert export.count(b"\n") == 1 + acknowledged + 1


def test_an_act_that_cannot_be_recorded_is_in_doubt(folder: Path) -> None:
    with begun(folder / "task") as store:
        sidecar = Sidecar(store)
        other = sidecar.enter("invite", "m2")
        sidecar.checkpoint("other", other)
        make_room = full_for_sqlite(store)
        with pytest.raises(FullStoreError), sidecar.acting(other, effects=["send_invite"]):
            fill(sidecar)
        make_room()
        decision = sidecar.recover(restore=lambda _: None, rerun=lambda _: None)
        assert decision is not None
        assert decision.verdict is Verdict.ESCALATE
        assert not decision.checkpoints[0].guards.effect_allowed


def limited(work: Callable[[], None], size: int) -> int | None:
    """How a process ends that may not write a file beyond this size."""

    def run() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        work()

    child = process(target=run)
    child.start()
    child.join(60)
    return child.exitcode


def test_a_file_that_cannot_grow_keeps_what_it_has(folder: Path) -> None:
    path = folder / "task"
    begun(path).close()

    def work() -> None:
        with Store.open(path, CONTRACT) as store:
            observer = Observer(store)
            (folder / "count").write_text(str(8 + fill(observer)))
            os._exit(0)

    assert limited(work, 200_000) == 0
    with Store.open(path, CONTRACT) as store:
        assert Observer(store).history.clock == int((folder / "count").read_text()) > 10


def test_a_store_that_cannot_be_made_leaves_nothing(folder: Path) -> None:
    def work() -> None:
        with pytest.raises(StoreError):
            Store.create(folder / "task", CONTRACT, name="meeting")

    assert limited(work, 8192) == 0
    assert list(folder.iterdir()) == []


@pytest.fixture
def small_disk(folder: Path) -> Iterator[Path]:
    disk = fresh(folder, "disk")
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(disk)]
    if os.getuid() or subprocess.run(mount, check=False).returncode:  # noqa: S603
        pytest.skip("only who may mount a small file system can fill it")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)  # noqa: S603, S607


def test_a_full_disk_keeps_what_it_has_and_goes_on_with_room(small_disk: Path) -> None:
    (small_disk / "other").write_bytes(bytes(200_000))
    with begun(small_disk / "task") as store:
        observer = Observer(store)
        acknowledged = 8 + fill(observer)
        assert observer.history.clock == acknowledged > 10
        with pytest.raises(FullStoreError):
            observer.exit(INVITE)
        (small_disk / "other").unlink()
        observer.exit(INVITE)
        assert Observer(store).history.clock == acknowledged + 1
    with Store.open(small_disk / "task", CONTRACT) as store:
        assert Observer(store).history.clock == acknowledged + 1


@pytest.fixture
def killed(folder: Path) -> Path:
    """A store whose process was killed, with all its records in the write-ahead log."""
    path = folder / "task"

    def work() -> None:
        with Store.create(path, CONTRACT, name="meeting") as store:
            chosen(Observer(store))
            invited(Observer(store))
            Killer(1)()

    child = process(target=work)
    child.start()
    child.join()
    assert child.exitcode == KILLED
    return path


def copied(path: Path, folder: Path, name: str) -> Path:
    place = fresh(folder, name) / "task"
    for end, data in content(path).items():
        Path(f"{place}{end}").write_bytes(data)
    return place


def exported(path: Path) -> bytes:
    with Store.open(path) as store:
        return Observer(store).export()


def cuts(path: Path) -> list[int]:
    size = Path(f"{path}-wal").stat().st_size
    ends = {0, 1} | {32 + FRAME * number for number in range(size // FRAME + 1)}
    return sorted({cut for end in ends for cut in range(end - 1, end + 2) if 0 <= cut < size})


def test_a_log_that_was_cut_is_refused(killed: Path, folder: Path) -> None:
    assert len(cuts(killed)) > 25
    for cut in cuts(killed):
        path = copied(killed, folder, str(cut))
        os.truncate(f"{path}-wal", cut)
        assert isinstance(refused(path), CorruptStoreError)
    assert exported(killed).count(b"\n") == 9


def test_a_log_that_is_gone_is_refused(killed: Path) -> None:
    Path(f"{killed}-wal").unlink()
    assert "8 records were acknowledged, and 0 are left" in refused(killed).cause


def test_a_cut_log_is_taken_for_a_shorter_one_without_the_mark(killed: Path, folder: Path) -> None:
    path = copied(killed, folder, "unmarked")
    Path(f"{path}-mark").unlink()
    os.truncate(f"{path}-wal", Path(f"{path}-wal").stat().st_size - 1)
    assert exported(path).count(b"\n") < 9


def test_a_damaged_log_is_never_taken_for_a_fact(killed: Path, folder: Path) -> None:
    whole = exported(copied(killed, folder, "whole"))
    size = Path(f"{killed}-wal").stat().st_size
    found = 0
    for offset in range(0, size, 211):
        path = copied(killed, folder, str(offset))
        with Path(f"{path}-wal").open("r+b") as file:
            file.seek(offset)
            byte = file.read(1)
            file.seek(offset)
            file.write(bytes([byte[0] ^ 0xFF]))
        found += refused_or_whole(path, whole)
    assert found > size // 211 // 2


def test_a_store_whose_making_was_killed_is_there_or_is_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def before(*_: str) -> None:
        Killer(1)()

    def after(draft: str, path: str) -> None:
        link(draft, path)
        Killer(1)()

    for killing, there in ((before, False), (after, True)):
        path = fresh(folder, killing.__name__) / "task"
        monkeypatch.setattr(os, "link", killing)
        child = process(target=Store.create, args=(path, CONTRACT), kwargs={"name": "meeting"})
        child.start()
        child.join()
        assert child.exitcode == KILLED
        monkeypatch.undo()
        assert path.exists() is there
        if not there:
            Store.create(path, CONTRACT, name="meeting").close()
        assert exported(path).count(b"\n") == 1
