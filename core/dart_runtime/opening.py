"""
Making and opening a store's file: what is refused, and why.

A file is looked at before SQLite may change it: a refused file keeps every byte.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

from dart_runtime.chain import link, mark, read_mark
from dart_runtime.contracts import digest
from dart_runtime.errors import (
    CorruptStoreError,
    ForeignStoreError,
    FullStoreError,
    LockedStoreError,
    MalformedEventError,
    NewerStoreError,
    ReadOnlyStoreError,
    StoreError,
)
from dart_runtime.ledger import Kind, Record
from dart_runtime.schema import APPLICATION_ID, FORMAT, SCHEMA
from dart_tools.codec import Header, decode_header, encode_header

__all__ = ["begin", "checked", "fill", "inspected", "translated"]

MAGIC = b"SQLite format 3\0"
FILE_HEADER = 100  # bytes
BESIDE = ("-mark", "-wal", "-journal", "-shm")

REFUSALS: dict[int, type[StoreError]] = {
    sqlite3.SQLITE_BUSY: LockedStoreError,
    sqlite3.SQLITE_LOCKED: LockedStoreError,
    sqlite3.SQLITE_READONLY: ReadOnlyStoreError,
    sqlite3.SQLITE_CANTOPEN: ReadOnlyStoreError,
    sqlite3.SQLITE_PERM: ReadOnlyStoreError,
    sqlite3.SQLITE_FULL: FullStoreError,
    sqlite3.SQLITE_IOERR: FullStoreError,
    sqlite3.SQLITE_CORRUPT: CorruptStoreError,
    sqlite3.SQLITE_NOTADB: CorruptStoreError,
}


def translated(path: str, error: sqlite3.Error) -> StoreError:
    """What SQLite says, as what it means for the store."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return REFUSALS.get(code & 0xFF, StoreError)(path or ":memory:", str(error))


def fill(database: sqlite3.Connection, header: Header) -> None:
    """Make the tables in an empty database; MalformedEventError where no trace can begin so."""
    try:
        row = (encode_header(header), digest(header.contract))
    except (TypeError, ValueError) as error:
        raise MalformedEventError(str(error)) from None
    database.executescript(SCHEMA)
    database.execute("INSERT INTO header (one, line, digest) VALUES (1, ?, ?)", row)


def begin(path: str, header: Header) -> None:
    """Make a store's file; it appears whole, and never in the place of another."""
    left = [path + end for end in ("", *BESIDE) if Path(path + end).exists()]
    if left:
        raise StoreError(path, f"{left[0]} is there already")
    draft = f"{path}.{uuid4().hex}.new"
    try:
        with closing(sqlite3.connect(draft, isolation_level=None)) as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")
            fill(database, header)
        os.link(draft, path)
        _sync_folder(path)
    except sqlite3.Error as error:
        raise translated(path, error) from None
    except FileExistsError:
        raise StoreError(path, "is there already") from None
    except OSError as error:
        raise ReadOnlyStoreError(path, str(error.strerror)) from None
    finally:
        for end in ("", *BESIDE):
            Path(draft + end).unlink(missing_ok=True)


def _sync_folder(path: str) -> None:
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(Path(path).absolute().parent, os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def inspected(path: str, patience: float) -> Iterator[sqlite3.Connection]:
    """The database in the file, found sound, to be read alone; StoreError where it is not."""
    marked = _marked(path)
    try:
        _look_at_file(path, marked)
        with closing(sqlite3.connect(_uri(path, "ro"), uri=True, timeout=patience)) as database:
            _look_at_header(path, database)
            _look_at_records(path, database, marked)
            yield database
    except sqlite3.Error as error:
        raise translated(path, error) from None
    except (TypeError, ValueError) as error:
        raise CorruptStoreError(path, f"is damaged: {error}") from None


def checked(path: str, patience: float) -> sqlite3.Connection:
    """The database in the file, ready to be appended to, or the StoreError that says why not."""
    with inspected(path, patience):
        pass
    try:
        database = sqlite3.connect(
            _uri(path, "rw"),
            uri=True,
            timeout=patience,
            isolation_level=None,
            check_same_thread=False,
        )
    except sqlite3.Error as error:
        raise translated(path, error) from None
    try:
        database.execute("PRAGMA synchronous = FULL")
        database.execute("BEGIN IMMEDIATE")
        database.execute("ROLLBACK")
        _make_mark(path)
    except (sqlite3.Error, OSError) as error:
        database.close()
        if isinstance(error, OSError):
            raise ReadOnlyStoreError(path, f"{error.filename}: {error.strerror}") from None
        raise translated(path, error) from None
    return database


def _make_mark(path: str) -> None:
    # Of its full length from the start: that it is written over later needs no room.
    with Path(f"{path}-mark").open("ab") as file:
        if not file.tell():
            file.write(mark(0, b""))


def _uri(path: str, mode: str) -> str:
    return f"{Path(path).absolute().as_uri()}?mode={mode}"


def _marked(path: str) -> tuple[int, bytes]:
    try:
        text = Path(f"{path}-mark").read_bytes()
        return read_mark(text) if text.strip() else (0, b"")
    except FileNotFoundError:
        return 0, b""
    except (ValueError, OSError) as error:
        raise CorruptStoreError(path, f"its mark cannot be read: {error}") from None


def _look_at_file(path: str, marked: tuple[int, bytes]) -> None:
    try:
        with Path(path).open("rb") as file:
            head = file.read(FILE_HEADER)
    except FileNotFoundError:
        if marked[0]:
            raise CorruptStoreError(path, f"is gone, with {marked[0]} records") from None
        raise StoreError(path, "there is no store here") from None
    except OSError as error:
        raise ReadOnlyStoreError(path, f"cannot be read: {error.strerror}") from None
    if len(head) < FILE_HEADER and marked[0]:
        raise CorruptStoreError(path, f"is cut off after {len(head)} bytes")
    kind = int.from_bytes(head[68:72], "big")
    if len(head) < FILE_HEADER or not head.startswith(MAGIC) or kind != APPLICATION_ID:
        raise ForeignStoreError(path, "is no store of this runtime")
    version = int.from_bytes(head[60:64], "big")
    page = int.from_bytes(head[16:18], "big")
    if not _has_log(path) and Path(path).stat().st_size % (page or 1):
        raise CorruptStoreError(path, "is cut off within a page")
    if version != FORMAT:
        cause = f"has format {version}; this runtime knows format {FORMAT}"
        raise (NewerStoreError if version > FORMAT else ForeignStoreError)(path, cause)


def _has_log(path: str) -> bool:
    log = Path(f"{path}-wal")
    return log.exists() and log.stat().st_size > 0


def _look_at_header(path: str, database: sqlite3.Connection) -> None:
    for (finding,) in database.execute("PRAGMA quick_check"):
        if finding != "ok":
            raise CorruptStoreError(path, f"is damaged: {finding}")
    line, frozen = database.execute("SELECT line, digest FROM header").fetchone()
    if digest(decode_header(line).contract) != frozen:
        raise CorruptStoreError(path, "its contract is not the one that it was begun under")


def _look_at_records(path: str, database: sqlite3.Connection, marked: tuple[int, bytes]) -> None:
    number, (chain,) = 0, database.execute("SELECT CAST(digest AS BLOB) FROM header").fetchone()
    for row in database.execute(
        "SELECT number, kind, subject, line, data, chain FROM record ORDER BY number"
    ):
        record = Record(number=row[0], kind=Kind(row[1]), subject=row[2], line=row[3])
        chain, number = link(chain, record, row[4]), number + 1
        if (number, chain) != (row[0], row[5]):
            raise CorruptStoreError(path, f"record {number} is not the one that was written")
        if number == marked[0] and chain != marked[1]:
            raise CorruptStoreError(path, f"record {number} is not the one that was acknowledged")
    if number < marked[0]:
        cause = f"is cut off: {marked[0]} records were acknowledged, and {number} are left"
        raise CorruptStoreError(path, cause)
