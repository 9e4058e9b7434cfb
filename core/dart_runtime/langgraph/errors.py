"""What the adapter refuses."""

from __future__ import annotations

from dart_core import Decision
from dart_runtime.errors import SidecarError

__all__ = ["DivergedError", "DoubtError", "GuardError", "RestoreRefusedError"]


class GuardError(SidecarError, RuntimeError):
    """The root of what the adapter raises; no retry policy of LangGraph's defaults retries it."""


class RestoreRefusedError(GuardError):
    """
    A resume, replay, fork or rerun that the guard does not carry out; nothing has changed.

    `decision` says what was decided instead, with its evidence.
    It is None where nothing could be decided, because the checkpoint is not on record.
    """

    def __init__(self, asked: str, why: str, decision: Decision | None = None) -> None:
        super().__init__(f"{asked} is refused: {why}")
        self.decision = decision


class DivergedError(GuardError):
    """What runs again does not ask for what stands on record, so the record cannot answer it."""


class DoubtError(Exception):
    """
    Raised by a node that finds that what it was given under `key` is wrong.

    The act in doubt is the one that wrote it, not the node's own; the node has done nothing.
    """

    def __init__(self, message: str, *, key: str) -> None:
        super().__init__(message)
        self.key = key
