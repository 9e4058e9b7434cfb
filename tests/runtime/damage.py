"""What happens to stores' files, and what must be true of one that was refused."""

from __future__ import annotations

from pathlib import Path

from dart_core import Contract
from dart_runtime.errors import StoreError
from dart_runtime.observer import Observer
from dart_runtime.store import Store

KEPT = ("", "-wal", "-mark")  # `-shm` is SQLite's index and `-live` is empty


def content(path: Path) -> dict[str, bytes]:
    """The bytes of the store's files that hold something."""
    files = {end: Path(f"{path}{end}") for end in KEPT}
    found = {end: file.read_bytes() for end, file in files.items() if file.exists()}
    return {end: data for end, data in found.items() if data or not end}


def refused(path: Path, contract: Contract | None = None, patience: float = 0.05) -> StoreError:
    """The error with which the store is refused; opening it changed no byte."""
    before = content(path)
    try:
        Store.open(path, contract, patience=patience).close()
    except StoreError as error:
        found = error
    else:
        message = f"{path} was not refused"
        raise AssertionError(message)
    assert content(path) == before
    assert found.path == str(path)
    return found


def refused_or_whole(path: Path, whole: bytes) -> bool:
    """Whether the store is refused; if it is not, it says all that it said before."""
    before = content(path)
    try:
        with Store.open(path, patience=0.05) as store:
            assert Observer(store).export() == whole
    except StoreError:
        assert content(path) == before
        return True
    return False
