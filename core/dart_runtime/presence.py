"""
Who is at work on a store: a lock that the operating system frees when its holder dies.

An act in flight holds it shared, a recovery holds it alone.
So who gets it alone knows that every act or recovery that the store shows as unfinished was left
by a process that is dead, or that gave it up: no clock and no process id is asked.

The lock is SQLite's own, on an empty file beside the store: it works wherever the store does.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from dart_runtime.errors import ReadOnlyStoreError, UnderWayError

__all__ = ["Presence"]


class Presence:
    """One opened store's part in the lock; an empty path is a store that nobody else can see."""

    def __init__(self, path: str, patience: float) -> None:
        self._mutex = Lock()
        self._path = path
        self._acts = 0
        self._alone = False
        self._patience = int(patience * 1000)
        try:
            self._lock = sqlite3.connect(
                path or ":memory:", isolation_level=None, check_same_thread=False
            )
        except sqlite3.OperationalError as error:
            raise ReadOnlyStoreError(path, str(error)) from None

    def _take(self, patience: int, *statements: str) -> None:
        try:
            self._lock.execute(f"PRAGMA busy_timeout = {patience}")
            for statement in statements:
                self._lock.execute(statement).fetchall()
        except sqlite3.OperationalError as error:
            self._free()
            if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                message = "an act or a recovery is under way in another process"
                raise UnderWayError(message) from None
            raise ReadOnlyStoreError(self._path, str(error)) from None

    def _free(self) -> None:
        if self._lock.in_transaction:
            self._lock.execute("ROLLBACK")

    def begin_act(self) -> None:
        """Hold the lock shared until the act ends; UnderWayError where a recovery goes on."""
        with self._mutex:
            if self._alone:
                message = "a recovery is under way"
                raise UnderWayError(message)
            if not self._acts:
                self._take(self._patience, "BEGIN", "SELECT count(*) FROM sqlite_master")
            self._acts += 1

    def end_act(self) -> None:
        """Say that an act that was begun here has ended, in whatever way."""
        with self._mutex:
            self._acts -= 1
            if not self._acts:
                self._free()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the lock alone; UnderWayError while an act or another recovery is alive."""
        with self._mutex:
            if self._acts or self._alone:
                message = "a recovery is under way" if self._alone else "an act is under way"
                raise UnderWayError(message)
            self._take(0, "BEGIN EXCLUSIVE")
            self._alone = True
        try:
            yield
        finally:
            with self._mutex:
                self._alone = False
                self._free()

    def close(self) -> None:
        """Give up whatever is held."""
        self._lock.close()
