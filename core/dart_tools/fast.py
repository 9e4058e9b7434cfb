"""
The fast way from lines to the monitor, for lines that are in order.

It takes a block of lines at once, and checks by counts what the codec checks line by line.
The counts can err on one side only: what is in doubt is left to the codec, which finds the fault
or finds none.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec import UNSET

from dart_core import Refusal, Rerun, Restore
from dart_core.monitor import Monitor
from dart_tools import wire
from dart_tools.codec import event_from_wire

__all__ = ["DOUBT", "decode_block", "feed", "names_in"]

Due = Callable[[Restore | Rerun], None]

_decode_lines = msgspec.json.Decoder(wire.Event).decode_lines

# A name may be followed by space before its colon; then it is not counted.
APART = (b" :", b"\t:", b"\r:")

# `event`, `instance` and the three parts of that.
NAMES = 5

# Less than any count of names.
DOUBT = -(2**62)


def decode_block(block: bytes) -> list[wire.Event] | None:
    """
    The events of the block's lines, one a line; None where that is in doubt.

    A newline between `}` and `{` stands between two values, so where all newlines do, each line
    holds a value at least, and one exactly where there are as many values as lines.
    """
    lines = block.count(b"\n") + (not block.endswith(b"\n"))
    if block.count(b"}\n{") != lines - 1 or any(apart in block for apart in APART):
        return None
    try:
        events: list[wire.Event] = _decode_lines(block)
    except (msgspec.DecodeError, RecursionError):
        return None
    return events if len(events) == lines else None


def names_in(block: bytes) -> int:
    """
    No less than the number of names in the block's objects.

    Where as many different names have been decoded, none was given twice.
    """
    return block.count(b'":')


def feed(monitor: Monitor, events: list[wire.Event], due: Due) -> tuple[Refusal | None, int]:
    """
    Let the monitor observe the events; `due` is called before each recovery.

    Yields the refusal that stopped it, if one did, and how many different names were decoded,
    or no more than DOUBT where a list repeats a value.
    """
    names = 0
    for event in events:
        if isinstance(event, wire.Act):
            refusal, count = _act(monitor, event)
        elif isinstance(event, wire.Checkpoint):
            refusal, count = _save(monitor, event)
        elif isinstance(event, wire.Commit | wire.Exit | wire.Enter):
            refusal, count = _step(monitor, event)
        else:
            refusal, count = _seldom(monitor, event, due)
        if refusal is not None:
            return refusal, names
        names += count
    return None, names


def _act(monitor: Monitor, event: wire.Act) -> tuple[Refusal | None, int]:
    name = None if event.id is UNSET else event.id
    state = None if event.state is UNSET else event.state
    reads = None if event.reads is UNSET else event.reads
    writes = () if event.writes is UNSET else event.writes
    effects = () if event.effects is UNSET else event.effects
    names = NAMES + (name is not None) + (event.tool is not UNSET) + (state is not None)
    names += (reads is not None) + (event.writes is not UNSET) + (event.effects is not UNSET)
    for values in (reads or (), writes, effects):
        if len(values) > 1 and len(set(values)) < len(values):
            names += DOUBT
    return monitor.act(event.instance, name, state, reads, writes, effects), names


def _save(monitor: Monitor, event: wire.Checkpoint) -> tuple[Refusal | None, int]:
    tag = event.instance
    names = 3 + (tag.skeleton is not None) + (tag.entity is not None) + (tag.ordinal is not None)
    names += (event.scope is not UNSET) + (event.stable is not UNSET)
    if event.truth is not UNSET:
        names += 4
    task, stable = event.scope == "task", event.stable is not False
    return monitor.save(event.id, tag, task=task, stable=stable), names


def _step(
    monitor: Monitor, event: wire.Commit | wire.Exit | wire.Enter
) -> tuple[Refusal | None, int]:
    state = None if event.state is UNSET else event.state
    names = NAMES + (state is not None)
    if isinstance(event, wire.Commit):
        return monitor.commit(event.instance, state), names
    if isinstance(event, wire.Enter):
        return monitor.enter(event.instance, state), names
    return monitor.exit(event.instance, state), names


def _seldom(monitor: Monitor, event: wire.Event, due: Due) -> tuple[Refusal | None, int]:
    known = event_from_wire(event)
    if isinstance(known, Restore | Rerun) and monitor.failures:
        due(known)
    return monitor.observe(known), _names(msgspec.to_builtins(event))


def _names(value: object) -> int:
    """The number of names in the value; a part that is null is taken to have none."""
    if not isinstance(value, dict):
        return 0
    return sum(part is not None and 1 + _names(part) for part in value.values())
