"""Errors of the tools: what is wrong with an input, and where."""

from __future__ import annotations

from attrs import frozen

__all__ = ["DartError", "TraceError"]


class DartError(Exception):
    """The root of all errors that this project raises; its text is one line for a person."""


@frozen(str=False, eq=False)
class TraceError(DartError):
    """A trace that is not one: the file, the line (from 1; 0 is the whole file) and the cause."""

    path: str
    line: int
    cause: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.cause}"
