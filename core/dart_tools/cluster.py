"""
The audit of a folder or an object store's prefix on many machines; needs the extra `cluster`.

Traces are independent, so each part of them is a task of its own.
Dask does the rest: it is pure Python, runs the same on a laptop, on a batch system and in
containers, reads no work from disk, and gives the tasks of a worker that is gone to another.
Ray would do as well, but is a large compiled package of a system of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import fsspec
from attrs import frozen
from distributed import Client, Future, as_completed

from dart_core.monitor import Monitor
from dart_tools.audit import Totals, counted
from dart_tools.errors import DartError
from dart_tools.spread import uncollected
from dart_tools.stream import Stream, judged_from

__all__ = ["Part", "audit_prefix", "parts"]

TRACES = 64


@frozen
class Part:
    """Some of the traces: what they add to the totals, and the errors that they have."""

    totals: Totals
    errors: tuple[str, ...] = ()

    def __add__(self, other: Part) -> Part:
        return Part(self.totals + other.totals, self.errors + other.errors)


def parts(url: str, traces: int = TRACES) -> Iterator[tuple[str, ...]]:
    """The traces below the address (`*.jsonl` at any depth), sorted, some to a part."""
    system, root = fsspec.url_to_fs(url)
    found = sorted(path for path in system.find(root) if path.endswith(".jsonl"))
    for start in range(0, len(found), traces):
        yield tuple(system.unstrip_protocol(path) for path in found[start : start + traces])


def audit_part(paths: tuple[str, ...]) -> Part:
    """The part's totals and errors."""
    part = Part(Totals())
    for path in paths:
        with uncollected(), fsspec.open(path, "rb") as source:
            stream = Stream(path, Monitor.rule)
            totals, error = counted(stream, judged_from(source, stream))
        part += Part(totals, () if error is None else (str(error),))
    return part


def audit_prefix(
    client: Client,
    url: str,
    *,
    traces: int = TRACES,
    done: Callable[[Future[Part]], object] = lambda _future: None,
) -> Part:
    """
    The totals and errors of all traces below the address, `traces` of them to a task.

    `done` is called with each task that has ended; errors are sorted by the traces' names.
    """
    tasks = client.map(audit_part, list(parts(url, traces)), pure=False)
    if not tasks:
        message = f"no trace (*.jsonl) in {url}"
        raise DartError(message)
    merged = Part(Totals())
    for task in as_completed(tasks):
        merged += task.result()
        done(task)
    return Part(merged.totals, tuple(sorted(merged.errors)))
