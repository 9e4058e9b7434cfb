"""
The measures of a recovery: what runs again, and what is kept.

Semantics: section 8. The specification does not count, so no module of it is mirrored here.

A recovery is the checkpoint that is restored, or None for a rerun of the whole task.
"""

from __future__ import annotations

from dart_core.dart import restore
from dart_core.frozen_map import FrozenMap
from dart_core.history import (
    Checkpoint,
    EntryKind,
    History,
    InstanceId,
    Restore,
    log_of,
    others,
    remaining,
)
from dart_core.valid import Violation, restore_violations, violations

__all__ = ["kept", "preserved", "replay", "runs_again", "success", "unsafe", "upstream_replay"]


def kept(history: History, checkpoint: Checkpoint | None) -> FrozenMap[InstanceId, int]:
    """The length of each log that the recovery keeps; an instance that is missing keeps nothing."""
    return FrozenMap() if checkpoint is None else remaining(history, checkpoint)


def runs_again(history: History, instance: InstanceId, keeps: FrozenMap[InstanceId, int]) -> int:
    """The number of the instance's acts that the recovery runs again."""
    undone = log_of(history, instance)[keeps.get(instance, 0) :]
    return sum(entry.kind is EntryKind.ACT for entry in undone)


def replay(history: History, checkpoint: Checkpoint | None) -> int:
    """The number of acts that the recovery runs again."""
    keeps = kept(history, checkpoint)
    return sum(runs_again(history, instance, keeps) for instance in history.log)


def upstream_replay(
    history: History, checkpoint: Checkpoint | None, failed: InstanceId | None
) -> int:
    """The number of those acts that are not the failed instance's; all, where that is unknown."""
    keeps = kept(history, checkpoint)
    return sum(runs_again(history, other, keeps) for other in others(history, failed))


def preserved(history: History, checkpoint: Checkpoint | None) -> int:
    """The number of exited instances that the recovery does not run again."""
    keeps = kept(history, checkpoint)
    return sum(
        log[-1].kind is EntryKind.EXIT and keeps.get(instance, 0) == len(log)
        for instance, log in history.log.items()
    )


def unsafe(history: History, checkpoint: Checkpoint) -> frozenset[Violation]:
    """What restoring the checkpoint now would make invalid, by the ground truth."""
    after = restore(history, Restore(checkpoint.id))
    return restore_violations(history, checkpoint) | violations(after)


def success(history: History, goal_reached: bool) -> bool:
    """Whether the task has ended well: a valid history, no failure open, its own contract kept."""
    return goal_reached and not history.failures and not violations(history)
