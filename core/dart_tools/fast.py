"""
The fast way from lines to the monitor, for lines that are in order.

That no name is given twice is checked by counts, for many lines at once.
A count can err on one side only: what is in doubt is left to the codec, which finds the fault or
finds none.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec import UNSET

from dart_core import Refusal, Rerun, Restore
from dart_core.monitor import Monitor
from dart_tools import wire
from dart_tools.codec import event_from_wire

__all__ = ["feed", "is_plain"]

Due = Callable[[Restore | Rerun], None]

_decode = msgspec.json.Decoder(wire.Event).decode

# A name may be followed by space before its colon; then it is not counted.
APART = (b" :", b"\t:", b"\r:")

# `event`, `instance` and the three parts of that.
NAMES = 5

# Less than any count of names.
DOUBT = -(2**62)


def is_plain(block: bytes, names: int) -> bool:
    """
    Whether no name is given twice in an object of the block, if so many different were decoded.

    There are no more names than colons, nor, where none stands apart, than quotes before colons;
    so where as many different names have been decoded, there is no other.
    """
    if block.count(b":") == names:
        return True
    return block.count(b'":') == names and not any(apart in block for apart in APART)


def feed(monitor: Monitor, lines: list[bytes], due: Due) -> tuple[Refusal | None, int]:
    """
    Let the monitor observe the lines' events; `due` is called before each recovery.

    Yields the refusal that stopped it, if one did, and how many different names were decoded,
    or less than DOUBT / 2 where a list repeats a value; msgspec's errors where a line is no event.
    """
    names = 0
    decode = _decode
    for line in lines:
        event: wire.Event = decode(line)
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
