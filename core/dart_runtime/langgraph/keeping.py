"""The book's durable form: beside each checkpoint of the record stands what the book learnt."""

from __future__ import annotations

from typing import Any

import msgspec
from attrs import asdict
from langgraph.checkpoint.serde.base import SerializerProtocol

from dart_core import Act, InstanceId, Save
from dart_runtime.langgraph.book import Book, Call, Execution, Link
from dart_runtime.observer import Observer
from dart_tools.codec import decode_event

__all__ = ["Packer", "unpack_book"]


class Packer:
    """Values as bytes and back, by the checkpointer's own serializer."""

    def __init__(self, serde: SerializerProtocol) -> None:
        self._serde = serde

    def pack(self, value: object) -> bytes:
        """The value as bytes."""
        return msgspec.msgpack.encode(self._serde.dumps_typed(value))

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
        """The arguments of a call, to be compared: as bytes, or else as they are shown."""
        try:
            return self.pack([list(args), kwargs])
        except TypeError:
            return repr((args, kwargs)).encode()

    def unpack(self, data: bytes) -> Any:
        """A new value, equal to the one that was packed."""
        kind, payload = msgspec.msgpack.decode(data, type=tuple[str, bytes])
        return self._serde.loads_typed((kind, payload))


def packed_execution(execution: Execution) -> bytes:
    """The execution as it is kept."""
    return msgspec.msgpack.encode({"execution": asdict(execution)})


def packed_link(link: Link) -> bytes:
    """The checkpoint of LangGraph's as it is kept."""
    return msgspec.msgpack.encode({"link": asdict(link)})


def unpack_book(observer: Observer) -> Book:
    """The book of a record that was begun before."""
    book = Book()
    for record in observer.store.records():
        if not record.subject:
            continue
        event = decode_event(record.line) if record.line.startswith(b'{"event"') else None
        if isinstance(event, Act):
            book.count = max(book.count, _number(record.subject))
        if isinstance(event, Save):
            _learn(book, observer.snapshot(record.subject))
    return book


def _number(act: str) -> int:
    return int(act.split(".", 1)[0].removeprefix("x"))


def _learn(book: Book, snapshot: bytes | None) -> None:
    kept = {} if snapshot is None else msgspec.msgpack.decode(snapshot)
    if "link" in kept:
        book.saved(Link(**{**kept["link"], "ran": tuple(kept["link"]["ran"])}))
    elif "execution" in kept:
        fields = kept["execution"]
        fields["instance"] = InstanceId(**fields["instance"])
        fields["calls"] = [Call(**call) for call in fields["calls"]]
        fields["wrote"] = [(channel, key) for channel, key in fields["wrote"]]
        book.kept(Execution(**fields))
