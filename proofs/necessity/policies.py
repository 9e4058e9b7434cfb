"""The policies that go wrong, and what going wrong is."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dart_core import (
    GUARDS,
    Checkpoint,
    Contract,
    Event,
    Fail,
    History,
    Policy,
    Refusal,
    Restore,
    Save,
    Violation,
    apply,
    choice,
    dart_without,
    entered,
    initial,
    restore_violations,
    violations,
)

__all__ = ["BASELINES", "POLICIES", "WITHOUT", "Choose", "first_wrong"]

Choose = Callable[[History], frozenset[Checkpoint]]


def _baseline(policy: Policy) -> Choose:
    return lambda history: choice(history, policy)


def _without(guard: str) -> Choose:
    return lambda history: dart_without(history, guard)


BASELINES: dict[str, Choose] = {
    policy.value: _baseline(policy)
    for policy in (
        Policy.CONTROLLER_LEGAL,
        Policy.ENTRY_ONLY,
        Policy.SAVEPOINT,
        Policy.COARSE_STATE,
    )
}
WITHOUT: dict[str, Choose] = {
    f"without_{guard}": _without(guard) for guard in ("identified", *GUARDS) if guard != "stable"
}
POLICIES: dict[str, Choose] = BASELINES | WITHOUT


def first_wrong(
    contract: Contract, events: Iterable[Event], choose: Choose
) -> tuple[int, frozenset[Violation]] | None:
    """
    The number of the event that makes the history invalid, and how; None where none does.

    Every restore has to be one that the policy chooses, and every truth one of an instance that is
    there; where that is not so, or where an event is not enabled, the policy has not gone wrong.
    """
    history = initial(contract)
    for number, event in enumerate(events, start=1):
        wrong: frozenset[Violation] = frozenset()
        if isinstance(event, Save | Fail) and event.truth and not entered(history, event.truth):
            return None
        if isinstance(event, Restore):
            checkpoint = history.checkpoints.get(event.checkpoint)
            if checkpoint is None or checkpoint not in choose(history):
                return None
            wrong = restore_violations(history, checkpoint)
        after = apply(history, event)
        if isinstance(after, Refusal):
            return None
        history = after
        wrong |= violations(history)
        if wrong:
            return number, wrong
    return None
