"""What a decision means for what was asked."""

from __future__ import annotations

from attrs import asdict

from dart_core import GUARDS, Decision, History, Judged, Reason, Verdict, Witness, log_of

__all__ = ["because", "first_undone"]


def first_undone(history: History, decision: Decision | None) -> str | None:
    """The first act that the decided restore undoes; None where it restores nothing."""
    if decision is None or decision.checkpoint is None or decision.instance is None:
        return None
    cut = history.checkpoints[decision.checkpoint].cut[decision.instance]
    undone = log_of(history, decision.instance)[cut:]
    return undone[0].id if undone else None


def because(decision: Decision | None) -> str:
    """The decision in one line, with what stands against each checkpoint that is not chosen."""
    if decision is None:
        return "no failure is pending"
    against = [_against(judged) for judged in decision.checkpoints if judged.witnesses]
    return "; ".join([_verdict(decision), *against])


def _verdict(decision: Decision) -> str:
    if decision.verdict is Verdict.RESTORE:
        return f"what may be restored is checkpoint {decision.checkpoint} of {decision.instance}"
    if decision.reason is Reason.NOT_IDENTIFIED:
        those = ", ".join(map(str, decision.candidates)) or "nobody"
        return f"it is not known whose checkpoint to restore (candidates: {those})"
    return f"no checkpoint of {decision.instance} may be restored"


def _against(judged: Judged) -> str:
    values = asdict(judged.guards)
    false = [guard for guard in GUARDS if not values[guard]]
    found = (_fact(witness) for witness in judged.witnesses)
    facts = list(dict.fromkeys(fact for fact in found if fact))
    shown = f" ({', '.join(facts)})" if facts else ""
    return f"{judged.id} at {judged.kind.value} breaks {', '.join(false)}{shown}"


def _fact(witness: Witness) -> str | None:
    if witness.reader is not None:
        return f"{witness.key} was read by {witness.reader}"
    return None if witness.effect is None else f"{witness.effect} was performed"
