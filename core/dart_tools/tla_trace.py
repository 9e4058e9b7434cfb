"""
A behaviour of the specification to a trace of format 1.

Each step becomes the one event that leads from its state to the next; the core replays the
trace and must arrive at the same states.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, frozen

import dart_core as core
from dart_tools.errors import DartError
from dart_tools.model import Model, model_of
from dart_tools.tla_core import history_of
from dart_tools.tlc import TlcResult

__all__ = ["BehaviourError", "events_of", "trace_of"]


@frozen(str=False, eq=False)
class BehaviourError(DartError):
    """A step of a behaviour that the core does not take; steps count from 1."""

    model: str
    step: int
    action: str

    def __str__(self) -> str:
        return f"{self.model}: the core does not take step {self.step} ({self.action})"


def _extension(before: core.History, after: core.History) -> core.Event:
    """The enter, act, commit or exit event that made one log longer."""
    instance = next(i for i, log in after.log.items() if log != before.log.get(i, ()))
    entry = after.log[instance][-1]
    match entry.kind:
        case core.EntryKind.ENTER:
            return core.Enter(instance, entry.state)
        case core.EntryKind.COMMIT:
            return core.Commit(instance, entry.state)
        case core.EntryKind.EXIT:
            return core.Exit(instance, entry.state)
        case core.EntryKind.ACT:
            return core.Act(
                instance=instance,
                id=entry.id,
                state=entry.state,
                reads=frozenset(read.key for read in entry.reads),
                writes=frozenset(entry.writes),
                effects=frozenset(entry.effects),
            )


def _saving(before: core.History, after: core.History) -> core.Event:
    saved = next(one for name, one in after.checkpoints.items() if name not in before.checkpoints)
    return core.Save(
        id=saved.id, tag=saved.tag, scope=saved.scope, stable=saved.stable, truth=saved.truth
    )


def _restoring(model: Model, before: core.History, after: core.History) -> core.Event:
    """The permitted restore that leads there; of several, the first that is invalid, if any is."""
    fitting = [
        checkpoint
        for checkpoint in sorted(model.permitted(before), key=lambda one: one.id)
        if core.apply(before, core.Restore(checkpoint.id)) == after
    ]
    wrong = [one for one in fitting if core.restore_violations(before, one)]
    return core.Restore((wrong or fitting)[0].id) if fitting else core.Rerun()


def _event(model: Model, action: str, before: core.History, after: core.History) -> core.Event:
    match action:
        case "Saves":
            return _saving(before, after)
        case "Fails":
            failure = after.failures[-1]
            return evolve(failure.observed, truth=failure.truth)
        case "Restores":
            return _restoring(model, before, after)
        case "Rerun":
            return core.Rerun()
        case _:
            return _extension(before, after)


def events_of(
    model: Model, actions: Sequence[str], histories: Sequence[core.History]
) -> list[core.Event]:
    """The events that lead from each history to the next by these actions."""
    events = []
    for step, action in enumerate(actions, start=1):
        before, after = histories[step - 1], histories[step]
        event = _event(model, action, before, after)
        if core.apply(before, event) != after:
            raise BehaviourError(model.name, step, action)
        events.append(event)
    return events


def trace_of(result: TlcResult) -> tuple[core.Contract, list[core.Event]]:
    """The contract and the events of the behaviour that TLC found."""
    model = model_of(result.model, result)
    histories = [history_of(model.contract, step.state) for step in result.behaviour]
    actions = [step.action for step in result.behaviour[1:]]
    return model.contract, events_of(model, actions, histories)
