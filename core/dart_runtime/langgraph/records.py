"""The records of a graph's threads: each a store of its own, in a file or in memory."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from urllib.parse import quote

from dart_core import Contract
from dart_runtime.langgraph.keeping import Packer
from dart_runtime.langgraph.recorder import Recorder
from dart_runtime.store import Store

__all__ = ["Records"]


class Records:
    """The records of all threads, under one contract."""

    def __init__(self, contract: Contract, folder: Path | None, packer: Packer) -> None:
        self._contract = contract
        self._folder = folder
        self._packer = packer
        self._recorders: dict[str, Recorder] = {}
        self._mutex = Lock()

    def find(self, thread: str) -> Recorder:
        """The thread's record, begun where there is none; StoreError where it cannot be used."""
        with self._mutex:
            if thread not in self._recorders:
                self._recorders[thread] = Recorder(self._store(thread), self._packer)
            return self._recorders[thread]

    def close(self) -> None:
        """Give the records up; what is in files stays."""
        with self._mutex:
            for recorder in self._recorders.values():
                recorder.store.close()
            self._recorders.clear()

    def _store(self, thread: str) -> Store:
        if self._folder is None:
            return Store.in_memory(self._contract, name=thread, source="langgraph")
        path = self._folder / f"{quote(thread, safe='')}.dart"
        if path.exists():
            return Store.open(path, self._contract)
        return Store.create(path, self._contract, name=thread, source="langgraph")
