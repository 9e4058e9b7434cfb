"""
The ground truth: what is invalid, whatever any guard says.

Mirrors: Valid (spec_tla/Valid.tla); semantics: section 6.

This module takes nothing from the guards or from the helpers that they use: it reads the logs.
"""

from __future__ import annotations

from enum import Enum

from dart_core.contract import Boundary, EffectClass, Predicate, Skeleton
from dart_core.history import (
    Checkpoint,
    Effect,
    Entry,
    EntryKind,
    Failure,
    History,
    InstanceId,
    Scope,
    Version,
)

__all__ = [
    "Violation",
    "crosses_policy",
    "culprit",
    "erased_effect",
    "exists",
    "leaves_suspect",
    "orphaned_commit",
    "restore_violations",
    "rewound",
    "torn_handoff",
    "violations",
    "wrong_instance",
]


class Violation(Enum):
    """What makes a history (V1 to V3) or a local restore (V4 to V6) invalid."""

    ORPHANED_COMMIT = "V1"
    TORN_HANDOFF = "V2"
    ERASED_EFFECT = "V3"
    WRONG_INSTANCE = "V4"
    SUSPECT_STANDS = "V5"
    BOUNDARY_NOT_OPEN = "V6"


def exists(history: History, version: Version) -> bool:
    """
    Whether the act that wrote the version is still in its writer's log.

    Mirrors: Valid!Exists
    """
    log = history.log.get(version.writer, ())
    return version.index <= len(log) and log[version.index - 1].attempt == version.attempt


def orphaned_commit(history: History) -> bool:
    """
    Whether a committed read names a version that no longer exists (V1).

    Mirrors: Valid!OrphanedCommit
    """
    for log in history.log.values():
        unclaimed: list[Version] = []
        for entry in log:
            unclaimed += [read.version for read in entry.reads if read.version]
            if entry.kind in (EntryKind.COMMIT, EntryKind.EXIT):
                if not all(exists(history, version) for version in unclaimed):
                    return True
                unclaimed = []
    return False


def _is_closed(predicate: Predicate, entity: str, prefix: tuple[Entry, ...]) -> bool:
    state = None
    written: set[str] = set()
    for entry in prefix:
        state = state if entry.state is None else entry.state
        written.update(entry.writes)
    wanted = {key.replace("{entity}", entity) for key in predicate.writes or ()}
    return wanted <= written and (predicate.states is None or state in predicate.states)


def torn_handoff(history: History) -> bool:
    """
    Whether a closed handoff contains writes of two attempts (V2).

    Mirrors: Valid!TornHandoff
    """
    for instance, log in history.log.items():
        skeleton = history.contract.skeletons.get(instance.skeleton, Skeleton())
        attempts: set[int] = set()
        for index, entry in enumerate(log, start=1):
            if entry.writes:
                attempts.add(entry.attempt)
            claim = {EntryKind.COMMIT: skeleton.commit, EntryKind.EXIT: skeleton.exit}
            predicate = claim.get(entry.kind)
            if predicate and _is_closed(predicate, instance.entity, log[:index]):
                if len(attempts) > 1:
                    return True
                attempts = set()
    return False


def _must_stand(history: History, effect: Effect) -> bool:
    skeleton = history.contract.skeletons.get(effect.instance.skeleton, Skeleton())
    listed = skeleton.effects.get(effect.name, EffectClass.IRREVERSIBLE)
    return listed is EffectClass.IRREVERSIBLE or (
        listed is EffectClass.COMPENSABLE and not history.contract.compensate
    )


def erased_effect(history: History) -> bool:
    """
    Whether an effect of this epoch that nobody undid belongs to an act that is gone (V3).

    Mirrors: Valid!ErasedEffect
    """
    for effect in history.world:
        if effect.epoch == history.epoch and _must_stand(history, effect):
            act = Version(writer=effect.instance, attempt=effect.attempt, index=effect.index)
            if not exists(history, act):
                return True
    return False


def violations(history: History) -> frozenset[Violation]:
    """
    What makes the history invalid; nothing, where it is valid.

    Mirrors: Valid!Violations
    """
    found = {
        Violation.ORPHANED_COMMIT: orphaned_commit(history),
        Violation.TORN_HANDOFF: torn_handoff(history),
        Violation.ERASED_EFFECT: erased_effect(history),
    }
    return frozenset(violation for violation, is_so in found.items() if is_so)


def culprit(failure: Failure) -> InstanceId | None:
    """
    The instance that truly failed: the hidden truth, or else the only candidate, or else unknown.

    Mirrors: Valid!Culprit
    """
    if failure.truth is not None:
        return failure.truth
    return next(iter(failure.candidates)) if len(failure.candidates) == 1 else None


def rewound(history: History, checkpoint: Checkpoint) -> frozenset[InstanceId]:
    """
    The instances that restoring the snapshot truly takes back, as far as that is known.

    Mirrors: Valid!Rewound
    """
    own: frozenset[InstanceId] = frozenset()
    if checkpoint.truth is not None:
        own = frozenset((checkpoint.truth,))
    elif len(checkpoint.owners) == 1:
        own = checkpoint.owners
    if checkpoint.scope is Scope.INSTANCE:
        return own
    return own | frozenset(
        instance
        for instance, log in history.log.items()
        if len(log) > checkpoint.cut.get(instance, 0)
    )


def wrong_instance(history: History, checkpoint: Checkpoint) -> bool:
    """
    Whether restoring takes back an instance other than the one that truly failed (V4).

    Mirrors: Valid!WrongInstance
    """
    failed = {culprit(failure) for failure in history.failures} - {None}
    return any(instance != one for instance in rewound(history, checkpoint) for one in failed)


def leaves_suspect(history: History, checkpoint: Checkpoint) -> bool:
    """
    Whether restoring leaves an act in doubt standing (V5).

    Mirrors: Valid!LeavesSuspect
    """
    taken = rewound(history, checkpoint)
    return any(
        failure.suspect is not None
        and (
            failure.suspect[0] not in taken
            or failure.suspect[1] <= checkpoint.cut.get(failure.suspect[0], 0)
        )
        for failure in history.failures
    )


def crosses_policy(history: History, checkpoint: Checkpoint) -> bool:
    """
    Whether policy closes the boundary that restoring lands an instance on (V6).

    Mirrors: Valid!CrossesPolicy
    """
    for instance in rewound(history, checkpoint):
        cut = checkpoint.cut.get(instance, 0)
        kinds = {EntryKind.ENTER: Boundary.ENTRY, EntryKind.EXIT: Boundary.EXIT}
        skeleton = history.contract.skeletons.get(instance.skeleton)
        if cut and (
            skeleton is None
            or kinds.get(history.log[instance][cut - 1].kind, Boundary.COMMIT)
            not in skeleton.rollback_to
        ):
            return True
    return False


def restore_violations(history: History, checkpoint: Checkpoint) -> frozenset[Violation]:
    """
    What makes restoring the checkpoint now invalid in itself; nothing, where it is not.

    Mirrors: Valid!RestoreViolations
    """
    found = {
        Violation.WRONG_INSTANCE: wrong_instance(history, checkpoint),
        Violation.SUSPECT_STANDS: leaves_suspect(history, checkpoint),
        Violation.BOUNDARY_NOT_OPEN: crosses_policy(history, checkpoint),
    }
    return frozenset(violation for violation, is_so in found.items() if is_so)
