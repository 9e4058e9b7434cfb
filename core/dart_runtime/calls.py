"""Tools: functions of what they are given, and of nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from attrs import frozen

from dart_core import Version

__all__ = ["Call", "Reply", "Stored", "Tool", "by_name"]


@frozen
class Stored:
    """A value under a key, with the version that it is."""

    version: Version | None
    value: Any


@frozen(kw_only=True)
class Call:
    """What a tool is given: its arguments, what its instance remembers, and what it reads."""

    entity: str
    args: Mapping[str, str]
    memory: Mapping[str, Any]
    reads: Mapping[str, Stored]
    session: Version

    def read(self, key: str) -> Any:  # noqa: ANN401
        """The value under the key."""
        return self.reads[key].value

    def version(self, key: str) -> Version | None:
        """The version under the key; None of a value from outside."""
        return self.reads[key].version


@frozen(kw_only=True)
class Reply:
    """What a tool yields: what to remember, what to write, and what it did to the world."""

    memory: Mapping[str, Any] = {}
    writes: Mapping[str, Any] = {}
    effects: Mapping[str, Any] = {}


class Tool(Protocol):
    """A named function of a call."""

    __name__: str

    def __call__(self, call: Call, /) -> Reply:
        """What the tool yields."""


def by_name(*tools: Tool) -> Mapping[str, Tool]:
    """The tools by the names of their functions."""
    return {tool.__name__: tool for tool in tools}
