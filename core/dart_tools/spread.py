"""Work on many traces, one after the other or spread over processes, in their order."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from multiprocessing import get_context
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, TypeVar

from dart_tools.blocks import STDIN
from dart_tools.errors import DartError, TraceError
from dart_tools.stream import Advance

__all__ = ["Work", "Write", "each", "uncollected"]

R = TypeVar("R")
Write = Callable[[bytes], object]
Work = Callable[[str, Write, Advance], tuple[R, TraceError | None]]

# What a trace has to say is kept until its end, from this size on in a file.
SPOOLED = 1 << 20
CHUNK = 64


def each(
    paths: list[str], work: Work[R], jobs: int, advance: Advance
) -> Iterator[tuple[R, TraceError | None, IO[bytes]]]:
    """What the work yields for each path, and the lines it wrote; none where it has an error."""
    if jobs > 1 and len(paths) > 1:
        yield from _spread(paths, work, jobs, advance)
        return
    for path in paths:
        with SpooledTemporaryFile(SPOOLED) as lines:
            with uncollected(last=path is paths[-1]):
                result, error = work(path, lines.write, advance)
            lines.seek(0)
            if error is not None:
                lines.truncate()
            yield result, error, lines


@contextmanager
def uncollected(*, last: bool = False) -> Iterator[None]:
    """
    Leave the cycle collector out, which would look through all that a monitor keeps, in vain.

    What a monitor drops is free at once; what it still has at its end is collected then, but of
    the last one, which goes with the process.
    """
    enabled = gc.isenabled()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        if last:
            gc.freeze()
        else:
            gc.collect()
        if enabled:
            gc.enable()


def _spread(
    paths: list[str], work: Work[R], jobs: int, advance: Advance
) -> Iterator[tuple[R, TraceError | None, IO[bytes]]]:
    if STDIN in paths:
        message = "standard input cannot be spread over processes"
        raise DartError(message)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        chunk = max(1, min(CHUNK, len(paths) // (4 * jobs)))
        found = pool.map(partial(_in_memory, work), paths, chunksize=chunk)
        for path, (result, error, lines, events) in zip(paths, found, strict=True):
            if error is None:
                advance(Path(path).stat().st_size, events)
            yield result, error, BytesIO(lines)


def _in_memory(work: Work[R], path: str) -> tuple[R, TraceError | None, bytes, int]:
    lines = BytesIO()
    seen = [0]

    def advance(size: int, events: int) -> None:
        del size
        seen[0] += events

    with uncollected():
        result, error = work(path, lines.write, advance)
    return result, error, b"" if error else lines.getvalue(), seen[0]
