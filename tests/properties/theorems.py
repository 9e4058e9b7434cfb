"""
The claims of the semantics (section 7) as checks of one history, for random and explored states.

Each check raises AssertionError where the claim fails in the state it is given.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

import dart_core as d
from dart_core import (
    Act,
    Checkpoint,
    Commit,
    EntryKind,
    Exit,
    History,
    InstanceId,
    Policy,
    Refusal,
    Restore,
    Save,
    Violation,
)

__all__ = [
    "after",
    "confinement",
    "continuations",
    "exactness",
    "instance_wide",
    "necessity",
    "soundness",
    "totality",
    "window",
    "without_truth",
]


def after(history: History, *events: d.Event) -> History | None:
    """The state after the events, or None where one is not enabled."""
    for event in events:
        found = d.apply(history, event)
        if isinstance(found, Refusal):
            return None
        history = found
    return history


def soundness(history: History) -> None:
    """T1 at the step: restoring what is admitted is valid in itself and leaves a valid history."""
    instance = d.identified(history)
    if instance is None or d.violations(history):
        return
    for checkpoint in d.admitted(history, instance):
        assert d.unsafe(history, checkpoint) == frozenset(), checkpoint.id


def closing_claims(history: History, instance: InstanceId) -> Iterator[d.Event]:
    """The acts and claims that could close the instance's open handoff at once."""
    skeleton = d.skeleton_of(history.contract, instance.skeleton)
    for kind, predicate in ((Commit, skeleton.commit), (Exit, skeleton.exit)):
        for state in sorted(predicate.states) if predicate.states is not None else [None]:
            yield kind(instance, state)


def writes_wanted(history: History, instance: InstanceId) -> frozenset[str]:
    """Keys that make any write predicate of the instance hold, and one more that is a write."""
    skeleton = d.skeleton_of(history.contract, instance.skeleton)
    wanted = (skeleton.commit.writes or frozenset()) | (skeleton.exit.writes or frozenset())
    return frozenset(d.bind(key, instance.entity) for key in wanted) | {"any key"}


def continuations(history: History, instance: InstanceId) -> Iterator[tuple[d.Event, ...]]:
    """The continuations of at most two events that T2 looks at, after a restore of the instance."""
    yield ()
    for reader in sorted(history.log):
        for event in closing_claims(history, reader):
            yield (event,)
    write = Act(instance=instance, reads=frozenset(), writes=writes_wanted(history, instance))
    for claim in closing_claims(history, instance):
        yield (write, claim)


def can_close(history: History, checkpoint: Checkpoint, instance: InstanceId) -> bool:
    """
    The premise of T2 for `closed`: the instance can go on after the restore, and some claim of it
    can hold.
    """
    entry = d.log_of(history, instance)[checkpoint.cut[instance] - 1]
    skeleton = d.skeleton_of(history.contract, instance.skeleton)
    satisfiable = any(one.states != frozenset() for one in (skeleton.commit, skeleton.exit))
    return entry.kind is not EntryKind.EXIT and satisfiable


def exactness(history: History) -> list[str]:
    """
    T2: what another guard than `stable` blocks would have become invalid within two events.

    Yields the guards whose block was shown to be right.
    """
    instance = d.identified(history)
    if instance is None or d.violations(history):
        return []
    shown = []
    for checkpoint in d.aligned(history, instance):
        if not d.decidable(checkpoint, instance):
            continue
        values = d.guards(history, checkpoint, instance)
        blocked = [name for name in d.GUARDS if not getattr(values, name) and name != "stable"]
        if blocked == ["closed"] and not can_close(history, checkpoint, instance):
            continue
        if blocked:
            assert becomes_invalid(history, checkpoint, instance), (checkpoint.id, blocked)
            shown += blocked if len(blocked) == 1 else []
    return shown


def becomes_invalid(history: History, checkpoint: Checkpoint, instance: InstanceId) -> bool:
    """Whether restoring the checkpoint is invalid, at once or within two further events."""
    if d.restore_violations(history, checkpoint):
        return True
    restored = after(history, Restore(checkpoint.id))
    assert restored is not None
    return any(
        end is not None and d.violations(end)
        for end in (after(restored, *events) for events in continuations(restored, instance))
    )


def necessity(history: History) -> bool:
    """
    T3: where another instance has a committed read of a version of the failed one, a stable own
    checkpoint before that write is controller-legal, and restoring it is invalid.

    Yields whether the history is one that the theorem speaks of.
    """
    instance = d.identified(history)
    if instance is None or d.violations(history):
        return False
    sensitive = False
    for checkpoint in d.aligned(history, instance):
        cut = checkpoint.cut[instance]
        if checkpoint.stable and not d.no_committed_conflict(history, instance, cut):
            assert checkpoint in d.choice(history, Policy.CONTROLLER_LEGAL)
            if checkpoint.owners == {instance}:
                # A snapshot of the whole task takes the reader back instead of orphaning it.
                own = checkpoint.scope is d.Scope.INSTANCE
                wrong = Violation.ORPHANED_COMMIT if own else Violation.WRONG_INSTANCE
                assert wrong in d.unsafe(history, checkpoint)
                sensitive = True
    return sensitive


def pin(history: History, instance: InstanceId) -> int:
    """The index of the last act that must survive, or 0."""
    read = [
        version.version.index
        for reader in d.others(history, instance)
        for entry in d.log_of(history, reader)
        for version in entry.reads
        if version.version is not None and version.version.writer == instance
    ]
    fixed = [index for index, _ in d.fixed_effects(history, instance, 0)]
    return max([0, *read, *fixed])


def window(history: History) -> None:
    """T5: of the certified stable checkpoints, those between the pin and the suspect count."""
    instance = d.identified(history)
    if instance is None:
        return
    low, high = pin(history, instance), d.suspect(history, instance)
    certified = [
        one
        for one in d.aligned(history, instance)
        if one.stable and d.certified(history, one, instance)
    ]
    within = [one for one in certified if low <= one.cut[instance] < high]
    assert within == [one for one in certified if d.admissible(history, one, instance)]
    before = [one for one in certified if one.cut[instance] < high]
    best = d.latest(tuple(before), instance)
    chosen = d.latest(d.admitted(history, instance), instance)
    assert chosen == (best if best is not None and best in within else None)


def confinement(history: History) -> None:
    """T6: an admitted restore changes the log of the failed instance and no other."""
    instance = d.identified(history)
    if instance is None:
        return
    for checkpoint in d.admitted(history, instance):
        restored = after(history, Restore(checkpoint.id))
        assert restored is not None
        cut = checkpoint.cut[instance]
        assert restored.log == history.log.put(instance, d.log_of(history, instance)[:cut])


def totality(history: History, erased: History) -> None:
    """T7: every pending failure has one verdict, and erasing the truth does not change it."""
    decision = d.decide(history)
    assert (decision is not None) == bool(history.failures)
    assert d.decide(erased) == decision
    if decision is not None:
        restores = decision.verdict is d.Verdict.RESTORE
        assert restores == (decision.checkpoint is not None) == (decision.reason is None)


def instance_wide(history: History) -> bool:
    """
    T9: the conflict condition without the checkpoint admits a part of what is admitted.

    Yields whether it blocks something that is admitted.
    """
    instance = d.identified(history)
    if instance is None:
        return False
    admitted = d.admitted(history, instance)
    consumed = not d.no_committed_conflict(history, instance, 0)
    wide = () if consumed else admitted
    assert set(wide) <= set(admitted)
    return len(wide) < len(admitted)


def without_truth(event: d.Event) -> d.Event:
    """The event as it was observed."""
    return evolve(event, truth=None) if isinstance(event, d.Fail | Save) else event
