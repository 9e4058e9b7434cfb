"""
The checkpointer behind the guard: LangGraph's checkpoints are recorded, and restores need leave.

A class of the given checkpointer's own is derived, so that all else stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)

from dart_runtime.langgraph.book import Link, segments
from dart_runtime.langgraph.errors import RestoreRefusedError
from dart_runtime.langgraph.recorder import Recorder

__all__ = ["guarded_saver", "looking"]

Find = Callable[[str], Recorder]

_looking: ContextVar[bool] = ContextVar("dart_looking", default=False)


@contextmanager
def looking() -> Iterator[None]:
    """Let checkpoints be read in the block: it runs nothing from them."""
    token = _looking.set(True)
    try:
        yield
    finally:
        _looking.reset(token)


class Gate:
    """What a checkpointer does besides its own: record what is put, refuse what may not be got."""

    find: Find

    def _check(self, config: RunnableConfig) -> None:
        place = config["configurable"]
        asked = place.get("checkpoint_id")
        if asked is None or _looking.get():
            return
        recorder = self.find(str(place["thread_id"]))
        head = recorder.book.heads.get(place.get("checkpoint_ns", ""))
        if asked not in recorder.permitted and asked != head:
            what = f"going back to checkpoint {asked}"
            raise RestoreRefusedError(what, "the guard was not asked: use the guarded graph")

    def _record(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata
    ) -> None:
        place = config["configurable"]
        namespace = place.get("checkpoint_ns", "")
        parents = metadata.get("parents", {})
        ancestors = {
            name: parents[name] for name in sorted(parents, key=segments) if name != namespace
        }
        link = Link(
            namespace=namespace,
            checkpoint=checkpoint["id"],
            parent=place.get("checkpoint_id"),
            source=metadata["source"],
            ancestors=ancestors,
            ran=(),
        )
        self.find(str(place["thread_id"])).saved(link)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint, where it may be got."""
        self._check(config)
        found: CheckpointTuple | None = super().get_tuple(config)  # type: ignore[misc]
        return found

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint, where it may be got."""
        self._check(config)
        found: CheckpointTuple | None = await super().aget_tuple(config)  # type: ignore[misc]
        return found

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Record the checkpoint and store it."""
        self._record(config, checkpoint, metadata)
        stored: RunnableConfig = super().put(  # type: ignore[misc]
            config, checkpoint, metadata, new_versions
        )
        return stored

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Record the checkpoint and store it."""
        self._record(config, checkpoint, metadata)
        stored: RunnableConfig = await super().aput(  # type: ignore[misc]
            config, checkpoint, metadata, new_versions
        )
        return stored

    def get_delta_channel_history(self, **named: Any) -> Any:
        """What a channel that is stored in pieces was written, from the checkpoints before."""
        with looking():
            return super().get_delta_channel_history(**named)  # type: ignore[misc]

    async def aget_delta_channel_history(self, **named: Any) -> Any:
        """What a channel that is stored in pieces was written, from the checkpoints before."""
        with looking():
            return await super().aget_delta_channel_history(**named)  # type: ignore[misc]


def guarded_saver(saver: BaseCheckpointSaver[Any], find: Find) -> BaseCheckpointSaver[Any]:
    """The checkpointer behind the guard; the one given is left as it is."""
    kind = type(saver)
    derived: Any = type(f"Guarded{kind.__name__}", (Gate, kind), {"find": staticmethod(find)})
    guarded: BaseCheckpointSaver[Any] = derived.__new__(derived)
    guarded.__dict__.update(saver.__dict__)
    return guarded
