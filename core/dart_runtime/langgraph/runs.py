"""A node where it stands, one run of it, and how a run stops."""

from __future__ import annotations

from attrs import define, field, frozen

from dart_core import Act, InstanceId
from dart_runtime.langgraph.book import Execution, Place
from dart_runtime.langgraph.declare import Node, Shape

__all__ = ["Run", "Site", "Stop"]


@frozen(kw_only=True)
class Site:
    """A node where it stands: its name and declaration, the shape of its graph, what it opens."""

    name: str
    node: Node
    shape: Shape
    opens: bool

    @property
    def skeleton(self) -> str:
        """The kind of subtask that the node is part of."""
        return self.node.skeleton or self.name


@define(kw_only=True)
class Run:
    """
    One run of a node under way.

    `reads` are the keys of what it received; `announced` is its own act, where it has effects.
    `raised` is an act within it that raised, and what.
    """

    site: Site
    place: Place
    execution: Execution
    reads: frozenset[str]
    announced: Act | None = None
    raised: tuple[str, BaseException] | None = None
    answered: set[str] = field(factory=set)


@frozen(kw_only=True)
class Stop:
    """
    What is to be recorded of a node that raised: its act, if it made one, and a failure.

    The failure is `owner`'s, which need not be the instance that noticed it.
    """

    act: Act | None
    owner: InstanceId
    suspect: str | None
