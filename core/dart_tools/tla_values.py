"""
TLA+ values as TLC prints them, to Python values.

A record or function becomes a FrozenMap, a sequence a tuple, a set a frozenset, a string a str,
a number an int, TRUE and FALSE a bool, and the model value Null None.
TLC prints the empty function as the empty sequence: it becomes the empty tuple.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from attrs import define, frozen

from dart_core import FrozenMap
from dart_tools.errors import DartError

__all__ = ["TlaValue", "ValueSyntaxError", "parse_state", "parse_value", "read_value"]

TlaValue = object

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<number>-?\d+)
      | (?P<mark><<|>>|\|->|:>|@@|[\[\]{}(),])
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    )""",
    re.VERBOSE,
)
_NAMES: dict[str, bool | None] = {"TRUE": True, "FALSE": False, "Null": None}
_VARIABLE = re.compile(r"^/\\ (\w+) = ", re.MULTILINE)


@frozen(str=False, eq=False)
class ValueSyntaxError(DartError):
    """A text that is no TLA+ value; `place` counts characters."""

    text: str
    place: int

    def __str__(self) -> str:
        return f"not a TLA+ value at character {self.place}: {self.text[self.place :][:40]!r}"


@define
class _Reader:
    text: str
    place: int = 0

    def next(self) -> tuple[str, str]:
        found = _TOKEN.match(self.text, self.place)
        if found is None or found.lastgroup is None:
            raise ValueSyntaxError(self.text, self.place)
        self.place = found.end()
        return found.lastgroup, found.group(found.lastgroup)

    def skip(self, mark: str) -> bool:
        found = _TOKEN.match(self.text, self.place)
        if found is None or found.group("mark") != mark:
            return False
        self.place = found.end()
        return True

    def demand(self, mark: str) -> None:
        if not self.skip(mark):
            raise ValueSyntaxError(self.text, self.place)

    def items(self, end: str, item: Callable[[], TlaValue]) -> list[TlaValue]:
        found: list[TlaValue] = []
        while not self.skip(end):
            if found:
                self.demand(",")
            found.append(item())
        return found

    def field(self) -> tuple[str, TlaValue]:
        kind, name = self.next()
        if kind != "name":
            raise ValueSyntaxError(self.text, self.place)
        self.demand("|->")
        return name, self.value()

    def function(self) -> FrozenMap[TlaValue, TlaValue]:
        pairs = []
        while True:
            key = self.value()
            self.demand(":>")
            pairs.append((key, self.value()))
            if self.skip(")"):
                return FrozenMap(pairs)
            self.demand("@@")

    def value(self) -> TlaValue:
        kind, text = self.next()
        if kind == "string":
            return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        if kind == "number":
            return int(text)
        if kind == "name" and text in _NAMES:
            return _NAMES[text]
        match text:
            case "<<":
                return tuple(self.items(">>", self.value))
            case "{":
                return frozenset(self.items("}", self.value))
            case "[":
                return FrozenMap(self.items("]", self.field))  # type: ignore[arg-type]
            case "(":
                return self.function()
            case _:
                raise ValueSyntaxError(self.text, self.place)


def read_value(text: str, place: int = 0) -> tuple[TlaValue, int]:
    """The value that begins at the place, and the place after it."""
    reader = _Reader(text, place)
    return reader.value(), reader.place


def parse_value(text: str) -> TlaValue:
    """The value that the text denotes; raises ValueSyntaxError where it denotes none."""
    found, place = read_value(text)
    if text[place:].strip():
        raise ValueSyntaxError(text, place)
    return found


def parse_state(text: str) -> dict[str, TlaValue]:
    r"""The values of the variables in a state that is printed as lines `/\ name = value`."""
    parts = _VARIABLE.split(text)
    return {name: parse_value(value) for name, value in zip(parts[1::2], parts[2::2], strict=True)}
