"""
Trace format 1: JSON Lines to the core's values and back.

Decoding refuses whatever the format does not allow and names the line; it never guesses.
Encoding is canonical: one way to write each value, fields in the order of the format, no spaces.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import msgspec
from attrs import frozen
from msgspec import UNSET, UnsetType

import dart_core as core
from dart_core import FrozenMap
from dart_tools import wire
from dart_tools.errors import TraceError

__all__ = [
    "Header",
    "MalformedError",
    "Trace",
    "contract_from_wire",
    "contract_to_wire",
    "decision_to_wire",
    "decode_event",
    "decode_header",
    "encode_decision",
    "encode_event",
    "encode_header",
    "encode_trace",
    "event_from_wire",
    "parse_trace",
    "read_trace",
]


@frozen(kw_only=True)
class Header:
    """The first line of a trace; `expect` is None where nothing is expected."""

    name: str
    contract: core.Contract
    source: str | None = None
    notes: str | None = None
    expect: tuple[wire.Expectation, ...] | None = None


@frozen
class Trace:
    """A whole trace that has been read; `path` is its identity."""

    path: str
    header: Header
    events: tuple[core.Event, ...]


_decode_any_header = msgspec.json.Decoder(wire.AnyHeader)
_decode_header = msgspec.json.Decoder(wire.Header)
_decode_event = msgspec.json.Decoder(wire.Event)
_encode = msgspec.json.Encoder().encode


class MalformedError(ValueError):
    """A line that the format does not allow; its text is the cause."""


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(pairs)
    if len(names) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                message = f"the name {name!r} is given twice in one object"
                raise MalformedError(message)
            seen.add(name)
    return names


def _no_constant(name: str) -> NoReturn:
    message = f"{name} is not JSON"
    raise MalformedError(message)


def _decoded(line: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:  # noqa: ANN401
    if not line.strip():
        message = "the line is empty"
        raise MalformedError(message)
    try:
        value = decoder.decode(line)
        json.loads(line, object_pairs_hook=_unique_names, parse_constant=_no_constant)
    except msgspec.ValidationError as error:
        raise MalformedError(str(error)) from None
    except RecursionError:
        message = "the line is nested too deeply"
        raise MalformedError(message) from None
    except (msgspec.DecodeError, json.JSONDecodeError, UnicodeDecodeError) as error:
        message = f"the line is not JSON: {error}"
        raise MalformedError(message) from None
    return value


def _distinct(values: tuple[str, ...] | UnsetType, name: str) -> frozenset[str]:
    if values is UNSET:
        return frozenset()
    found = frozenset(values)
    if len(found) < len(values):
        twice = next(value for value in values if values.count(value) > 1)
        message = f"{name} lists {twice!r} twice"
        raise MalformedError(message)
    return found


def _optional(value: Any) -> Any:  # noqa: ANN401
    return None if value is UNSET else value


def _instance(value: wire.Instance) -> core.InstanceId:
    return core.InstanceId(skeleton=value.skeleton, entity=value.entity, ordinal=value.ordinal)


def _tag(value: wire.Tag | UnsetType) -> core.Tag:
    if value is UNSET:
        return core.Tag()
    return core.Tag(skeleton=value.skeleton, entity=value.entity, ordinal=value.ordinal)


def _truth(value: wire.Instance | UnsetType) -> core.InstanceId | None:
    return None if value is UNSET else _instance(value)


def _predicate(value: wire.Predicate | UnsetType) -> core.Predicate:
    if value is UNSET:
        return core.Predicate()
    return core.Predicate(
        None if value.states is UNSET else frozenset(value.states),
        None if value.writes is UNSET else frozenset(value.writes),
    )


def _skeleton(value: wire.Skeleton) -> core.Skeleton:
    default = core.Skeleton()
    return core.Skeleton(
        reads=frozenset(value.reads),
        writes=frozenset(value.writes),
        states=frozenset(value.states),
        tools=FrozenMap(value.tools),
        commit=_predicate(value.commit),
        exit=_predicate(value.exit),
        rollback_to=default.rollback_to
        if value.rollback_to is UNSET
        else frozenset(core.Boundary(kind) for kind in frozenset(value.rollback_to)),
        effects=FrozenMap((name, core.EffectClass(kind)) for name, kind in value.effects.items()),
    )


def contract_from_wire(value: wire.Contract) -> core.Contract:
    """The contract as the core knows it."""
    return core.Contract(
        skeletons=FrozenMap(
            (name, _skeleton(skeleton)) for name, skeleton in value.skeletons.items()
        ),
        compensate=value.compensate,
        fallback=core.Fallback(value.fallback),
        external=None if value.external is UNSET else frozenset(value.external),
    )


def decode_header(line: bytes) -> Header:
    """The header that the line is; ValueError with the cause where it is none."""
    if not line.strip():
        message = "the header is missing: line 1 is empty"
        raise MalformedError(message)
    try:
        value: wire.Header = _decoded(line, _decode_header)
    except MalformedError:
        _check_version(line)
        raise
    return Header(
        name=value.name,
        contract=contract_from_wire(value.contract),
        source=_optional(value.source),
        notes=_optional(value.notes),
        expect=_optional(value.expect),
    )


def _check_version(line: bytes) -> None:
    """Of what is wrong with a header, the version comes before all that depends on it."""
    version = _decoded(line, _decode_any_header).dart_trace
    if version is UNSET:
        message = "the header is missing: line 1 has no field `dart_trace`"
        raise MalformedError(message)
    if version != 1 or isinstance(version, bool) or not isinstance(version, int):
        message = f"trace format {version!r} is not known; this reader knows format 1"
        raise MalformedError(message)


def decode_event(line: bytes) -> core.Event:
    """The event that the line is; ValueError with the cause where it is none."""
    return event_from_wire(_decoded(line, _decode_event))


def event_from_wire(value: wire.Event) -> core.Event:
    """The event as the core knows it; a list that repeats a value raises ValueError."""
    match value:
        case wire.Enter():
            return core.Enter(_instance(value.instance), _optional(value.state))
        case wire.Act():
            return core.Act(
                instance=_instance(value.instance),
                id=_optional(value.id),
                tool=_optional(value.tool),
                state=_optional(value.state),
                reads=None if value.reads is UNSET else _distinct(value.reads, "reads"),
                writes=_distinct(value.writes, "writes"),
                effects=_distinct(value.effects, "effects"),
            )
        case wire.Commit():
            return core.Commit(_instance(value.instance), _optional(value.state))
        case wire.Exit():
            return core.Exit(_instance(value.instance), _optional(value.state))
        case wire.Checkpoint():
            return core.Save(
                id=value.id,
                tag=_tag(value.instance),
                scope=core.Scope("instance" if value.scope is UNSET else value.scope),
                stable=value.stable is not False,
                truth=_truth(value.truth),
            )
        case wire.Fail():
            return core.Fail(
                tag=_tag(value.instance),
                suspect=_optional(value.suspect),
                state=_optional(value.state),
                tool=_optional(value.tool),
                args=FrozenMap() if value.args is UNSET else FrozenMap(value.args),
                truth=_truth(value.truth),
            )
        case wire.Restore():
            return core.Restore(value.checkpoint)
        case wire.Rerun():
            return core.Rerun()


def trace_lines(data: bytes) -> list[bytes]:
    """The lines of a trace; one newline at the end closes the last line and opens none."""
    return data.removesuffix(b"\n").split(b"\n")


def parse_trace(data: bytes, path: str) -> Trace:
    """The trace in `data`; TraceError with file, line and cause where it is none."""
    lines = trace_lines(data)
    number = 1
    try:
        header = decode_header(lines[0])
        events = []
        for number, line in enumerate(lines[1:], start=2):  # noqa: B007
            events.append(decode_event(line))
    except MalformedError as error:
        raise TraceError(path, number, str(error)) from None
    return Trace(path, header, tuple(events))


def read_trace(path: str) -> Trace:
    """The trace in the file; TraceError where it cannot be read or is none."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise TraceError(path, 0, f"cannot be read: {error.strerror}") from None
    return parse_trace(data, path)


def _given(**fields: Any) -> dict[str, Any]:  # noqa: ANN401
    return {name: value for name, value in fields.items() if value is not None}


def _wire_instance(value: core.InstanceId) -> wire.Instance:
    return wire.Instance(value.skeleton, value.entity, value.ordinal)


def _wire_tag(value: core.Tag) -> wire.Tag:
    return wire.Tag(value.skeleton, value.entity, value.ordinal)


def _sorted(values: Iterable[str]) -> tuple[str, ...] | None:
    return tuple(sorted(values)) or None


def _wire_predicate(value: core.Predicate) -> wire.Predicate | None:
    if value == core.Predicate():
        return None
    return wire.Predicate(
        UNSET if value.states is None else tuple(sorted(value.states)),
        UNSET if value.writes is None else tuple(sorted(value.writes)),
    )


def _wire_skeleton(value: core.Skeleton) -> wire.Skeleton:
    kinds = tuple(kind.value for kind in core.Boundary if kind in value.rollback_to)
    return wire.Skeleton(
        **_given(
            reads=_sorted(value.reads),
            writes=_sorted(value.writes),
            states=_sorted(value.states),
            tools=dict(sorted(value.tools.items())),
            commit=_wire_predicate(value.commit),
            exit=_wire_predicate(value.exit),
            rollback_to=None if value.rollback_to == core.Skeleton().rollback_to else kinds,
            effects={name: kind.value for name, kind in sorted(value.effects.items())},
        )
    )


def contract_to_wire(value: core.Contract) -> wire.Contract:
    """The contract as the format writes it, without what is default, names sorted."""
    return wire.Contract(
        skeletons={
            name: _wire_skeleton(skeleton) for name, skeleton in sorted(value.skeletons.items())
        },
        compensate=value.compensate,
        fallback=value.fallback.value,
        external=UNSET if value.external is None else tuple(sorted(value.external)),
    )


def encode_header(value: Header) -> bytes:
    """The header as one line without its newline."""
    return _encode(
        wire.Header(
            dart_trace=1,
            name=value.name,
            contract=contract_to_wire(value.contract),
            **_given(source=value.source, notes=value.notes, expect=value.expect),
        )
    )


def _wire_event(value: core.Event) -> wire.Event:
    match value:
        case core.Enter():
            return wire.Enter(_wire_instance(value.instance), **_given(state=value.state))
        case core.Act():
            reads = None if value.reads is None else tuple(sorted(value.reads))
            return wire.Act(
                _wire_instance(value.instance),
                **_given(
                    id=value.id,
                    tool=value.tool,
                    state=value.state,
                    reads=reads,
                    writes=_sorted(value.writes),
                    effects=_sorted(value.effects),
                ),
            )
        case core.Commit():
            return wire.Commit(_wire_instance(value.instance), **_given(state=value.state))
        case core.Exit():
            return wire.Exit(_wire_instance(value.instance), **_given(state=value.state))
        case core.Save():
            return wire.Checkpoint(
                value.id,
                _wire_tag(value.tag),
                scope=UNSET if value.scope is core.Scope.INSTANCE else "task",
                stable=UNSET if value.stable else False,
                truth=UNSET if value.truth is None else _wire_instance(value.truth),
            )
        case core.Fail():
            return wire.Fail(
                **_given(
                    instance=None if value.tag == core.Tag() else _wire_tag(value.tag),
                    suspect=value.suspect,
                    state=value.state,
                    tool=value.tool,
                    args=dict(sorted(value.args.items())) or None,
                    truth=None if value.truth is None else _wire_instance(value.truth),
                )
            )
        case core.Restore():
            return wire.Restore(value.checkpoint)
        case core.Rerun():
            return wire.Rerun()


def encode_event(value: core.Event) -> bytes:
    """The event as one line without its newline."""
    return _encode(_wire_event(value))


def encode_trace(header: Header, events: Iterable[core.Event]) -> bytes:
    """The whole trace, each line closed by a newline."""
    lines: Iterator[bytes] = (encode_event(event) for event in events)
    return b"".join(line + b"\n" for line in (encode_header(header), *lines))


def decision_to_wire(path: str, value: core.Decision) -> wire.Decision:
    """The decision as the format writes it: of a witness only what its guard speaks of."""
    fields: dict[str, Any] = msgspec.to_builtins(value)
    for judged in fields["checkpoints"]:
        judged["witnesses"] = [_given(**witness) for witness in judged["witnesses"]]
    # A reader looks for effects in the order in which they were had.
    fields["hazards"] = sorted(fields["hazards"], key=lambda hazard: hazard["at"])
    return msgspec.convert({"trace": path, **fields}, wire.Decision)


def encode_decision(path: str, value: core.Decision) -> bytes:
    """The decision as one line without its newline."""
    return _encode(decision_to_wire(path, value))
