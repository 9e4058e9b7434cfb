"""Whole lines from a file or a pipe, many at a time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from io import FileIO
from threading import Event
from typing import Protocol

from dart_tools.errors import TraceError

__all__ = ["STDIN", "Source", "blocks", "opened"]

STDIN = "-"


class Source(Protocol):
    """What bytes can be read from."""

    def read(self, size: int, /) -> bytes | None:
        """Some bytes, at most `size`; none at the end."""

    def seekable(self) -> bool:
        """Whether it is a file, and no pipe."""


SIZE = 1 << 16
PAUSE = 0.2


def opened(path: str) -> AbstractContextManager[FileIO]:
    """The file, or standard input for `-`, unbuffered; TraceError where it cannot be read."""
    if path == STDIN:
        return nullcontext(FileIO(sys.stdin.fileno(), closefd=False))
    try:
        return FileIO(path)
    except OSError as error:
        raise TraceError(path, 0, f"cannot be read: {error.strerror}") from None


def _read(path: str, source: Source) -> bytes:
    try:
        return source.read(SIZE) or b""
    except OSError as error:
        raise TraceError(path, 0, f"cannot be read: {error.strerror}") from None


def blocks(path: str, source: Source, *, follow: Event | None = None) -> Iterator[bytes]:
    """
    The lines of the source, in blocks that end with a newline, all but the last.

    `follow` waits at the end of a file for what is added to it, until that is set.
    """
    parts: list[bytes] = []
    while True:
        data = _read(path, source)
        if not data:
            if follow is None or not source.seekable() or follow.wait(PAUSE):
                break
            continue
        head, newline, tail = data.rpartition(b"\n")
        if newline:
            yield b"".join((*parts, head, newline))
            parts = [tail] if tail else []
        else:
            parts.append(tail)
    if parts:
        yield b"".join(parts)
