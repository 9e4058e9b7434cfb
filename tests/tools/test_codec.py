"""The codec: what is written is read again, and what is not a trace is refused with its place."""

from __future__ import annotations

import json
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dart_core as d
from catalogue import CATALOGUE, CONTRACT
from dart_tools import wire
from dart_tools.codec import (
    Header,
    Trace,
    contract_from_wire,
    contract_to_wire,
    decode_event,
    decode_header,
    encode_decision,
    encode_event,
    encode_header,
    encode_trace,
    parse_trace,
    read_trace,
)
from dart_tools.errors import TraceError
from dart_tools.generate import Shape, random_trace
from dart_tools.judge import judge_trace, recoveries


@pytest.mark.parametrize("case", CATALOGUE, ids=lambda case: case.name)
def test_trace_is_read_as_it_was_written(case: object) -> None:
    header = Header(name="x", contract=case.contract, notes="n", source="s")  # type: ignore[attr-defined]
    events = case.events  # type: ignore[attr-defined]
    data = encode_trace(header, events)
    assert parse_trace(data, "p") == Trace("p", header, events)
    assert parse_trace(data.removesuffix(b"\n"), "p").events == events


@pytest.mark.parametrize("seed", range(50))
def test_random_trace_is_read_as_it_was_written(seed: int) -> None:
    contract, events = random_trace(Random(seed), Shape(lawful=seed % 2 == 0))  # noqa: S311
    header = Header(name="x", contract=contract)
    data = encode_trace(header, events)
    again = parse_trace(data, "p")
    assert again == Trace("p", header, events)
    assert encode_trace(again.header, again.events) == data


def test_contract_goes_through_the_wire() -> None:
    assert contract_from_wire(contract_to_wire(CONTRACT)) == CONTRACT
    assert contract_to_wire(d.Contract()) == wire.Contract({})


def test_canonical_leaves_out_what_is_default() -> None:
    assert encode_event(d.Fail()) == b'{"event":"fail"}'
    assert encode_header(Header(name="x", contract=d.Contract())) == (
        b'{"dart_trace":1,"name":"x","contract":{"skeletons":{}}}'
    )
    tag = d.Tag(entity="m")
    assert encode_event(d.Save(id="c", tag=tag)) == (
        b'{"event":"checkpoint","id":"c","instance":{"entity":"m"}}'
    )


def test_null_and_missing_parts_of_a_tag_are_one() -> None:
    line = b'{"event":"fail","instance":{"skeleton":null,"ordinal":2}}'
    assert decode_event(line) == d.Fail(tag=d.Tag(ordinal=2))


def test_reads_absent_and_reads_empty_are_two() -> None:
    instance = b'{"skeleton":"a","entity":"x","ordinal":1}'
    absent = decode_event(b'{"event":"act","instance":' + instance + b"}")
    empty = decode_event(b'{"event":"act","reads":[],"instance":' + instance + b"}")
    assert isinstance(absent, d.Act)
    assert isinstance(empty, d.Act)
    assert absent.reads is None
    assert empty.reads == frozenset()


def test_white_space_that_json_allows_is_allowed() -> None:
    assert decode_event(b' { "event" : "rerun" } \r') == d.Rerun()


def test_predicate_without_parts_asks_for_nothing() -> None:
    line = (
        b'{"dart_trace":1,"name":"x","contract":{"skeletons":{"a":{"commit":{},'
        b'"exit":{"states":[],"writes":["{entity}.k"]},"rollback_to":[]}}}}'
    )
    found = decode_header(line).contract.skeletons["a"]
    assert found.commit == d.Predicate()
    assert found.exit == d.Predicate(frozenset(), frozenset({"{entity}.k"}))
    assert found.rollback_to == frozenset()


def test_read_trace_names_a_file_that_cannot_be_read(tmp_path: object) -> None:
    with pytest.raises(TraceError, match=r"never\.jsonl: cannot be read: "):
        read_trace(f"{tmp_path}/never.jsonl")
    with pytest.raises(TraceError, match="cannot be read"):
        read_trace(str(tmp_path))


def test_decision_has_the_fields_of_the_format_in_its_order() -> None:
    case = next(case for case in CATALOGUE if case.name == "guards/no-committed-conflict")
    trace = Trace("p", Header(name="x", contract=case.contract), case.events)
    ((_, decision, _),) = recoveries(trace)
    fields = json.loads(encode_decision("p", decision))
    assert list(fields) == [
        "trace", "failure", "verdict", "reason", "instance", "candidates", "checkpoint", "restore",
        "replay", "upstream_replay", "preserved", "checkpoints", "hazards", "compensations",
    ]  # fmt: skip
    (checkpoint,) = fields["checkpoints"]
    assert list(checkpoint) == ["id", "kind", "guards", "witnesses"]
    assert list(checkpoint["guards"]) == list(d.GUARDS)
    assert checkpoint["witnesses"] == [
        {
            "guard": "no_committed_conflict",
            "key": "m.part",
            "written_at": 3,
            "reader": {"skeleton": "use", "entity": "u", "ordinal": 1},
            "read_at": 6,
        }
    ]


# Malformed input: a valid trace with some of its bytes or fields changed is either read or
# refused with file and line; there is no third way.

SOURCES = [
    encode_trace(Header(name=case.name, contract=case.contract), case.events) for case in CATALOGUE
]


def read_or_refused(data: bytes) -> None:
    try:
        judge_trace(parse_trace(data, "p"))
    except TraceError as error:
        lines = data.removesuffix(b"\n").count(b"\n") + 1
        assert 1 <= error.line <= lines
        assert str(error).startswith(f"p:{error.line}: ")


@settings(max_examples=2000, deadline=None)
@given(st.data())
def test_changed_bytes_are_read_or_refused(data: st.DataObject) -> None:
    found = bytearray(data.draw(st.sampled_from(SOURCES)))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(found) - 1))
        change = data.draw(st.sampled_from(["flip", "drop", "add", "cut"]))
        if change == "flip":
            found[place] = data.draw(st.integers(0, 255))
        elif change == "drop" and len(found) > 1:
            del found[place]
        elif change == "add":
            found[place:place] = data.draw(st.binary(max_size=3))
        elif change == "cut" and place:
            del found[place:]
    read_or_refused(bytes(found))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


def places(value: object) -> list[tuple[object, object]]:
    """Every container in the value with one of its keys."""
    if isinstance(value, dict):
        own: list[tuple[object, object]] = [(value, key) for key in value]
        return own + [place for inner in value.values() for place in places(inner)]
    if isinstance(value, list):
        own = [(value, index) for index in range(len(value))]
        return own + [place for inner in value for place in places(inner)]
    return []


@settings(max_examples=2000, deadline=None)
@given(st.data())
def test_changed_fields_are_read_or_refused(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(SOURCES))
    lines = [json.loads(line) for line in source.splitlines()]
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(places(lines)))
        change = data.draw(st.sampled_from(["put", "drop", "rename", "other"]))
        if change == "put":
            container[key] = data.draw(JSON)  # type: ignore[index]
        elif change == "drop":
            del container[key]  # type: ignore[attr-defined]
        elif change == "rename" and isinstance(container, dict):
            container[data.draw(st.text(max_size=5))] = container.pop(key)
        else:
            other, name = data.draw(st.sampled_from(places(lines)))
            container[key] = json.loads(json.dumps(other[name]))  # type: ignore[index]
        if not places(lines):
            return
    read_or_refused(b"".join(json.dumps(line).encode() + b"\n" for line in lines))


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    read_or_refused(data)


@pytest.mark.parametrize(
    "text", [r"\ud800", r"\udfff", r"\ud800\ud800", r"a\ud83dz", r"\ude00\ud83d"]
)
def test_lone_surrogates_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="JSON"):
        decode_event(b'{"event":"restore","checkpoint":"' + text.encode() + b'"}')


def test_decoded_values_never_hold_a_lone_surrogate() -> None:
    event = decode_event(rb'{"event":"restore","checkpoint":"\ud83d\ude00"}')
    assert event == d.Restore("\N{GRINNING FACE}")
    assert msgspec.json.decode(encode_event(event))["checkpoint"] == "\N{GRINNING FACE}"
