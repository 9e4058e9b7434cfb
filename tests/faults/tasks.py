"""
The domains' rows as tasks for runs that are killed.

What a row's run without its fault does, step by step, is taken from a run of the row; the act that
the row's fault strikes fails once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from attrs import evolve, frozen
from msgspec.structs import replace

from dart_core import (
    Act,
    Commit,
    Contract,
    Enter,
    Event,
    Exit,
    Fallback,
    InstanceId,
    Save,
    is_full,
)
from dart_runtime.domain import DOMAINS, load_domain
from dart_runtime.rows import Fault, instance_of
from dart_runtime.runner import run

__all__ = ["EVERY_POINT", "ROWS", "Step", "Task", "owner", "task_of"]

# One row of each domain, in which a consumer has committed, and what its contract falls back to.
EVERY_POINT = {
    "navigation/nav-cs": Fallback.RERUN,
    "schedule_form/sch-cs": Fallback.ESCALATE,
    "diagnosis/dia-1": Fallback.RERUN,
    "etl/etl-announced": Fallback.ESCALATE,
    "travel/trv-cs": Fallback.ESCALATE,
}
ROWS = [f"{domain}/{row}" for domain in DOMAINS for row in load_domain(domain).rows]


@frozen(kw_only=True)
class Step:
    """One step of an instance, and the checkpoints that it saves after it; `fails` as a fault."""

    instance: InstanceId
    event: Enter | Act | Commit | Exit
    saves: tuple[Save, ...] = ()
    fails: str | None = None

    @property
    def name(self) -> str:
        """What the step leaves in its instance's memory."""
        return str(self.event)


@frozen(kw_only=True)
class Task:
    """A contract, and the steps in the order in which a run without faults takes them."""

    name: str
    contract: Contract
    steps: tuple[Step, ...]


@cache
def task_of(name: str, fallback: Fallback = Fallback.RERUN) -> Task:
    """The row `domain/row` as a task."""
    domain = load_domain(name.split("/", maxsplit=1)[0])
    row = domain.rows[name.split("/")[1]]
    events = run(domain, replace(row, fault=None)).events
    return Task(
        name=name,
        contract=evolve(domain.contract, fallback=fallback),
        steps=tuple(struck(list(stepped(events)), row.fault)),
    )


def stepped(events: tuple[Event, ...]) -> Iterator[Step]:
    """The steps; a checkpoint belongs to the step before it of the instance that saved it."""
    for place, event in enumerate(events):
        if isinstance(event, Enter | Act | Commit | Exit):
            saves = tuple(saved_after(events[place + 1 :], event.instance))
            yield Step(instance=event.instance, event=event, saves=saves)


def saved_after(events: tuple[Event, ...], instance: InstanceId) -> Iterator[Save]:
    for event in events:
        if isinstance(event, Save) and owner(event) == instance:
            yield event
        elif isinstance(event, Enter | Act | Commit | Exit) and event.instance == instance:
            return


def owner(save: Save) -> InstanceId:
    """The instance that really saved the checkpoint."""
    if save.truth is not None:
        return save.truth
    assert is_full(save.tag)
    return InstanceId(
        skeleton=save.tag.skeleton or "",
        entity=save.tag.entity or "",
        ordinal=save.tag.ordinal or 0,
    )


def struck(steps: list[Step], fault: Fault | None) -> list[Step]:
    """The steps, where the first act that the fault names fails."""
    if fault is None:
        return steps
    strikes = (instance_of(fault.instance), fault.act)
    return [
        evolve(step, fails=fault.how)
        if isinstance(step.event, Act) and (step.instance, step.event.tool) == strikes
        else step
        for step in steps
    ]
