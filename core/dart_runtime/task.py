"""What a run really holds: instances and their memory, values, snapshots, and the world's deeds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import Factory, define, evolve, frozen

from dart_core import Checkpoint, Contract, InstanceId, Scope, Version, effect_class, rolls_back
from dart_runtime.calls import Stored
from dart_runtime.final import LOST, Deed, Final, Remembered

__all__ = ["Memory", "Running", "Snapshot", "Task"]


class Memory(dict[str, Any]):
    """What an instance remembers; what it does not, or no longer, reads as LOST."""

    def __missing__(self, key: str) -> str:
        return LOST


@define
class Running:
    """An instance under way: the number of steps that it has done, its FSM state and its memory."""

    step: int
    state: str
    memory: Memory


@frozen
class Snapshot:
    """The instances that were saved, as they were; `owner` is whose snapshot it really is."""

    owner: InstanceId
    running: Mapping[InstanceId, Running]


def _copies(running: Mapping[InstanceId, Running]) -> dict[InstanceId, Running]:
    # Tools yield new values and change none, so the values themselves can be shared.
    return {instance: evolve(one, memory=Memory(one.memory)) for instance, one in running.items()}


@define
class Task:
    """The task as it is; a restore puts back what a snapshot holds and undoes what came later."""

    contract: Contract
    external: Mapping[str, Any]
    epoch: int = 1
    running: dict[InstanceId, Running] = Factory(dict)
    store: dict[str, list[tuple[Version, Any]]] = Factory(dict)
    snapshots: dict[str, Snapshot] = Factory(dict)
    deeds: list[Deed] = Factory(list)

    def read(self, key: str) -> Stored:
        """The living value under the key, or the one from outside."""
        versions = self.store.get(key)
        if versions:
            return Stored(*versions[-1])
        return Stored(None, self.external.get(key, LOST))

    def write(self, version: Version, writes: Mapping[str, Any]) -> None:
        """Put a new version under each key."""
        for key, value in writes.items():
            self.store.setdefault(key, []).append((version, value))

    def perform(self, version: Version, effects: Mapping[str, Any]) -> None:
        """Have the effects on the world."""
        for effect, payload in effects.items():
            found = effect_class(self.contract, version.writer.skeleton, effect)
            self.deeds.append(
                Deed(
                    epoch=self.epoch,
                    version=version,
                    effect=effect,
                    effect_class=found,
                    payload=payload,
                )
            )

    def save(self, checkpoint: str, owner: InstanceId, scope: Scope) -> None:
        """Keep a copy of the owner, or of every instance."""
        saved = self.running if scope is Scope.TASK else {owner: self.running[owner]}
        self.snapshots[checkpoint] = Snapshot(owner, _copies(saved))

    def crash(self, checkpoints: Mapping[str, Checkpoint]) -> None:
        """Lose what snapshots hold that were not durable."""
        for name, snapshot in self.snapshots.items():
            if name in checkpoints and not checkpoints[name].stable:
                for running in snapshot.running.values():
                    running.memory.clear()

    def put_back(self, checkpoint: Checkpoint) -> None:
        """Make the instances what they were in the snapshot, and undo what they did later."""
        snapshot = self.snapshots[checkpoint.id]
        if checkpoint.scope is Scope.TASK:
            rewound = set(self.running)
            self.running = {}
        else:
            rewound = {snapshot.owner}
        self.running.update(_copies(snapshot.running))
        self._undo({instance: checkpoint.cut.get(instance, 0) for instance in rewound})

    def _undo(self, cut: Mapping[InstanceId, int]) -> None:
        def undone(version: Version) -> bool:
            return version.index > cut.get(version.writer, version.index)

        for key, versions in self.store.items():
            self.store[key] = [(one, value) for one, value in versions if not undone(one)]
        for place, deed in enumerate(self.deeds):
            if deed.epoch == self.epoch and undone(deed.version) and self._takes_back(deed):
                self.deeds[place] = evolve(deed, undone=True)

    def _takes_back(self, deed: Deed) -> bool:
        # What is idempotent stays done: the acts that run again do it again.
        return rolls_back(self.contract, deed.version.writer.skeleton, deed.effect) and (
            deed.effect_class.value != "idempotent"
        )

    def begin_again(self) -> None:
        """Forget all but the world."""
        self.epoch += 1
        self.running.clear()
        self.store.clear()
        self.snapshots.clear()

    def final(self, finished: bool) -> Final:
        """What the run leaves behind now."""
        return Final(
            finished=finished,
            store={key: tuple(versions) for key, versions in self.store.items() if versions},
            instances={
                instance: Remembered(running.state, running.memory)
                for instance, running in self.running.items()
            },
            deeds=tuple(
                deed for deed in self.deeds if deed.epoch == self.epoch and not deed.undone
            ),
        )
