"""
Step 2: whether a checkpoint stands at a recoverable boundary of an instance.

Mirrors: Certify (spec_tla/Certify.tla); semantics: section 5, step 2.

`cut` is the length of the instance's log at the checkpoint.
"""

from __future__ import annotations

from dart_core.contract import Boundary, opens
from dart_core.history import (
    Checkpoint,
    EntryKind,
    History,
    InstanceId,
    Scope,
    closes,
    log_of,
    others,
)

__all__ = [
    "boundary",
    "certified",
    "closed",
    "controllable",
    "decidable",
    "last_closing",
    "open_writes",
    "overrun",
    "separable",
]


def boundary(history: History, instance: InstanceId, cut: int) -> Boundary:
    """
    The kind of boundary at the cut: derived from the log, never claimed.

    Mirrors: Certify!Boundary
    """
    if cut == 1:
        return Boundary.ENTRY
    exits = log_of(history, instance)[cut - 1].kind is EntryKind.EXIT
    return Boundary.EXIT if exits else Boundary.COMMIT


def last_closing(history: History, instance: InstanceId, cut: int) -> int:
    """
    The index of the last closing point at or before the cut.

    Mirrors: Certify!LastClosing
    """
    return next(index for index in range(cut, 0, -1) if closes(history, instance, index))


def open_writes(history: History, instance: InstanceId, cut: int) -> list[int]:
    """
    The places of the writes in the handoff that is open at the cut.

    Mirrors: Certify!OpenWrites
    """
    log = log_of(history, instance)
    start = last_closing(history, instance, cut)
    return [index for index in range(start + 1, cut + 1) if log[index - 1].writes]


def overrun(history: History, checkpoint: Checkpoint, instance: InstanceId) -> list[InstanceId]:
    """
    The other instances that have an entry after the checkpoint's cut.

    Mirrors: Certify!Overrun
    """
    return [
        other
        for other in others(history, instance)
        if len(log_of(history, other)) > checkpoint.cut.get(other, 0)
    ]


def decidable(checkpoint: Checkpoint, instance: InstanceId) -> bool:
    """
    Whether the checkpoint is known to be the instance's and nobody else's.

    Mirrors: Certify!Decidable
    """
    return checkpoint.owners == {instance}


def closed(history: History, instance: InstanceId, cut: int) -> bool:
    """
    Whether no handoff is open at the cut.

    Mirrors: Certify!Closed
    """
    return not open_writes(history, instance, cut)


def separable(history: History, checkpoint: Checkpoint, instance: InstanceId) -> bool:
    """
    Whether restoring would rewind the instance alone.

    Mirrors: Certify!Separable
    """
    return checkpoint.scope is Scope.INSTANCE or not overrun(history, checkpoint, instance)


def controllable(history: History, instance: InstanceId, cut: int) -> bool:
    """
    Whether policy opens the kind of boundary at the cut.

    Mirrors: Certify!Controllable
    """
    kind = boundary(history, instance, cut)
    return opens(history.contract, instance.skeleton, kind)


def certified(history: History, checkpoint: Checkpoint, instance: InstanceId) -> bool:
    """
    Whether the checkpoint stands at a recoverable boundary (the paper's Definition 5).

    Mirrors: Certify!Certified
    """
    cut = checkpoint.cut[instance]
    return (
        decidable(checkpoint, instance)
        and closed(history, instance, cut)
        and separable(history, checkpoint, instance)
        and controllable(history, instance, cut)
    )
