from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from attrs import evolve

from dart_core import Contract
from dart_runtime.contracts import digest
from dart_runtime.errors import MalformedEventError, OtherContractError, StoreError
from dart_runtime.ledger import Kind, Record
from dart_runtime.opening import fill
from dart_runtime.store import Store
from dart_tools.codec import Header, encode_header
from runtime.damage import content
from runtime.schedule import CONTRACT

LINE = b'{"event":"rerun"}'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "task"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.create(path, CONTRACT, name="meeting", source="a test") as opened:
        yield opened


def append(store: Store, *subjects: str) -> None:
    with store.transaction():
        for subject in subjects:
            store.append(Kind.EVENT, subject, LINE)


def subjects(store: Store) -> list[str]:
    return [record.subject for record in store.records()]


def test_create_begins_under_the_contract(store: Store) -> None:
    assert store.header.contract == CONTRACT
    assert (store.header.name, store.header.source) == ("meeting", "a test")
    assert store.digest == digest(CONTRACT)
    assert store.records() == []


def test_create_rejects_a_file_that_is_there(store: Store, path: Path) -> None:
    with pytest.raises(StoreError, match="is there already"):
        Store.create(path, CONTRACT, name="another")
    assert store.header.name == "meeting"


@pytest.mark.parametrize("end", ["-mark", "-wal", "-shm", "-journal"])
def test_create_rejects_what_is_left_of_another_store(path: Path, end: str) -> None:
    Path(f"{path}{end}").write_bytes(b"")
    with pytest.raises(StoreError, match=f"task{end} is there already"):
        Store.create(path, CONTRACT, name="meeting")
    assert not path.exists()


def test_create_never_takes_the_place_of_what_another_process_makes(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(database: sqlite3.Connection, header: Header) -> None:
        fill(database, header)
        path.write_bytes(b"another's")

    monkeypatch.setattr("dart_runtime.opening.fill", meanwhile)
    with pytest.raises(StoreError, match="is there already"):
        Store.create(path, CONTRACT, name="meeting")
    assert path.read_bytes() == b"another's"
    assert list(path.parent.iterdir()) == [path]


def test_create_leaves_nothing_where_it_cannot_write(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="unable to open"):
        Store.create(tmp_path / "no folder" / "task", CONTRACT, name="meeting")
    assert list(tmp_path.iterdir()) == []


def test_create_rejects_a_name_that_no_trace_can_hold(tmp_path: Path) -> None:
    with pytest.raises(MalformedEventError, match="surrogates"):
        Store.create(tmp_path / "task", CONTRACT, name="\ud800")
    assert list(tmp_path.iterdir()) == []


def test_create_leaves_no_draft(store: Store, tmp_path: Path) -> None:
    append(store, "a")
    names = {found.name.removeprefix("task") for found in tmp_path.iterdir()}
    assert names == {"", "-mark", "-live", "-wal", "-shm"}


def test_open_goes_on_with_what_was_appended(store: Store, path: Path) -> None:
    append(store, "a", "b")
    store.close()
    with Store.open(path, CONTRACT) as again:
        append(again, "c")
        assert again.records(after=1) == [
            Record(number=2, kind=Kind.EVENT, subject="b", line=LINE),
            Record(number=3, kind=Kind.EVENT, subject="c", line=LINE),
        ]


def test_open_rejects_another_contract(store: Store, path: Path) -> None:
    store.close()
    with pytest.raises(OtherContractError, match="another contract"):
        Store.open(path, Contract())
    with pytest.raises(OtherContractError, match="another contract"):
        Store.open(path, evolve(CONTRACT, compensate=True))
    Store.open(path, CONTRACT).close()


def test_an_open_store_commits_durably(store: Store) -> None:
    database = store._database
    assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert database.execute("PRAGMA synchronous").fetchone() == (2,)


def test_transaction_keeps_all_or_nothing(store: Store, path: Path) -> None:
    append(store, "a")

    def interrupted() -> None:
        with store.transaction():
            store.append(Kind.EVENT, "b", LINE)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert subjects(store) == ["a"]
    append(store, "c")
    store.close()
    with Store.open(path) as again:
        assert subjects(again) == ["a", "c"]


def test_append_is_within_a_transaction(store: Store) -> None:
    with pytest.raises(RuntimeError, match="within a transaction"):
        store.append(Kind.EVENT, "a", LINE)


def test_a_claim_is_kept_once(store: Store) -> None:
    with store.transaction():
        store.append(Kind.CLAIM, "1.1", b"{}")
    with pytest.raises(StoreError, match="UNIQUE"), store.transaction():
        store.append(Kind.CLAIM, "1.1", b"{}")
    assert subjects(store) == ["1.1"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE record SET line = x'00'",
        "DELETE FROM record",
        "INSERT OR REPLACE INTO record VALUES (1, 'event', '', x'00', NULL, x'00')",
        "REPLACE INTO record VALUES (2, 'event', '', x'00', NULL, x'00')",
        "INSERT INTO record VALUES (4, 'event', '', x'00', NULL, x'00')",
        "INSERT INTO record VALUES (0, 'event', '', x'00', NULL, x'00')",
        "INSERT INTO record VALUES (3, 'guess', '', x'00', NULL, x'00')",
        "UPDATE header SET digest = ''",
        "DELETE FROM header",
        "INSERT OR REPLACE INTO header VALUES (1, x'00', '')",
    ],
)
def test_what_is_written_is_never_changed(store: Store, path: Path, change: str) -> None:
    append(store, "a", "b")
    with closing(sqlite3.connect(path)) as other, pytest.raises(sqlite3.IntegrityError):
        other.execute(change)
    assert subjects(store) == ["a", "b"]


def test_snapshot_is_that_of_the_checkpoint(store: Store) -> None:
    with store.transaction():
        store.append(Kind.EVENT, "c", LINE, b"")
        store.append(Kind.ANNOUNCE, "c", LINE, b"no snapshot")
        store.append(Kind.EVENT, "c", LINE)
    assert store.snapshot("c") == b""
    assert store.snapshot("d") is None


def test_read_trace_leaves_the_file_alone(store: Store, path: Path) -> None:
    append(store, "a")
    with store.transaction():
        store.append(Kind.ANNOUNCE, "b", b"no event")
        store.append(Kind.DOUBT, "b", LINE)
    store.close()
    before = content(path)
    trace = encode_header(store.header) + b"\n" + 2 * (LINE + b"\n")
    assert Store.read_trace(path) == trace
    assert content(path) == before


def test_the_command_prints_the_trace(store: Store, path: Path) -> None:
    append(store, "a")
    command = [sys.executable, "-m", "dart_tools.cli", "export", str(path)]
    found = subprocess.run(command, capture_output=True, check=True)  # noqa: S603
    assert found.stdout == store.trace()
    missing = subprocess.run([*command, "more"], capture_output=True, check=False)  # noqa: S603
    assert missing.returncode == 2
    command[-1] += ".none"
    refused = subprocess.run(command, capture_output=True, check=False)  # noqa: S603
    assert refused.returncode == 2
    assert refused.stderr.decode().strip() == f"dart-core: {path}.none: there is no store here"


def test_a_mark_that_cannot_be_written_costs_no_record(store: Store) -> None:
    mark = store._mark
    assert mark is not None
    mark.close()
    with Path(mark.name).open("rb", buffering=0) as unwritable:
        store._mark = unwritable
        append(store, "a")
    store._mark = None
    assert subjects(store) == ["a"]


def test_in_memory_is_a_store_like_any_other() -> None:
    with Store.in_memory(CONTRACT, name="meeting") as store:
        append(store, "a")
        assert subjects(store) == ["a"]
        assert store.digest == digest(CONTRACT)
