"""What TLC's coverage says: how often each action was taken and each expression evaluated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from attrs import frozen

from dart_tools.tlc import TlcResult

__all__ = ["Place", "actions_taken", "expressions"]

_ACTION = re.compile(r"^<(\w+) line .*?>: (\d+):(\d+)", re.MULTILINE)
_EXPRESSION = re.compile(
    r"^\s*\|*line (\d+), col (\d+) to line (\d+), col (\d+) of module (\w+): (\d+)", re.MULTILINE
)


@frozen(order=True)
class Place:
    """Where an expression begins and ends."""

    module: str
    line: int
    column: int
    end_line: int
    end_column: int


def actions_taken(results: Iterable[TlcResult]) -> Counter[str]:
    """How many states each action has led to."""
    taken: Counter[str] = Counter()
    for result in results:
        for _, text in result.messages:
            for name, _, generated in _ACTION.findall(text):
                taken[name] += int(generated)
    return taken


def expressions(results: Iterable[TlcResult]) -> Counter[Place]:
    """How often each expression was evaluated; 0 where it never was."""
    found: Counter[Place] = Counter()
    for result in results:
        for _, text in result.messages:
            for *numbers, module, count in _EXPRESSION.findall(text):
                found[Place(module, *map(int, numbers))] += int(count)
    return found
