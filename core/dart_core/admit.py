"""
Step 4: which checkpoints of the failed instance may be restored.

Mirrors: Admit (spec_tla/Admit.tla); semantics: section 5, step 4.

`cut` is the length of the instance's log at the checkpoint.
"""

from __future__ import annotations

from attrs import astuple, fields, frozen

from dart_core.align import aligned
from dart_core.certify import closed, controllable, decidable, separable
from dart_core.contract import rolls_back
from dart_core.history import (
    Checkpoint,
    History,
    InstanceId,
    Version,
    last_commit,
    log_of,
    others,
)

__all__ = [
    "GUARDS",
    "Guards",
    "admissible",
    "admitted",
    "effect_allowed",
    "fixed_effects",
    "guards",
    "latest",
    "no_committed_conflict",
    "no_live_conflict",
    "reads_after",
    "repairs",
    "stable",
    "suspect",
]


@frozen(kw_only=True)
class Guards:
    """What each guard says of one checkpoint; all must hold."""

    stable: bool
    decidable: bool
    closed: bool
    separable: bool
    controllable: bool
    repairs: bool
    no_committed_conflict: bool
    no_live_conflict: bool
    effect_allowed: bool


GUARDS: tuple[str, ...] = tuple(guard.name for guard in fields(Guards))


def suspect(history: History, instance: InstanceId) -> int:
    """
    The index of the instance's earliest act in doubt, or one past the end of its log.

    Mirrors: Admit!Suspect
    """
    places = [failure.suspect for failure in history.failures if failure.suspect]
    return min(
        (index for owner, index in places if owner == instance),
        default=len(log_of(history, instance)) + 1,
    )


def reads_after(
    history: History, reader: InstanceId, index: int, instance: InstanceId, cut: int
) -> list[tuple[str, Version]]:
    """
    What the reader's entry at `index` read of what the instance wrote after the cut.

    Mirrors: Admit!ReadsAfter
    """
    return [
        (read.key, read.version)
        for read in log_of(history, reader)[index - 1].reads
        if read.version is not None and read.version.writer == instance and read.version.index > cut
    ]


def fixed_effects(history: History, instance: InstanceId, cut: int) -> list[tuple[int, str]]:
    """
    The effects of the instance after the cut that cannot be rolled back, as (index, effect).

    Mirrors: Admit!FixedEffects
    """
    log = log_of(history, instance)
    return [
        (index, effect)
        for index in range(cut + 1, len(log) + 1)
        for effect in log[index - 1].effects
        if not rolls_back(history.contract, instance.skeleton, effect)
    ]


def stable(checkpoint: Checkpoint) -> bool:
    """
    Whether the snapshot is durable.

    Mirrors: Admit!Stable
    """
    return checkpoint.stable


def repairs(history: History, instance: InstanceId, cut: int) -> bool:
    """
    Whether the act in doubt would be undone.

    Mirrors: Admit!Repairs
    """
    return cut < suspect(history, instance)


def no_committed_conflict(history: History, instance: InstanceId, cut: int) -> bool:
    """
    Whether no other instance has committed on what would be undone.

    Mirrors: Admit!NoCommittedConflict
    """
    return not any(
        reads_after(history, reader, index, instance, cut)
        for reader in others(history, instance)
        for index in range(1, last_commit(history, reader) + 1)
    )


def no_live_conflict(history: History, instance: InstanceId, cut: int) -> bool:
    """
    Whether no other instance could still commit on what would be undone.

    Mirrors: Admit!NoLiveConflict
    """
    return not any(
        reads_after(history, reader, index, instance, cut)
        for reader in others(history, instance)
        for index in range(last_commit(history, reader) + 1, len(log_of(history, reader)) + 1)
    )


def effect_allowed(history: History, instance: InstanceId, cut: int) -> bool:
    """
    Whether every effect that would be undone may be.

    Mirrors: Admit!EffectAllowed
    """
    return not fixed_effects(history, instance, cut)


def guards(history: History, checkpoint: Checkpoint, instance: InstanceId) -> Guards:
    """
    Every guard of the checkpoint, for the instance taken as the failed one.

    Mirrors: Admit!Guards
    """
    cut = checkpoint.cut[instance]
    return Guards(
        stable=stable(checkpoint),
        decidable=decidable(checkpoint, instance),
        closed=closed(history, instance, cut),
        separable=separable(history, checkpoint, instance),
        controllable=controllable(history, instance, cut),
        repairs=repairs(history, instance, cut),
        no_committed_conflict=no_committed_conflict(history, instance, cut),
        no_live_conflict=no_live_conflict(history, instance, cut),
        effect_allowed=effect_allowed(history, instance, cut),
    )


def admissible(history: History, checkpoint: Checkpoint, instance: InstanceId) -> bool:
    """
    Whether every guard holds (the paper's Definition 6 and section 4.5).

    Mirrors: Admit!Admissible
    """
    return all(astuple(guards(history, checkpoint, instance)))


def admitted(history: History, instance: InstanceId) -> tuple[Checkpoint, ...]:
    """
    The admissible checkpoints of the instance, latest saved first.

    Mirrors: Admit!Admitted
    """
    return tuple(
        checkpoint
        for checkpoint in aligned(history, instance)
        if admissible(history, checkpoint, instance)
    )


def latest(checkpoints: tuple[Checkpoint, ...], instance: InstanceId) -> Checkpoint | None:
    """
    The checkpoint with the greatest cut, of equal ones the first; None of none.

    Mirrors: Admit!Latest
    """
    return max(checkpoints, key=lambda checkpoint: checkpoint.cut[instance], default=None)
