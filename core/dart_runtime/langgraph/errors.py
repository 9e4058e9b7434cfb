"""What the adapter refuses."""

from __future__ import annotations

from dart_core import Decision
from dart_runtime.errors import SidecarError

__all__ = ["DivergedError", "GuardError", "RestoreRefusedError"]


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
