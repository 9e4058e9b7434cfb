"""
The durable store of one task: an SQLite file to which records are only ever appended.

A record is durable when the call that appends it returns.
Beside the file stands `<file>-mark`, which says how many records were acknowledged so far (at
least), so that a file or a write-ahead log that was cut afterwards is not taken for a shorter one;
and `<file>-live`, the lock of `presence`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any, Self

from dart_core import Contract
from dart_runtime.chain import link, mark
from dart_runtime.contracts import digest
from dart_runtime.errors import OtherContractError
from dart_runtime.ledger import Kind, Record
from dart_runtime.opening import begin, checked, fill, inspected, translated
from dart_runtime.presence import Presence
from dart_tools.codec import Header, decode_header

__all__ = ["Store"]

PATIENCE = 5.0  # seconds
LAST = "SELECT number, chain FROM record ORDER BY number DESC LIMIT 1"
APPEND = "INSERT INTO record (number, kind, subject, line, data, chain) VALUES (?, ?, ?, ?, ?, ?)"
AFTER = "SELECT number, kind, subject, line FROM record WHERE number > ? ORDER BY number"
TRACE = """
SELECT line FROM (
    SELECT 0 AS number, line FROM header
    UNION ALL SELECT number, line FROM record WHERE kind IN ('event', 'doubt')
) ORDER BY number
"""
SNAPSHOT = """
SELECT data FROM record WHERE kind = 'event' AND subject = ? AND data IS NOT NULL
ORDER BY number DESC LIMIT 1
"""


class Store:
    """
    An opened store; `create`, `open` and `in_memory` make one.

    It may be used from several threads, and the file from several processes; an opened store is
    not carried across a fork.
    """

    def __init__(self, path: str, database: sqlite3.Connection, patience: float = PATIENCE) -> None:
        self.path = path
        self._database = database
        self._mutex = RLock()
        self._mark = open(f"{path}-mark", "r+b", buffering=0) if path else None  # noqa: PTH123, SIM115
        self.presence = Presence(f"{path}-live" if path else "", patience)
        line, self.digest = database.execute("SELECT line, digest FROM header").fetchone()
        self.header: Header = decode_header(line)

    @classmethod
    def create(cls, path: str | Path, contract: Contract, *, name: str, source: str = "") -> Store:
        """
        A new store under the contract, for the task of this name; StoreError where a file is.

        The store appears whole or not at all.
        """
        begin(str(path), Header(name=name, contract=contract, source=source or None))
        return cls.open(path, contract)

    @classmethod
    def open(
        cls, path: str | Path, contract: Contract | None = None, *, patience: float = PATIENCE
    ) -> Store:
        """
        The store in the file, to go on with.

        It is refused where it is foreign, newer, damaged, cut, locked or cannot be written, and
        where it was begun under a contract other than the one given.
        `patience` is how many seconds another process may hold it at a time.
        """
        place = str(path)
        store = cls(place, checked(place, patience), patience)
        if contract is not None and store.digest != digest(contract):
            store.close()
            cause = f"was begun under another contract (digest {store.digest})"
            raise OtherContractError(place, cause)
        return store

    @classmethod
    def in_memory(cls, contract: Contract, *, name: str, source: str = "") -> Store:
        """A store that is gone with the process."""
        database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        fill(database, Header(name=name, contract=contract, source=source or None))
        return cls("", database)

    @classmethod
    def read_trace(cls, path: str | Path, *, patience: float = PATIENCE) -> bytes:
        """The task in the file so far as a trace of format 1; the file need not be writable."""
        with inspected(str(path), patience) as database:
            return b"".join(line + b"\n" for (line,) in database.execute(TRACE))

    def trace(self) -> bytes:
        """The task so far as a trace of format 1."""
        with self._mutex:
            return b"".join(line + b"\n" for (line,) in self._run(TRACE))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is appended within becomes durable at the end, or nothing of it."""
        with self._mutex:
            self._run("BEGIN IMMEDIATE")
            try:
                yield
                last = self._run(LAST)
                self._run("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise
            self._acknowledge(last)

    def append(self, kind: Kind, subject: str, line: bytes, data: bytes | None = None) -> Record:
        """The record, appended; only within a transaction."""
        if not self._database.in_transaction:
            message = "a record is appended within a transaction"
            raise RuntimeError(message)
        number, before = next(iter(self._run(LAST)), (0, self.digest.encode()))
        record = Record(number=number + 1, kind=kind, subject=subject, line=line)
        row = (record.number, kind.value, subject, line, data, link(before, record, data))
        self._run(APPEND, row)
        return record

    def records(self, after: int = 0) -> list[Record]:
        """The records with greater numbers, in order."""
        with self._mutex:
            return [
                Record(number=number, kind=Kind(kind), subject=subject, line=line)
                for number, kind, subject, line in self._run(AFTER, (after,))
            ]

    def snapshot(self, checkpoint: str) -> bytes | None:
        """What the host gave with the checkpoint that was last saved under this id."""
        with self._mutex:
            found = self._run(SNAPSHOT, (checkpoint,))
        return found[0][0] if found else None

    def close(self) -> None:
        """Give the file up; what was appended stays."""
        with self._mutex:
            self._database.close()
            self.presence.close()
            if self._mark is not None:
                self._mark.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, statement: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._database.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise translated(self.path, error) from error

    def _acknowledge(self, last: list[tuple[Any, ...]]) -> None:
        if self._mark is not None and last:
            # The records are durable already; a mark that lags is a lower bound still.
            with suppress(OSError):
                self._mark.seek(0)
                self._mark.write(mark(*last[0]))
