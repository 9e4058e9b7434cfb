"""Errors of the runtime; nothing was changed by a call that raises one, unless it says so."""

from __future__ import annotations

from attrs import frozen

from dart_core import Refusal
from dart_tools.errors import DartError
from dart_tools.judge import refusal_text

__all__ = [
    "AmbiguousInstanceError",
    "ContractError",
    "CorruptStoreError",
    "ForeignStoreError",
    "FullStoreError",
    "LockedStoreError",
    "MalformedEventError",
    "NewerStoreError",
    "NotEnabledError",
    "OtherContractError",
    "ReadOnlyStoreError",
    "SidecarError",
    "StoreError",
    "UnderWayError",
]


class SidecarError(DartError):
    """The root of what the runtime raises."""


@frozen(str=False, eq=False)
class ContractError(SidecarError):
    """A file that is no contract."""

    path: str
    cause: str

    def __str__(self) -> str:
        return f"{self.path}: {self.cause}"


@frozen(str=False, eq=False)
class NotEnabledError(SidecarError):
    """An event that the history does not allow."""

    refusal: Refusal

    def __str__(self) -> str:
        return f"event {self.refusal.at}: {refusal_text(self.refusal)}"


class MalformedEventError(SidecarError):
    """An event, or a header, that a trace cannot hold."""


class UnderWayError(SidecarError):
    """What was asked has to wait: an act or a recovery is under way, or is left unfinished."""


class AmbiguousInstanceError(SidecarError):
    """A call that cannot be told to one live instance; it was not made."""


@frozen(str=False, eq=False)
class StoreError(SidecarError):
    """A store that cannot be used; nothing of it was overwritten."""

    path: str
    cause: str

    def __str__(self) -> str:
        return f"{self.path}: {self.cause}"


class ForeignStoreError(StoreError):
    """The file is something else."""


class NewerStoreError(StoreError):
    """The file was written in a later format."""


class CorruptStoreError(StoreError):
    """The file is damaged, or acknowledged records are missing."""


class ReadOnlyStoreError(StoreError):
    """The file or its folder cannot be written."""


class LockedStoreError(StoreError):
    """Another process holds the file for too long."""


class FullStoreError(StoreError):
    """There is no room for the record; it is not in the store."""


class OtherContractError(StoreError):
    """The store was begun under another contract."""
