"""Wrapping: the nodes of a graph, and the functions within them that act on the world."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.graph.state import CompiledStateGraph

from dart_runtime.langgraph.book import Execution, Place
from dart_runtime.langgraph.declare import Graph, Node, shape_of
from dart_runtime.langgraph.errors import GuardError
from dart_runtime.langgraph.recorder import Recorder
from dart_runtime.langgraph.runs import Run, Site
from dart_runtime.langgraph.stopping import answer, called, calling, stopped

__all__ = ["act", "wrapped"]

P = ParamSpec("P")
R = TypeVar("R")
Find = Callable[[str], Recorder]

_current: ContextVar[tuple[Recorder, Run] | None] = ContextVar("dart_run", default=None)


def wrapped(graph: Graph, nodes: Mapping[str, Node], find: Find, sites: dict[str, Site]) -> Graph:
    """
    A copy of the graph whose nodes are recorded; they are put into `sites`.

    A node that is a graph itself and is not declared is looked through: its own nodes count.
    """
    shape = shape_of(graph)
    shared = Counter(node.skeleton or name for name, node in nodes.items())
    changed = {}
    for name, node in graph.nodes.items():
        if name == "__start__":
            continue
        if isinstance(node.bound, CompiledStateGraph) and name not in nodes:
            inner = wrapped(node.bound, nodes, find, sites)
            changed[name] = node.copy({"bound": inner, "subgraphs": [inner]})
        else:
            declared = nodes.get(name, Node())
            alone = shared[declared.skeleton or name] <= 1
            opens = alone if declared.opens is None else declared.opens
            sites[name] = site = Site(name=name, node=declared, shape=shape, opens=opens)
            bound = RecordedNode(node.bound, site, find)
            changed[name] = node.copy({"bound": bound, "subgraphs": node.subgraphs})
    return graph.copy({"nodes": {**graph.nodes, **changed}})


class RecordedNode(Runnable[Any, Any]):
    """A node whose runs are recorded; where a record answers for a run, it is not made."""

    def __init__(self, bound: Runnable[Any, Any], site: Site, find: Find) -> None:
        self.bound = bound
        self.site = site
        self.find = find
        self.name = site.name

    def invoke(self, input: Any, config: RunnableConfig | None = None, **more: Any) -> Any:
        """The node's output, from a run or from the record."""
        recorder, run = self._begun(input, config)
        if isinstance(run, Execution):
            return recorder.packer.unpack(run.output)
        with _running(recorder, run):
            output = self.bound.invoke(self.site.node.given(input), config, **more)
            recorder.finish(run, output)
        return output

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **more: Any) -> Any:
        """The node's output, from a run or from the record."""
        recorder, run = self._begun(input, config)
        if isinstance(run, Execution):
            return recorder.packer.unpack(run.output)
        with _running(recorder, run):
            output = await self.bound.ainvoke(self.site.node.given(input), config, **more)
            recorder.finish(run, output)
        return output

    def _begun(
        self, state: object, config: RunnableConfig | None
    ) -> tuple[Recorder, Run | Execution]:
        if config is None or "checkpoint_map" not in config["configurable"]:
            message = f"{self.site.name} runs outside of its graph"
            raise GuardError(message)
        recorder = self.find(str(config["configurable"]["thread_id"]))
        return recorder, recorder.begin(self.site, state, _place(config))


def _place(config: RunnableConfig) -> Place:
    names = (part.split(":")[0] for part in config["configurable"]["checkpoint_ns"].split("|"))
    return Place(
        names="|".join(names),
        path=repr(config["metadata"]["langgraph_path"]),
        bases=config["configurable"]["checkpoint_map"],
        task=config["configurable"]["__pregel_task_id"],
    )


@contextmanager
def _running(recorder: Recorder, run: Run) -> Iterator[None]:
    token = _current.set((recorder, run))
    try:
        yield
    except GuardError:
        recorder.dropped(run)
        raise
    except BaseException as error:
        stopped(recorder, run, error)
        raise
    finally:
        _current.reset(token)


def act(
    name: str | None = None, *, effects: Iterable[str] = ()
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """
    A decorator for a function that a node calls to act on the world, plain or async.

    Each call is announced before it runs and recorded after it, so that it is known what the node
    had done when it failed, was interrupted or died.
    When the node runs again, calls that stand are not made again: the record answers them.
    The function raises NothingDoneError where it failed and knows that it has done nothing.
    """
    performed = frozenset(effects)

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        tool = name or function.__name__

        @wraps(function)
        def plain(*args: P.args, **kwargs: P.kwargs) -> R:
            recorder, run = _running_now(tool)
            arguments = recorder.packer.arguments(args, kwargs)
            found = answer(recorder, run, tool, arguments)
            if found is not None:
                return cast(R, recorder.packer.unpack(found))
            with calling(recorder, run, tool, performed) as announced:
                result = function(*args, **kwargs)
                called(recorder, run, announced, arguments, result)
            return result

        @wraps(function)
        async def waiting(*args: P.args, **kwargs: P.kwargs) -> Any:
            recorder, run = _running_now(tool)
            arguments = recorder.packer.arguments(args, kwargs)
            found = answer(recorder, run, tool, arguments)
            if found is not None:
                return recorder.packer.unpack(found)
            with calling(recorder, run, tool, performed) as announced:
                result = await cast(Any, function)(*args, **kwargs)
                called(recorder, run, announced, arguments, result)
            return result

        return cast(Callable[P, R], waiting if inspect.iscoroutinefunction(function) else plain)

    return wrap


def _running_now(tool: str) -> tuple[Recorder, Run]:
    current = _current.get()
    if current is None:
        message = f"{tool} acts on the world, and was called outside of a guarded node"
        raise GuardError(message)
    return current
