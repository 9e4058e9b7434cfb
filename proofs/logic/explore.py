"""What can follow a state, by the core: the judge of histories that a solver or a person names."""

from __future__ import annotations

from collections.abc import Iterator

from dart_core import (
    Act,
    Commit,
    Event,
    Exit,
    History,
    Refusal,
    Restore,
    Violation,
    apply,
    live,
    restore_violations,
    violations,
)


def next_events(history: History) -> Iterator[Event]:
    """The events by which a live instance can go on: it reads all, writes all, or claims."""
    keys = frozenset({"k", *history.store})
    states = sorted(
        {
            state
            for skeleton in history.contract.skeletons.values()
            for predicate in (skeleton.commit, skeleton.exit)
            for state in predicate.states or ()
        }
    )
    for instance in sorted(i for i in history.log if live(history, i)):
        yield Act(instance=instance, reads=frozenset(), writes=keys)
        yield Act(instance=instance, reads=keys)
        for state in (None, *states):
            yield Commit(instance, state)
            yield Exit(instance, state)


def found_within(history: History, events: int) -> frozenset[Violation]:
    """What is invalid in the history, or becomes so within this number of events."""
    found = violations(history)
    if events:
        for event in next_events(history):
            after = apply(history, event)
            if not isinstance(after, Refusal):
                found |= found_within(after, events - 1)
    return found


def found_by_restore(history: History, checkpoint: str, events: int = 2) -> frozenset[Violation]:
    """What is invalid about restoring the checkpoint, or becomes so within these events."""
    after = apply(history, Restore(checkpoint))
    if isinstance(after, Refusal):
        raise ValueError(after)  # noqa: TRY004 - the checkpoint is not there
    return restore_violations(history, history.checkpoints[checkpoint]) | found_within(
        after, events
    )
