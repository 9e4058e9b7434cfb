"""A LangGraph graph behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END
from langgraph.types import Command, StateSnapshot

from dart_core import Contract, Decision, History
from dart_runtime.langgraph import gate
from dart_runtime.langgraph.book import Execution
from dart_runtime.langgraph.declare import Graph, Node, shape_of, written
from dart_runtime.langgraph.errors import GuardError, RestoreRefusedError
from dart_runtime.langgraph.keeping import Packer
from dart_runtime.langgraph.nodes import wrapped
from dart_runtime.langgraph.recorder import Recorder
from dart_runtime.langgraph.records import Records
from dart_runtime.langgraph.runs import Site
from dart_runtime.langgraph.saver import guarded_saver, looking
from dart_runtime.langgraph.updates import host_wrote, replaced_output

__all__ = ["Guarded", "guard"]


class Guarded:
    """
    A graph whose restores are guarded.

    It is used as the graph itself: `invoke`, `stream`, `get_state` and `update_state`, and their
    async forms.
    To go on after a failure is to `invoke` with None, as with LangGraph: the failed instance alone
    runs again, from the latest checkpoint that is admissible.
    What is not admissible is refused by RestoreRefusedError.
    """

    def __init__(
        self, graph: Graph, contract: Contract, nodes: Mapping[str, Node], folder: Path | None
    ) -> None:
        if not isinstance(graph.checkpointer, BaseCheckpointSaver):
            message = "a guarded graph needs a checkpointer: compile it with one"
            raise GuardError(message)
        if graph.cache is not None:
            message = "a node whose output comes from a cache leaves no record: compile without one"
            raise GuardError(message)
        self._records = Records(contract, folder, Packer(graph.checkpointer.serde))
        saver = guarded_saver(graph.checkpointer, self._records.find)
        self._sites: dict[str, Site] = {}
        recorded = wrapped(graph, nodes, self._records.find, self._sites)
        self.graph: Graph = recorded.copy({"checkpointer": saver})

    def invoke(
        self,
        input: Any,
        config: RunnableConfig,
        **more: Any,
    ) -> Any:
        """What the graph yields; input None goes on, after a failure by what is decided."""
        with self._run(input, config, more) as place:
            return self.graph.invoke(input, place, durability="sync", **more)

    async def ainvoke(
        self,
        input: Any,
        config: RunnableConfig,
        **more: Any,
    ) -> Any:
        """As `invoke`."""
        with self._run(input, config, more) as place:
            return await self.graph.ainvoke(input, place, durability="sync", **more)

    def stream(
        self,
        input: Any,
        config: RunnableConfig,
        **more: Any,
    ) -> Iterator[Any]:
        """What the graph streams; input None goes on, after a failure by what is decided."""
        with self._run(input, config, more) as place:
            yield from self.graph.stream(input, place, durability="sync", **more)

    async def astream(
        self,
        input: Any,
        config: RunnableConfig,
        **more: Any,
    ) -> AsyncIterator[Any]:
        """As `stream`."""
        with self._run(input, config, more) as place:
            async for part in self.graph.astream(input, place, durability="sync", **more):
                yield part

    def rerun(self, config: RunnableConfig, **more: Any) -> Any:
        """Run the whole task again from its input, where that is what is decided."""
        with self._rerunning(config) as place:
            return self.graph.invoke(None, place, durability="sync", **more)

    async def arerun(self, config: RunnableConfig, **more: Any) -> Any:
        """As `rerun`."""
        with self._rerunning(config) as place:
            return await self.graph.ainvoke(None, place, durability="sync", **more)

    def get_state(self, config: RunnableConfig, *, subgraphs: bool = False) -> StateSnapshot:
        """The state of the thread, as LangGraph has it."""
        with looking():
            return self.graph.get_state(config, subgraphs=subgraphs)

    async def aget_state(self, config: RunnableConfig, *, subgraphs: bool = False) -> StateSnapshot:
        """As `get_state`."""
        with looking():
            return await self.graph.aget_state(config, subgraphs=subgraphs)

    def get_state_history(self, config: RunnableConfig, **more: Any) -> list[StateSnapshot]:
        """The states of the thread, latest first."""
        with looking():
            return list(self.graph.get_state_history(config, **more))

    async def aget_state_history(self, config: RunnableConfig, **more: Any) -> list[StateSnapshot]:
        """As `get_state_history`."""
        with looking():
            return [state async for state in self.graph.aget_state_history(config, **more)]

    def update_state(
        self,
        config: RunnableConfig,
        values: Any,
        as_node: str | None = None,
    ) -> RunnableConfig:
        """Write into the state; at an earlier checkpoint that is a fork, and needs leave."""
        with self._updating(config, values, as_node) as (place, recorder, replaced):
            new = self.graph.update_state(place, values, as_node)
            self._wrote(recorder, replaced, new, values, as_node)
        return new

    async def aupdate_state(
        self,
        config: RunnableConfig,
        values: Any,
        as_node: str | None = None,
    ) -> RunnableConfig:
        """As `update_state`."""
        with self._updating(config, values, as_node) as (place, recorder, replaced):
            new = await self.graph.aupdate_state(place, values, as_node)
            self._wrote(recorder, replaced, new, values, as_node)
        return new

    def _wrote(
        self,
        recorder: Recorder,
        replaced: Execution | None,
        new: RunnableConfig,
        values: object,
        as_node: str | None,
    ) -> None:
        checkpoint = new["configurable"]["checkpoint_id"]
        if replaced is None:
            host_wrote(recorder, checkpoint, values, as_node, shape_of(self.graph))
        else:
            replaced_output(recorder, self._sites[replaced.node], replaced, values)

    def decision(self, config: RunnableConfig) -> Decision | None:
        """The core's decision about what has failed in the thread; None where nothing has."""
        return self.recorder(config).decide()

    def history(self, config: RunnableConfig) -> History:
        """The history of the thread."""
        return self.recorder(config).history

    def trace(self, config: RunnableConfig) -> bytes:
        """The thread so far, as a trace of format 1."""
        return self.recorder(config).export()

    def close(self) -> None:
        """Give the records up; what is in files stays."""
        self._records.close()

    def recorder(self, config: RunnableConfig) -> Recorder:
        """The record of the thread."""
        return self._records.find(str(config["configurable"]["thread_id"]))

    @contextmanager
    def _run(
        self,
        given: object,
        config: RunnableConfig,
        more: Mapping[str, object],
    ) -> Iterator[RunnableConfig]:
        if "durability" in more:
            message = "a guarded graph's checkpoints are durable before the next step (sync)"
            raise GuardError(message)
        recorder = self.recorder(config)
        base = _base(recorder, given, config)
        with self._from(recorder, base, config) as place:
            yield place

    @contextmanager
    def _rerunning(self, config: RunnableConfig) -> Iterator[RunnableConfig]:
        recorder = self.recorder(config)
        with self._from(recorder, gate.rerun(recorder), config) as place:
            yield place

    @contextmanager
    def _from(
        self, recorder: Recorder, base: str | None, config: RunnableConfig
    ) -> Iterator[RunnableConfig]:
        place = {k: v for k, v in config["configurable"].items() if k != "checkpoint_id"}
        if base is not None:
            place["checkpoint_id"] = base
            recorder.permitted.add(base)
        try:
            yield {**config, "configurable": place}
        except BaseException as error:
            recorder.settle(failed=True)
            gate.blame(recorder, error)
            raise
        else:
            recorder.settle(failed=False)
        finally:
            recorder.permitted.clear()

    @contextmanager
    def _updating(
        self, config: RunnableConfig, values: object, as_node: str | None
    ) -> Iterator[tuple[RunnableConfig, Recorder, Execution | None]]:
        _root(config)
        if as_node == "__copy__":
            raise RestoreRefusedError("copying a checkpoint", "go back to it instead")
        recorder = self.recorder(config)
        place = dict(config["configurable"])
        asked = place.get("checkpoint_id")
        keys, _ = written(values)
        replaced = None
        if asked in (None, recorder.book.heads.get("")):
            asked = gate.update(recorder, keys) or asked
        else:
            replaced = gate.fork(recorder, asked, as_node, keys)
        if asked is not None:
            place["checkpoint_id"] = asked
            recorder.permitted.add(asked)
        try:
            with recorder.updating(ends=values is None and as_node == END):
                yield {**config, "configurable": place}, recorder, replaced
        finally:
            recorder.permitted.clear()


def _root(config: RunnableConfig) -> None:
    if config["configurable"].get("checkpoint_ns"):
        why = "go back to a checkpoint of the graph around it"
        raise RestoreRefusedError("going back within a subgraph", why)


def _base(recorder: Recorder, given: object, config: RunnableConfig) -> str | None:
    _root(config)
    asked = config["configurable"].get("checkpoint_id")
    if asked not in (None, recorder.book.heads.get("")):
        if not _only_goes_on(given):
            raise RestoreRefusedError(f"a new input at checkpoint {asked}", "it is not the latest")
        gate.replay(recorder, asked)
        return str(asked)
    if given is None or isinstance(given, Command):
        return gate.resume(recorder)
    gate.renew(recorder)
    return None


def _only_goes_on(given: object) -> bool:
    return given is None or (isinstance(given, Command) and given.update is None and not given.goto)


def guard(
    graph: Graph,
    contract: Contract,
    nodes: Mapping[str, Node] | None = None,
    *,
    folder: str | Path | None = None,
) -> Guarded:
    """
    The compiled graph behind the guard; the one given is left as it is.

    `nodes` declares what a run of each node is; one that is not declared is an instance of an
    unreviewed skeleton, which is never rolled back.
    The record of each thread is a file in `folder`, or in memory without one.
    """
    place = None if folder is None else Path(folder)
    return Guarded(graph, contract, nodes or {}, place)
