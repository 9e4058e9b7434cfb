"""
The baselines: what other runtimes would restore in the same state.

Mirrors: Baselines (spec_tla/Baselines.tla); semantics: section 8.
"""

from __future__ import annotations

from enum import Enum

from dart_core.admit import GUARDS, guards, latest
from dart_core.align import aligned
from dart_core.certify import boundary
from dart_core.contract import Boundary
from dart_core.history import Checkpoint, History, InstanceId, Scope
from dart_core.localize import identified

__all__ = [
    "Policy",
    "choice",
    "controller_legal",
    "dart_without",
    "of_kind",
    "snapshots",
    "suspects",
]


class Policy(Enum):
    """A runtime's rule for local restores."""

    RETRY_ONLY = "retry_only"
    COARSE_STATE = "coarse_state"
    SAVEPOINT = "savepoint"
    ENTRY_ONLY = "entry_only"
    CONTROLLER_LEGAL = "controller_legal"
    DART = "dart"


def suspects(history: History) -> frozenset[InstanceId]:
    """
    The instances that some pending failure may concern.

    Mirrors: Baselines!Suspects
    """
    return frozenset[InstanceId]().union(*(f.candidates for f in history.failures))


def controller_legal(history: History) -> frozenset[Checkpoint]:
    """
    The checkpoints that a controller can restore: stable, there, and perhaps the failed one's.

    Mirrors: Baselines!ControllerLegal
    """
    return frozenset(
        checkpoint
        for checkpoint in history.checkpoints.values()
        if checkpoint.stable and checkpoint.owners & suspects(history)
    )


def of_kind(history: History, kind: Boundary) -> frozenset[Checkpoint]:
    """
    The failed instance's latest legal checkpoint at this kind of boundary; none of an unknown one.

    Mirrors: Baselines!OfKind
    """
    instance = identified(history)
    if instance is None:
        return frozenset()
    legal = tuple(
        checkpoint
        for checkpoint in aligned(history, instance)
        if checkpoint.stable and boundary(history, instance, checkpoint.cut[instance]) is kind
    )
    chosen = latest(legal, instance)
    return frozenset() if chosen is None else frozenset((chosen,))


def snapshots(history: History) -> frozenset[Checkpoint]:
    """
    The latest stable snapshot of the whole task, where a failure is pending.

    The latest is the one that covers most entries: surviving snapshots are prefixes of each other.

    Mirrors: Baselines!Snapshots
    """
    whole = [
        checkpoint
        for checkpoint in history.checkpoints.values()
        if checkpoint.stable and checkpoint.scope is Scope.TASK and history.failures
    ]
    chosen = max(whole, key=lambda one: (sum(one.cut.values()), one.id), default=None)
    return frozenset() if chosen is None else frozenset((chosen,))


def dart_without(history: History, guard: str | None) -> frozenset[Checkpoint]:
    """
    What this procedure admits when it leaves out one guard, or none.

    The guard `identified` stands for step 1: without it every candidate counts as the failed one.

    Mirrors: Baselines!DartWithout
    """
    instance = identified(history)
    failed = frozenset(() if instance is None else (instance,))
    if guard == "identified":
        failed = suspects(history)
    return frozenset(
        checkpoint
        for one in failed
        for checkpoint in aligned(history, one)
        for held in (guards(history, checkpoint, one),)
        if all(getattr(held, name) for name in GUARDS if name != guard)
    )


def choice(history: History, policy: Policy) -> frozenset[Checkpoint]:
    """
    The checkpoints that the policy would restore; none means a rerun of the whole task.

    Mirrors: Baselines!Choice
    """
    match policy:
        case Policy.RETRY_ONLY:
            return frozenset()
        case Policy.COARSE_STATE:
            return snapshots(history)
        case Policy.SAVEPOINT:
            return of_kind(history, Boundary.COMMIT)
        case Policy.ENTRY_ONLY:
            return of_kind(history, Boundary.ENTRY)
        case Policy.CONTROLLER_LEGAL:
            return controller_legal(history)
    return dart_without(history, None)
