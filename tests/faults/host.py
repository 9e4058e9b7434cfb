"""
A host that runs a task beside a sidecar, holds its state in memory alone, and may die at any time.

The state of an instance is the trail of its steps.
What a host that was killed knew is gone but for the snapshots that it saved.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

from attrs import evolve

from dart_core import Act, EntryKind, InstanceId, Save, Scope, Verdict
from dart_runtime.sidecar import NothingDoneError, Recovery, Sidecar
from dart_runtime.store import Store
from faults.tasks import Step, Task, owner

__all__ = ["ENDED", "Acknowledged", "EscalatedError", "Host", "append"]

ENDED = "ended"


class ToolError(Exception):
    """A tool failed, as the task has it."""


class EscalatedError(Exception):
    """A person was called, who stops the task."""


class Acknowledged:
    """What a store was seen to hold, as a number of records and a hash through all of them."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.number = 0
        self.hash = sha256()

    def lines(self) -> Iterator[str]:
        """One line for each record that was not seen before."""
        for record in self.store.records(self.number):
            self.number = record.number
            self.hash.update(f"{record.kind.value} {record.subject} ".encode() + record.line)
            yield f"{self.number} {self.hash.hexdigest()}"


def append(path: Path, line: str) -> None:
    """Write the line in one system call: it outlives the process."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(file, f"{line}\n".encode())
    os.close(file)


class Host:
    """
    One process at work on a task.

    In `folder`, `world` holds what really happened outside, and `acks` what the sidecar has said to
    be durable; `point` is called wherever the process may be killed.
    """

    def __init__(self, task: Task, store: Store, folder: Path, point: Callable[[], None]) -> None:
        self.task = task
        self.sidecar = Sidecar(store)
        self.world = folder / "world"
        self.acks = folder / "acks"
        self.point = point
        self.memory: dict[InstanceId, list[str]] = {}
        self.acknowledged = Acknowledged(store)

    def run(self) -> None:
        """Go on from whatever the store says, until the task is done or a person is called."""
        self.recover()
        for instance in sorted(self.sidecar.history.log):
            self.remember(instance)
        while (step := self.due()) is not None:
            try:
                self.take(step)
            except (ToolError, NothingDoneError):
                self.recover()

    def remember(self, instance: InstanceId) -> None:
        """Take the instance's state from a snapshot of its last step, or say that it is lost."""
        history = self.sidecar.history
        log = history.log.get(instance, ())
        if not log or instance in self.memory:
            return
        if log[-1].kind is EntryKind.EXIT:
            self.memory[instance] = [ENDED] * len(log)
            return
        for name in reversed(history.saved.get(instance, ())):
            checkpoint = history.checkpoints[name]
            whole = checkpoint.stable and checkpoint.cut[instance] == len(log)
            if whole and instance in self.saved(name):
                self.memory[instance] = self.saved(name)[instance]
                return
        self.sidecar.fail(instance)
        self.acknowledge()
        self.recover()

    def saved(self, checkpoint: str) -> dict[InstanceId, list[str]]:
        """What the checkpoint's snapshot holds."""
        snapshot = self.sidecar.snapshot(checkpoint)
        assert snapshot is not None
        return {
            InstanceId(skeleton=skeleton, entity=entity, ordinal=ordinal): trail
            for (skeleton, entity, ordinal), trail in json.loads(snapshot)
        }

    def due(self) -> Step | None:
        """The first step in order that its instance has not taken."""
        taken = Counter[InstanceId]()
        for step in self.task.steps:
            taken[step.instance] += 1
            if taken[step.instance] > len(self.memory.get(step.instance, ())):
                return step
        return None

    def take(self, step: Step) -> None:
        """Take the step, and save the checkpoints that belong to it."""
        trail = self.memory.setdefault(step.instance, [])
        logged = len(self.sidecar.history.log.get(step.instance, ()))
        assert len(trail) == logged, "the state put back is not the log's"
        if isinstance(step.event, Act):
            self.act(step, step.event)
        else:
            self.sidecar.tell(step.event)
        trail.append(step.name)
        self.acknowledge()
        for save in step.saves:
            self.save(save)

    def save(self, save: Save) -> None:
        """Save a checkpoint with what it covers."""
        covered = list(self.memory) if save.scope is Scope.TASK else [owner(save)]
        snapshot = [((one.skeleton, one.entity, one.ordinal), self.memory[one]) for one in covered]
        number = len(self.sidecar.store.records())
        self.sidecar.tell(
            evolve(save, id=f"{save.id}~{number}"), snapshot=json.dumps(snapshot).encode()
        )
        self.acknowledge()

    def act(self, step: Step, act: Act) -> None:
        """Run the tool: its effects happen, and it fails if it is to."""
        history = self.sidecar.history
        strikes = step.fails if history.epoch == history.attempt[step.instance] == 1 else None
        with self.sidecar.acting(
            step.instance,
            tool=act.tool,
            state=act.state,
            reads=act.reads,
            writes=act.writes,
            effects=act.effects,
        ):
            self.acknowledge()
            if strikes == "refused":
                raise NothingDoneError
            for effect in sorted(act.effects):
                append(self.world, f"{history.epoch} {step.instance} {effect}")
                self.point()
            if strikes == "lost":
                raise ToolError(act.tool)

    def recover(self) -> None:
        """Carry out every recovery that is due."""
        while True:
            decision = self.sidecar.recover(restore=self.restore, rerun=self.rerun)
            self.acknowledge()
            if decision is None:
                break
            if decision.verdict is Verdict.ESCALATE:
                raise EscalatedError
        if self.sidecar.history.failures:
            raise EscalatedError

    def restore(self, recovery: Recovery) -> None:
        """Put the failed instance's state back."""
        self.point()
        instance, checkpoint = recovery.decision.instance, recovery.decision.checkpoint
        assert instance is not None
        assert checkpoint is not None
        self.memory[instance] = self.saved(checkpoint)[instance]
        self.point()

    def rerun(self, recovery: Recovery) -> None:
        """Forget all."""
        assert recovery.decision.checkpoint is None
        self.point()
        self.memory.clear()
        self.point()

    def acknowledge(self) -> None:
        """Note what the sidecar has said to be durable."""
        for line in list(self.acknowledged.lines())[-1:]:
            append(self.acks, line)
        self.point()
