"""The strategies that are compared: each says what to restore, in the words of the core."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen

from dart_core import (
    GUARDS,
    Checkpoint,
    History,
    Policy,
    Verdict,
    choice,
    dart_without,
    decide,
    suspects,
)

__all__ = ["BASELINES", "DART", "GUARD_NAMES", "STRATEGIES", "Plan", "Strategy", "without"]


@frozen
class Plan:
    """What is to be done about a failure."""

    verdict: Verdict
    checkpoint: Checkpoint | None = None


@frozen
class Strategy:
    """A strategy and its plan for a history in which a failure is pending."""

    name: str
    plan: Callable[[History], Plan]


def _latest(history: History, found: frozenset[Checkpoint]) -> Plan:
    order = {name: place for place, name in enumerate(history.checkpoints)}

    def reach(checkpoint: Checkpoint) -> tuple[int, int]:
        owned = checkpoint.owners & suspects(history)
        return max((checkpoint.cut[one] for one in owned), default=0), order[checkpoint.id]

    chosen = max(found, key=reach, default=None)
    return Plan(Verdict.RERUN if chosen is None else Verdict.RESTORE, chosen)


def _baseline(policy: Policy) -> Strategy:
    return Strategy(policy.value, lambda history: _latest(history, choice(history, policy)))


def _dart(history: History) -> Plan:
    decision = decide(history)
    if decision is None or decision.checkpoint is None:
        return Plan(Verdict.RERUN if decision is None else decision.verdict)
    return Plan(decision.verdict, history.checkpoints[decision.checkpoint])


def without(guard: str) -> Strategy:
    """Dart that leaves out one guard, `identified` among them."""
    return Strategy(
        f"dart_without_{guard}", lambda history: _latest(history, dart_without(history, guard))
    )


DART = Strategy("dart", _dart)
BASELINES: tuple[Strategy, ...] = tuple(
    _baseline(policy)
    for policy in (
        Policy.RETRY_ONLY,
        Policy.COARSE_STATE,
        Policy.SAVEPOINT,
        Policy.ENTRY_ONLY,
    )
)
GUARD_NAMES = ("identified", *GUARDS)
STRATEGIES: Mapping[str, Strategy] = {
    strategy.name: strategy
    for strategy in (*BASELINES, DART, *(without(guard) for guard in GUARD_NAMES))
}
