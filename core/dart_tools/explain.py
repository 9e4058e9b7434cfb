"""Decisions in sentences."""

from __future__ import annotations

from dart_core import (
    Act,
    Boundary,
    Decision,
    InstanceId,
    Judged,
    Reason,
    Rerun,
    Restore,
    Verdict,
    Witness,
)
from dart_core.monitor import Ruling
from dart_tools.codec import Trace
from dart_tools.judge import Judgement, Recovery

__all__ = ["explain", "headline"]

POINTS = {
    Boundary.ENTRY: "its entry",
    Boundary.COMMIT: "a point within its work",
    Boundary.EXIT: "its exit",
}


def _names(instances: tuple[InstanceId, ...]) -> str:
    words = [str(instance) for instance in instances]
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else "nobody"


def _times(count: int, one: str) -> str:
    return f"{count} {one}" if count == 1 else f"{count} {one}s"


def headline(decision: Decision | Ruling) -> str:
    """The verdict in one sentence."""
    if decision.verdict is Verdict.RESTORE:
        return (
            f"restore {decision.checkpoint} of {decision.instance}; "
            f"{_times(decision.replay, 'act')} of it run again, "
            f"{_times(decision.preserved, 'completed instance')} kept"
        )
    what = {
        Verdict.RERUN: "rerun the whole task",
        Verdict.ESCALATE: "ask a person: a rerun would repeat what cannot be undone",
    }[decision.verdict]
    why = {
        Reason.NOT_IDENTIFIED: "it is not known which instance failed",
        Reason.NO_ADMISSIBLE_CHECKPOINT: f"no checkpoint of {decision.instance} may be restored",
        None: "",
    }[decision.reason]
    return f"{what}; {why}"


def _who_failed(decision: Decision) -> str:
    if decision.instance is not None:
        return f"{decision.instance} failed (seen at event {decision.failure})."
    if decision.candidates:
        return (
            f"Something failed (seen at event {decision.failure}). "
            f"It may be {_names(decision.candidates)}, and the failures do not say which alone."
        )
    return (
        f"Something failed (seen at event {decision.failure}), "
        "and what was seen fits no instance that it could be."
    )


def _objection(checkpoint: str, witness: Witness, subject: InstanceId) -> str:
    match witness.guard:
        case "stable":
            return f"{checkpoint} was never stored durably."
        case "decidable":
            owners = _names(witness.owners or ())
            return f"{checkpoint} cannot be told to be {subject}'s alone: it may be of {owners}."
        case "closed":
            return (
                f"{checkpoint} stands in the middle of a handoff: the `{witness.key}` of act "
                f"{witness.written_at} was written, but no commit has closed it."
            )
        case "separable":
            return (
                f"restoring {checkpoint} would also take back {witness.instance}, "
                f"which has gone on since (event {witness.at})."
            )
        case "controllable":
            kind = "" if witness.kind is None else witness.kind.value
            return f"policy does not allow {subject} to be rolled back to its {kind} boundary."
        case "repairs":
            return f"restoring {checkpoint} would keep act {witness.at}, which is in doubt."
        case "effect_allowed":
            kind = "" if witness.effect_class is None else witness.effect_class.value
            return (
                f"restoring {checkpoint} would undo act {witness.at}, whose effect "
                f"`{witness.effect}` is {kind} and cannot be rolled back."
            )
        case _:
            committed = "which has committed"
            live = "which may still commit on it"
            end = committed if witness.guard == "no_committed_conflict" else live
            return (
                f"restoring {checkpoint} would undo act {witness.written_at}, whose "
                f"`{witness.key}` was read by {witness.reader} (event {witness.read_at}), {end}."
            )


def _checkpoint(judged: Judged, decision: Decision, subject: InstanceId) -> list[str]:
    where = f"  {judged.id}, at {POINTS[judged.kind]}: "
    if judged.id == decision.checkpoint:
        return [where + "chosen; it is the latest that may be restored."]
    if not judged.witnesses:
        return [where + "it may be restored too, but the chosen one is later."]
    lines = [_objection(judged.id, witness, subject) for witness in judged.witnesses]
    lines = [line[0].upper() + line[1:] for line in lines]
    return [where.rstrip()] + [f"    - {line}" for line in lines]


def _recorded(recovery: Recovery[Decision]) -> str:
    done = {
        type(None): "No recovery is recorded.",
        Restore: f"The runtime restored {getattr(recovery.recorded, 'checkpoint', '')} "
        f"(event {recovery.at}).",
        Rerun: f"The runtime reran the whole task (event {recovery.at}).",
    }[type(recovery.recorded)]
    judgement = {
        Judgement.AGREES: "That agrees with the decision.",
        Judgement.EARLY: "That is safe, but runs more again than is needed.",
        Judgement.UNSAFE: f"That is unsafe: it breaks {', '.join(recovery.breaks)}.",
        Judgement.MISSED: "That was not needed: a checkpoint could have been restored.",
        Judgement.HAZARDOUS: "That is hazardous: the contract asks for a person here.",
        Judgement.PENDING: "",
    }[recovery.judgement]
    return f"{done} {judgement}".strip()


def explain(trace: Trace, recovery: Recovery[Decision]) -> str:
    """The recovery for a person, some lines of text without a newline at the end."""
    decision = recovery.decision
    tools = {
        number: event.tool
        for number, event in enumerate(trace.events, start=1)
        if isinstance(event, Act) and event.tool
    }
    lines = [f"{trace.path}: {trace.header.name}", _who_failed(decision)]
    lines.append(f"Decision: {headline(decision)}.")
    if decision.instance is not None:
        for judged in decision.checkpoints:
            lines += _checkpoint(judged, decision, decision.instance)
        if not decision.checkpoints:
            lines.append(f"  {decision.instance} has no checkpoint.")
    for one in decision.compensations:
        lines.append(f"  To compensate: `{one.effect}` of {one.instance} (act {one.at}).")
    if decision.verdict is not Verdict.RESTORE:
        for one in decision.hazards:
            tool = f" by {tools[one.at]}" if one.at in tools else ""
            lines.append(
                f"  A rerun would repeat `{one.effect}` of {one.instance} (act {one.at}{tool}), "
                "which cannot be undone."
            )
    lines.append(_recorded(recovery))
    return "\n".join(lines)
