"""
A host that runs a task beside a sidecar, holds its state in memory alone, and may die at any time.

The state of an instance is the trail of its steps.
What a host that was killed knew is gone but for the snapshots that it saved.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from dart_core import Commit, Enter, InstanceId, Save, Verdict
from dart_runtime.registry import tag_of
from dart_runtime.sidecar import Recovery, Sidecar
from dart_runtime.store import Store
from faults.tasks import Step, Task

__all__ = ["EscalatedError", "Host", "acknowledgement"]


class ToolError(Exception):
    """A tool failed, as the task has it."""


class EscalatedError(Exception):
    """A person was called, who stops the task."""


def acknowledgement(store: Store, number: int) -> str:
    """The first `number` records of the store as one line."""
    records = [(r.kind.value, r.subject, r.line) for r in store.records() if r.number <= number]
    return f"{number} {sha256(repr(records).encode()).hexdigest()}"


def append(path: Path, line: str) -> None:
    """Write the line in one system call: it outlives the process."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(file, f"{line}\n".encode())
    os.close(file)


class Host:
    """
    One process at work on a task.

    `world` is the file that holds what really happened outside; `acks` that of what the sidecar
    said to be durable; `point` is called wherever the process may be killed.
    """

    def __init__(self, task: Task, store: Store, folder: Path, point: Callable[[], None]) -> None:
        self.task = task
        self.sidecar = Sidecar(store)
        self.world = folder / "world"
        self.acks = folder / "acks"
        self.point = point
        self.memory: dict[InstanceId, list[str]] = {}

    def run(self) -> None:
        """Go on from whatever the store says, until the task is done or a person is called."""
        self.recover()
        self.remember()
        while (step := self.due()) is not None:
            try:
                self.take(step)
            except ToolError:
                self.recover()

    def remember(self) -> None:
        """Take the live instances' states from their latest snapshots; what has none is lost."""
        for instance in sorted(self.sidecar.history.log):
            history = self.sidecar.history
            log, saved = history.log.get(instance, ()), history.saved.get(instance, ())
            latest = (
                max((history.checkpoints[name].cut[instance], name) for name in saved or [""])
                if saved
                else (0, "")
            )
            if instance in self.memory or not log:
                continue
            if log[-1].kind.value == "exit":
                self.memory[instance] = ["exited"] * len(log)
            elif latest[0] == len(log):
                self.put_back(latest[1])
            else:
                self.sidecar.fail(instance)
                self.acknowledge()
                self.recover()

    def due(self) -> Step | None:
        """The first step in order that its instance has not taken."""
        taken: dict[InstanceId, int] = {}
        for step in self.task.steps:
            taken[step.instance] = taken.get(step.instance, 0) + 1
            if taken[step.instance] > len(self.memory.get(step.instance, ())):
                return step
        return None

    def take(self, step: Step) -> None:
        """Take the step, with the checkpoint that belongs to it, if one does."""
        instance, history = step.instance, self.sidecar.history
        trail = self.memory.setdefault(instance, [])
        assert len(trail) == len(history.log.get(instance, ())), "the state is not the log's"
        if step.kind == "act":
            self.act(step)
        elif step.kind == "exit":
            self.sidecar.exit(instance)
        else:
            event = Enter(instance) if step.kind == "enter" else Commit(instance)
            name = f"{instance}/{len(trail)}/{history.attempt.get(instance, 1)}"
            snapshot = json.dumps([*trail, step.kind]).encode()
            self.sidecar.tell(event, Save(id=name, tag=tag_of(instance)), snapshot=snapshot)
        trail.append(step.tool or step.kind)
        self.acknowledge()

    def act(self, step: Step) -> None:
        """Run the tool: its effects happen, then it fails if it is to."""
        history = self.sidecar.history
        first = history.epoch == history.attempt[step.instance] == 1
        with self.sidecar.acting(
            step.instance,
            tool=step.tool,
            reads=step.reads,
            writes=step.writes,
            effects=step.effects,
        ):
            self.acknowledge()
            for effect in sorted(step.effects):
                self.point()
                append(self.world, f"{history.epoch} {step.instance} {effect}")
            self.point()
            if step.fails and first:
                raise ToolError(step.tool)

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
        assert recovery.decision.checkpoint is not None
        self.put_back(recovery.decision.checkpoint)
        self.point()

    def rerun(self, recovery: Recovery) -> None:
        """Forget all."""
        del recovery
        self.point()
        self.memory.clear()
        self.point()

    def put_back(self, checkpoint: str) -> None:
        """Take the owner's state from the snapshot."""
        (owner,) = self.sidecar.history.checkpoints[checkpoint].owners
        snapshot = self.sidecar.snapshot(checkpoint)
        assert snapshot is not None
        self.memory[owner] = json.loads(snapshot)

    def acknowledge(self) -> None:
        """Note what the sidecar has said to be durable."""
        append(self.acks, acknowledgement(self.sidecar.store, self.sidecar.ledger.number))
        self.point()
