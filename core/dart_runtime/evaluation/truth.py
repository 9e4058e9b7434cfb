"""
Whether a block was right: carry out the blocked restore and look what becomes of it.

No guard is asked: what counts is the ground truth, at once or after at most two further events,
and the run itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from dart_core import (
    Act,
    Checkpoint,
    Commit,
    Event,
    Exit,
    History,
    InstanceId,
    Predicate,
    Refusal,
    Restore,
    Verdict,
    aligned,
    apply,
    bind,
    live,
    skeleton_of,
    suspects,
    unsafe,
    violations,
)
from dart_runtime.domain import Domain
from dart_runtime.evaluation.measure import Measured, measure
from dart_runtime.outcome import Recovery
from dart_runtime.strategies import Plan, Strategy

__all__ = ["Block", "blocks", "steps_to_invalid"]

FURTHER = 2


@frozen(kw_only=True)
class Block:
    """
    A checkpoint of a blocked recovery.

    `steps` is the number of further events after which restoring it is invalid, None where it does
    not become so; `carried_out` is the run in which it was restored all the same.
    """

    checkpoint: str
    steps: int | None
    carried_out: Measured

    @property
    def is_false(self) -> bool:
        """Whether nothing would have been wrong with the restore."""
        return self.steps is None


def _continuations(history: History) -> Iterator[Event]:
    for instance in sorted(history.log):
        if live(history, instance):
            skeleton = skeleton_of(history.contract, instance.skeleton)
            yield from (Commit(instance, state) for state in _told(skeleton.commit))
            yield from (Exit(instance, state) for state in _told(skeleton.exit))
            yield _publishes(history, instance)


def _told(predicate: Predicate) -> Sequence[str | None]:
    # A claim may be made in a state in which it holds.
    return (None,) if predicate.states is None else sorted(predicate.states)


def _publishes(history: History, instance: InstanceId) -> Act:
    keys = skeleton_of(history.contract, instance.skeleton).writes
    return Act(
        instance=instance,
        reads=frozenset(),
        writes=frozenset(bind(key, instance.entity) for key in keys),
    )


def _after(history: History, event: Event) -> History:
    after = apply(history, event)
    assert not isinstance(after, Refusal)  # noqa: S101 (only what is enabled is tried)
    return after


def steps_to_invalid(history: History, checkpoint: Checkpoint) -> int | None:
    """
    After how many further events restoring the checkpoint is invalid, at most two.

    None where no continuation of two events makes it so.
    """
    if unsafe(history, checkpoint):
        return 0
    reached = [_after(history, Restore(checkpoint.id))]
    for steps in range(1, FURTHER + 1):
        reached = [_after(state, event) for state in reached for event in _continuations(state)]
        if any(violations(state) for state in reached):
            return steps
    return None


def _blocked(recovery: Recovery) -> list[Checkpoint]:
    found = {
        checkpoint.id: checkpoint
        for instance in sorted(suspects(recovery.before))
        for checkpoint in aligned(recovery.before, instance)
    }
    return [found[name] for name in sorted(found)]


def _forced(name: str) -> Strategy:
    return Strategy(
        f"restore {name}",
        lambda history: Plan(Verdict.RESTORE, history.checkpoints[name]),
    )


def blocks(domain: Domain, measured: Measured) -> tuple[Block, ...]:
    """The checkpoints that a blocked recovery of the row did not restore; none of an admitted."""
    return tuple(
        Block(
            checkpoint=checkpoint.id,
            steps=steps_to_invalid(recovery.before, checkpoint),
            carried_out=measure(domain, measured.row, _forced(checkpoint.id)),
        )
        for recovery in measured.outcome.recoveries
        if recovery.checkpoint is None
        for checkpoint in _blocked(recovery)
    )
