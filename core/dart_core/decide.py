"""
The decision: a verdict with its whole evidence.

Mirrors: Decide (spec_tla/Decide.tla); semantics: section 5.
"""

from __future__ import annotations

from enum import Enum

from attrs import asdict, field, frozen

from dart_core.admit import (
    GUARDS,
    Guards,
    fixed_effects,
    guards,
    latest,
    reads_after,
    suspect,
)
from dart_core.align import aligned
from dart_core.certify import boundary, open_writes, overrun
from dart_core.contract import Boundary, EffectClass, Fallback, effect_class
from dart_core.history import (
    Checkpoint,
    Effect,
    History,
    InstanceId,
    last_commit,
    log_of,
    others,
)
from dart_core.localize import identified
from dart_core.measures import preserved, replay, upstream_replay

__all__ = [
    "Decision",
    "Judged",
    "Performed",
    "Reason",
    "Target",
    "Verdict",
    "Witness",
    "compensations",
    "decide",
    "hazards",
    "judge",
    "verdict",
    "witnesses",
]


class Verdict(Enum):
    """What is to be done about the pending failures."""

    RESTORE = "restore"
    RERUN = "rerun"
    ESCALATE = "escalate"


class Reason(Enum):
    """Why no local checkpoint is restored."""

    NOT_IDENTIFIED = "not_identified"
    NO_ADMISSIBLE_CHECKPOINT = "no_admissible_checkpoint"


@frozen(kw_only=True)
class Witness:
    """
    One fact that makes a guard false; the fields that the guard does not speak of are None.

    `written_at`, `read_at` and `at` are numbers of events.
    """

    guard: str
    key: str | None = None
    written_at: int | None = field(default=None, eq=False)
    reader: InstanceId | None = None
    read_at: int | None = field(default=None, eq=False)
    instance: InstanceId | None = None
    owners: tuple[InstanceId, ...] | None = None
    kind: Boundary | None = None
    effect: str | None = None
    effect_class: EffectClass | None = None
    at: int | None = field(default=None, eq=False)


@frozen(kw_only=True)
class Judged:
    """One checkpoint of the failed instance with every guard, and a witness for each false one."""

    id: str
    kind: Boundary
    guards: Guards
    witnesses: tuple[Witness, ...]


@frozen
class Target:
    """An instance and the checkpoint that it is restored to."""

    instance: InstanceId
    checkpoint: str


@frozen(kw_only=True)
class Performed:
    """An effect that an instance had on the world; `at` is the number of the act's event."""

    instance: InstanceId
    effect: str
    at: int = field(eq=False)


@frozen(kw_only=True)
class Decision:
    """
    What is to be done about the pending failures, and all that speaks for it.

    `failure` is the number of the first pending failure's event.
    `replay` and `upstream_replay` count acts, `preserved` counts instances.
    """

    failure: int = field(eq=False)
    verdict: Verdict
    reason: Reason | None
    instance: InstanceId | None
    candidates: tuple[InstanceId, ...]
    checkpoint: str | None
    restore: tuple[Target, ...]
    replay: int
    upstream_replay: int
    preserved: int
    checkpoints: tuple[Judged, ...]
    hazards: tuple[Performed, ...]
    compensations: tuple[Performed, ...]


def hazards(history: History) -> tuple[Performed, ...]:
    """
    The irreversible effects performed so far, in every epoch: what a rerun would repeat.

    Mirrors: Decide!Hazards
    """
    return tuple(
        Performed(instance=effect.instance, effect=effect.name, at=effect.at)
        for effect in sorted(history.world, key=_place)
        if effect_class(history.contract, effect.instance.skeleton, effect.name)
        is EffectClass.IRREVERSIBLE
    )


def _place(effect: Effect) -> tuple[int, InstanceId, int, int, str]:
    return (effect.epoch, effect.instance, effect.attempt, effect.index, effect.name)


def compensations(history: History, instance: InstanceId, cut: int) -> tuple[Performed, ...]:
    """
    The compensable effects that a restore to the cut undoes, in the order of the log.

    Mirrors: Decide!Compensations
    """
    return tuple(
        Performed(instance=instance, effect=effect, at=entry.at)
        for entry in log_of(history, instance)[cut:]
        for effect in entry.effects
        if effect_class(history.contract, instance.skeleton, effect) is EffectClass.COMPENSABLE
    )


def witnesses(
    history: History, checkpoint: Checkpoint, instance: InstanceId, guard: str
) -> list[Witness]:
    """
    The facts that make the guard false for the checkpoint, in the order of the logs.

    None where the guard holds.

    Mirrors: Decide!Witnesses
    """
    cut = checkpoint.cut[instance]
    log = log_of(history, instance)
    match guard:
        case "decidable":
            owners = tuple(sorted(checkpoint.owners))
            return [Witness(guard=guard, owners=owners)]
        case "closed":
            return [
                Witness(guard=guard, key=key, written_at=log[index - 1].at)
                for index in open_writes(history, instance, cut)
                for key in log[index - 1].writes
            ]
        case "separable":
            return [
                Witness(guard=guard, instance=other, at=_first_after(history, checkpoint, other))
                for other in sorted(overrun(history, checkpoint, instance))
            ]
        case "controllable":
            return [Witness(guard=guard, kind=boundary(history, instance, cut))]
        case "repairs":
            place = suspect(history, instance)
            return [Witness(guard=guard, instance=instance, at=log[place - 1].at)]
        case "no_committed_conflict" | "no_live_conflict":
            return _conflicts(history, instance, cut, guard)
        case "effect_allowed":
            return [
                Witness(
                    guard=guard,
                    effect=effect,
                    effect_class=effect_class(history.contract, instance.skeleton, effect),
                    at=log[index - 1].at,
                )
                for index, effect in fixed_effects(history, instance, cut)
            ]
        case _:
            return [Witness(guard=guard)]


def _first_after(history: History, checkpoint: Checkpoint, instance: InstanceId) -> int:
    return log_of(history, instance)[checkpoint.cut.get(instance, 0)].at


def _conflicts(history: History, instance: InstanceId, cut: int, guard: str) -> list[Witness]:
    found = []
    for reader in sorted(others(history, instance)):
        committed = last_commit(history, reader)
        end = len(log_of(history, reader))
        start, stop = (1, committed) if guard == "no_committed_conflict" else (committed + 1, end)
        for index in range(start, stop + 1):
            for key, version in reads_after(history, reader, index, instance, cut):
                found.append(
                    Witness(
                        guard=guard,
                        key=key,
                        written_at=version.at,
                        reader=reader,
                        read_at=log_of(history, reader)[index - 1].at,
                    )
                )
    return found


def judge(history: History, checkpoint: Checkpoint, instance: InstanceId) -> Judged:
    """
    The checkpoint with every guard evaluated, and a witness for each that is false.

    Mirrors: Decide!Judge
    """
    values = guards(history, checkpoint, instance)
    false = [guard for guard in GUARDS if not asdict(values)[guard]]
    return Judged(
        id=checkpoint.id,
        kind=boundary(history, instance, checkpoint.cut[instance]),
        guards=values,
        witnesses=tuple(
            witness
            for guard in false
            for witness in witnesses(history, checkpoint, instance, guard)
        ),
    )


def verdict(history: History, chosen: Checkpoint | None) -> Verdict:
    """
    What is to be done where `chosen` is the latest admissible checkpoint, or None of none.

    Mirrors: Decide!Verdict
    """
    if chosen is not None:
        return Verdict.RESTORE
    if history.contract.fallback is Fallback.ESCALATE and hazards(history):
        return Verdict.ESCALATE
    return Verdict.RERUN


def decide(history: History) -> Decision | None:
    """
    The one decision about the pending failures, with its evidence; None where none is pending.

    Mirrors: Decide!Decide
    """
    if not history.failures:
        return None
    instance = identified(history)
    judged: tuple[Judged, ...] = ()
    chosen: Checkpoint | None = None
    if instance is not None:
        own = aligned(history, instance)
        judged = tuple(judge(history, checkpoint, instance) for checkpoint in own)
        admissible = {one.id for one in judged if all(asdict(one.guards).values())}
        chosen = latest(tuple(c for c in own if c.id in admissible), instance)
    return _decision(history, instance, judged, chosen)


def _decision(
    history: History,
    instance: InstanceId | None,
    judged: tuple[Judged, ...],
    chosen: Checkpoint | None,
) -> Decision:
    reason: Reason | None = None
    target: tuple[Target, ...] = ()
    compensated: tuple[Performed, ...] = ()
    if instance is None:
        reason = Reason.NOT_IDENTIFIED
    elif chosen is None:
        reason = Reason.NO_ADMISSIBLE_CHECKPOINT
    else:
        target = (Target(instance, chosen.id),)
        compensated = compensations(history, instance, chosen.cut[instance])
    candidates = frozenset[InstanceId]().union(*(f.candidates for f in history.failures))
    return Decision(
        failure=history.failures[0].at,
        verdict=verdict(history, chosen),
        reason=reason,
        instance=instance,
        candidates=tuple(sorted(candidates)),
        checkpoint=None if chosen is None else chosen.id,
        restore=target,
        replay=replay(history, chosen),
        upstream_replay=upstream_replay(history, chosen, instance),
        preserved=preserved(history, chosen),
        checkpoints=judged,
        hazards=hazards(history),
        compensations=compensated,
    )
