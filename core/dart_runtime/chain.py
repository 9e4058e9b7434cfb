"""The chain of hashes through a store's records, and the mark of how far it was acknowledged."""

from __future__ import annotations

from hashlib import sha256

from dart_runtime.ledger import Record

__all__ = ["link", "mark", "read_mark"]

MARK = 86  # bytes: 20 digits, a space, 64 digits, a newline


def link(before: bytes, record: Record, data: bytes | None) -> bytes:
    """The chain with the record, and what is stored beside it, at its end."""
    parts = (
        record.number.to_bytes(8, "big"),
        record.kind.value.encode(),
        record.subject.encode(),
        record.line,
        b"" if data is None else b"\1" + data,
    )
    return sha256(before + b"".join(sha256(part).digest() for part in parts)).digest()


def mark(number: int, chain: bytes) -> bytes:
    """The mark as it is written: always of the same length, so that it is overwritten whole."""
    return f"{number:020d} {chain.hex():>64}\n".encode()


def read_mark(text: bytes) -> tuple[int, bytes]:
    """How many records were acknowledged, and the chain there; ValueError where it is no mark."""
    # Two processes that open a new store may both write the first one.
    if len(text) < MARK:
        message = f"it has {len(text)} bytes"
        raise ValueError(message)
    return int(text[:20]), bytes.fromhex(text[21:85].decode())
