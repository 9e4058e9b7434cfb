"""What the host declares of a graph, and what the adapter reads off it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from typing import Any

from attrs import field, frozen
from langgraph.channels import BinaryOperatorAggregate, Topic
from langgraph.channels.delta import DeltaChannel
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Send
from pydantic import BaseModel

from dart_core import Boundary, Contract, bind, skeleton_of

__all__ = ["Graph", "Node", "Shape", "predicate_keys", "received", "shape_of", "written"]

Graph = CompiledStateGraph[Any, Any, Any, Any]

Entity = str | Callable[[Any], str] | None

GROWING = (BinaryOperatorAggregate, Topic, DeltaChannel)
THE_TASK = "task"


def _names(names: Iterable[str] | None) -> frozenset[str] | None:
    return None if names is None else frozenset(names)


def _set(names: Iterable[str]) -> frozenset[str]:
    return frozenset(names)


@frozen(kw_only=True)
class Node:
    """
    What a run of the node is, in the contract's words.

    - `skeleton`: the kind of subtask that the node is (part of); by default, one of its own name.
    - `entity`: the key of the node's input that names the entity, or a function of what the node is
      given; None where there is but one.
    - `opens`: whether each run begins a new instance, or goes on with the live one if there is one.
      None: it does where the skeleton has no other node.
    - `closes`: the boundary that the instance claims when the node has run; None for none.
    - `reads`: the keys that the node is given; None for all that LangGraph gives it.
      A node whose state is no mapping is given all in any case, and counts as reading all.
    - `effects`: what the node may do to the world, by the contract's names, where the functions
      that do it are no `act`.
    """

    skeleton: str | None = None
    entity: Entity = None
    opens: bool | None = None
    closes: Boundary | None = Boundary.EXIT
    reads: frozenset[str] | None = field(default=None, converter=_names)
    effects: frozenset[str] = field(default=frozenset(), converter=_set)

    def given(self, state: object) -> object:
        """The part of the state that the node is given."""
        if self.reads is None or not isinstance(state, Mapping):
            return state
        return {key: value for key, value in state.items() if key in self.reads}

    def entity_in(self, state: object) -> str:
        """The entity that the node's input names; KeyError or AttributeError where it does not."""
        if self.entity is None:
            return THE_TASK
        if callable(self.entity):
            return str(self.entity(self.given(state)))
        if isinstance(state, Mapping):
            return str(state[self.entity])
        return str(getattr(state, self.entity))

    def uses(self, state: object) -> frozenset[str]:
        """The keys of the state that the run depends on: what it is given, and who it is for."""
        named = frozenset((self.entity,)) if isinstance(self.entity, str) else frozenset()
        return received(self.given(state)) | named


@frozen(kw_only=True)
class Shape:
    """
    What matters of a compiled graph.

    `growing` are the channels that keep what was written before.
    `routers` leads from each node that chooses where to go to the nodes it may choose; None = any.
    """

    growing: frozenset[str]
    routers: Mapping[str, frozenset[str] | None]

    def may_choose(self, router: str, node: str) -> bool:
        """Whether it may have been the router's choice that the node runs."""
        if router not in self.routers:
            return False
        ends = self.routers[router]
        return ends is None or node in ends


def shape_of(graph: Graph) -> Shape:
    """What matters of the graph."""
    routers: dict[str, frozenset[str] | None] = {}
    for name, branches in graph.builder.branches.items():
        ends = [branch.ends for branch in branches.values()]
        known = None not in ends
        routers[name] = frozenset(e for end in ends if end for e in end.values()) if known else None
    for name, spec in graph.builder.nodes.items():
        if spec.ends and name not in routers:
            routers[name] = frozenset(spec.ends)
    growing = (name for name, channel in graph.channels.items() if isinstance(channel, GROWING))
    return Shape(growing=frozenset(growing), routers=routers)


def received(state: object) -> frozenset[str]:
    """The keys of the state that a node received; none of an input that is no state."""
    if isinstance(state, Mapping):
        return frozenset(map(str, state))
    if isinstance(state, BaseModel):
        return frozenset(type(state).model_fields)
    if is_dataclass(state):
        return frozenset(one.name for one in dataclass_fields(state))
    return frozenset()


def written(output: object) -> tuple[frozenset[str], bool]:
    """The keys that a node's output writes, and whether it chooses where to go."""
    if isinstance(output, Command):
        return _updated(output.update), bool(output.goto)
    if isinstance(output, Send):
        return frozenset(), True
    if isinstance(output, list | tuple):
        parts = [written(part) for part in output]
        keys = frozenset[str]().union(*(keys for keys, _ in parts))
        return keys, any(chooses for _, chooses in parts)
    return received(output), False


def _updated(update: object) -> frozenset[str]:
    if isinstance(update, list | tuple):
        return frozenset(key for key, _ in update)
    return received(update)


def predicate_keys(contract: Contract, skeleton: str, entity: str) -> frozenset[str]:
    """The keys that the skeleton's predicates ask for: these are written under their own names."""
    reviewed = skeleton_of(contract, skeleton)
    asked = (reviewed.commit.writes or frozenset()) | (reviewed.exit.writes or frozenset())
    return frozenset(bind(key, entity) for key in asked)
