"""The chain of hashes through a store's records, and the mark of how far it was acknowledged."""

from __future__ import annotations

from hashlib import sha256

from dart_runtime.ledger import Record

__all__ = ["link", "mark", "read_mark"]


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
    return f"{number:020d} {chain.hex()}\n".encode()


def read_mark(text: bytes) -> tuple[int, bytes]:
    """How many records were acknowledged, and the chain there; ValueError where it is no mark."""
    number, chain = text.split()
    return int(number), bytes.fromhex(chain.decode())
