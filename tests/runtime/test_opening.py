from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dart_runtime.errors import (
    CorruptStoreError,
    ForeignStoreError,
    LockedStoreError,
    NewerStoreError,
    ReadOnlyStoreError,
    SidecarError,
    StoreError,
)
from dart_runtime.observer import Observer
from dart_runtime.store import Store
from dart_tools.errors import DartError
from runtime.damage import refused, refused_or_whole
from runtime.schedule import CONTRACT, chosen, invited


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "task"
    with Store.create(place, CONTRACT, name="meeting") as store:
        chosen(Observer(store))
        invited(Observer(store))
    return place


@pytest.fixture
def whole(path: Path) -> bytes:
    with Store.open(path) as store:
        return Observer(store).export()


def patch(path: Path, offset: int, value: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(value)


def test_all_refusals_have_one_root() -> None:
    assert issubclass(StoreError, SidecarError)
    assert issubclass(SidecarError, DartError)


def test_open_rejects_no_file(tmp_path: Path) -> None:
    assert "there is no store here" in str(refused(tmp_path / "none"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", [b"", b"short", b"a letter to a friend\n" * 50])
def test_open_rejects_a_file_of_another_kind(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "letter").write_bytes(text)
    assert isinstance(refused(tmp_path / "letter"), ForeignStoreError)


def test_open_rejects_a_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        Store.open(tmp_path)


def test_open_rejects_the_database_of_another_program(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other")) as database:
        database.executescript("CREATE TABLE record (a); PRAGMA application_id = 7")
    error = refused(tmp_path / "other")
    assert isinstance(error, ForeignStoreError)
    assert str(error) == f"{tmp_path / 'other'}: is no store of this runtime"


def test_open_rejects_a_later_format(path: Path) -> None:
    patch(path, 60, (2).to_bytes(4, "big"))
    error = refused(path)
    assert isinstance(error, NewerStoreError)
    assert error.cause == "has format 2; this runtime knows format 1"


def test_open_rejects_a_store_that_is_gone(path: Path) -> None:
    path.unlink()
    assert isinstance(refused(path), CorruptStoreError)


def test_open_rejects_a_changed_contract(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DROP TRIGGER header_stays")
        database.execute(
            "UPDATE header SET line = CAST(replace(line, 'irreversible', 'idempotent') AS BLOB)"
        )
    assert "its contract is not the one" in refused(path).cause


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE record SET line = CAST(replace(line, 'select', 'reject') AS BLOB) WHERE number = 3",
        "UPDATE record SET data = x'00' WHERE number = 2",
        "UPDATE record SET data = NULL WHERE number = 2",
        "UPDATE record SET subject = 'chosen' WHERE number = 2",
        "UPDATE record SET kind = 'doubt' WHERE number = 3",
        "UPDATE record SET number = 99 WHERE number = 8",
        "DELETE FROM record WHERE number = 4",
        "DELETE FROM record WHERE number = 8",
        "DELETE FROM record",
    ],
)
def test_open_rejects_a_changed_record(path: Path, change: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript("DROP TRIGGER record_stays; DROP TRIGGER record_is_kept")
        database.execute(change)
    assert isinstance(refused(path, CONTRACT), CorruptStoreError)


def test_open_rejects_the_mark_of_another_store(path: Path, tmp_path: Path) -> None:
    with Store.create(tmp_path / "other", CONTRACT, name="other") as store:
        Observer(store).enter("slot", "m9")
    Path(f"{path}-mark").write_bytes(Path(f"{tmp_path / 'other'}-mark").read_bytes())
    assert "record 1 is not the one that was acknowledged" in refused(path).cause
    Path(f"{path}-mark").write_bytes(b"no mark")
    assert "its mark cannot be read" in refused(path).cause


def test_open_reads_a_mark_that_two_processes_began(path: Path) -> None:
    mark = Path(f"{path}-mark")
    mark.write_bytes(2 * mark.read_bytes())
    Store.open(path, CONTRACT).close()


@pytest.mark.parametrize("left", [0, 1, 16, 99, 100, 4095, 4096, 8192, -4096, -1])
def test_open_rejects_a_file_that_was_cut(path: Path, left: int) -> None:
    size = path.stat().st_size
    os.truncate(path, left if left >= 0 else size + left)
    assert isinstance(refused(path), CorruptStoreError)


def test_open_never_takes_a_damaged_byte_for_a_fact(path: Path, whole: bytes) -> None:
    sound = path.read_bytes()
    found = 0
    for offset in range(0, len(sound), 97):
        patch(path, offset, bytes([sound[offset] ^ 0xFF]))
        found += refused_or_whole(path, whole)
        path.write_bytes(sound)
    assert found > 20
    assert not refused_or_whole(path, whole)


def test_open_waits_for_another_writer_no_longer_than_its_patience(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        error = refused(path)
        assert isinstance(error, LockedStoreError)
        assert error.cause == "database is locked"
        other.execute("ROLLBACK")
    Store.open(path, CONTRACT, patience=0.05).close()


def test_tell_waits_for_another_writer_no_longer_than_its_patience(path: Path) -> None:
    with Store.open(path, CONTRACT, patience=0.05) as store:
        observer = Observer(store)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(LockedStoreError):
                observer.enter("slot", "m2")
            other.execute("ROLLBACK")
        assert observer.history.clock == 8
        observer.enter("slot", "m2")


@pytest.fixture
def another_user() -> Iterator[None]:
    """For root, who may write everything, a user who may not."""
    if os.getuid() == 0:
        os.seteuid(65534)
        yield
        os.seteuid(0)
    else:
        yield


def test_open_rejects_a_store_that_it_cannot_write(
    path: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folders = [tmp_path, *list(tmp_path.parents)[:3]]
    before = [folder.stat().st_mode for folder in folders]
    for file in tmp_path.iterdir():
        file.chmod(0o444)
    for folder in folders:
        folder.chmod(folder.stat().st_mode | 0o055)
    tmp_path.chmod(0o555)
    request.getfixturevalue("another_user")
    try:
        assert isinstance(refused(path), ReadOnlyStoreError)
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
        for folder, mode in zip(folders, before, strict=True):
            folder.chmod(mode)
