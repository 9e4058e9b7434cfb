"""What the audit is measured against, each as a process of its own."""

from __future__ import annotations

import gc
import resource
import sys

import msgspec

from dart_core import fold
from dart_tools import wire
from dart_tools.codec import decode_event, decode_header


def decoded(path: str) -> int:
    """Decode the lines into the codec's classes with its library, and nothing else."""
    gc.disable()
    decode = msgspec.json.Decoder(wire.Event).decode
    count = 0
    with open(path, "rb") as lines:  # noqa: PTH123 (the fastest loop over lines)
        next(lines)
        for line in lines:
            decode(line)
            count += 1
    return count


def folded(path: str) -> int:
    """Fold the events by the definition; yields the bytes that this added to the process."""
    with open(path, "rb") as lines:  # noqa: PTH123 (the same loop)
        header = decode_header(next(lines))
        events = [decode_event(line) for line in lines]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    state = fold(header.contract, events)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    del state
    return (after - before) * 1024


if __name__ == "__main__":
    print({"decoded": decoded, "folded": folded}[sys.argv[1]](sys.argv[2]))
