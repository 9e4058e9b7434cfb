"""Streaming through the monitor says what reading the whole trace and the definition say."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import dart_tools.blocks
import dart_tools.stream
from catalogue import CATALOGUE
from dart_core import Decision, Enter, Fail, InstanceId, Rerun
from dart_core.monitor import Monitor
from dart_tools.codec import Header, encode_event, encode_header, encode_trace, parse_trace
from dart_tools.errors import TraceError
from dart_tools.generate import Shape, random_trace
from dart_tools.judge import Recovery, judge_trace
from dart_tools.stream import Stream, judged
from dart_tools.workload import CONTRACT, Workload, workload_events
from malformed import MALFORMED

Told = tuple[list[str], int] | str


def whole(data: bytes, path: str) -> Told:
    """What the codec and the definition say of the trace."""
    try:
        found = judge_trace(parse_trace(data, path))
    except TraceError as error:
        return str(error)
    return [repr(one) for one in found.recoveries], found.unmatched


def streamed(path: str, *, checked: bool = False) -> Told:
    stream = Stream(path, Monitor.decide, checked)
    try:
        found: list[Recovery[Decision]] = list(judged(stream))
    except TraceError as error:
        return str(error)
    return [repr(one) for one in found], stream.unmatched


def random_traces(count: int) -> Iterator[bytes]:
    for seed in range(count):
        rng = Random(seed)  # noqa: S311 (a seed is wanted)
        contract, events = random_trace(rng, Shape(events=60, lawful=seed % 2 == 0))
        yield encode_trace(Header(name=f"seed {seed}", contract=contract), events)


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "trace.jsonl")


@pytest.mark.parametrize("size", [1, 61, 1 << 18])
@pytest.mark.parametrize("checked", [False, True])
def test_stream_judges_as_the_definition_does(
    size: int, checked: bool, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dart_tools.blocks, "SIZE", size)
    for data in [*random_traces(40), *(_trace_of(case.name) for case in CATALOGUE)]:
        Path(path).write_bytes(data)
        assert streamed(path, checked=checked) == whole(data, path)


def _trace_of(name: str) -> bytes:
    (case,) = [case for case in CATALOGUE if case.name == name]
    return encode_trace(Header(name=name, contract=case.contract), case.events)


def _broken(rng: Random, data: bytes) -> bytes:
    """The trace with one thing wrong or at least unusual in one of its lines."""
    lines = data.splitlines()
    place = rng.randrange(1, len(lines))
    line = lines[place]
    head, _, rest = line.partition(b",")
    lines[place] = rng.choice(
        [
            line[:-1] + b',"event":"rerun"}',
            line.replace(b'"instance":', b'"instance":{"skeleton":"a"},"instance":', 1),
            line.replace(b'"entity":', b'"entity":"e0","entity":', 1),
            line.replace(b'"entity":', b'"\\u0065ntity":"e0","entity":', 1),
            line.replace(b'"entity":', b'"entity" :"e0","entity":', 1),
            line.replace(b'"entity":', b'"entity"\t:', 1),
            line[:-1] + b',"more":1}',
            line + line,
            line + b"\n",
            head + b",\n" + rest,
            head + b", " + rest,
            b" " + line,
            line + b"\r",
            line[: rng.randrange(len(line))],
            line.replace(b'"s0"', b'"\\ud800"'),
            line.replace(b'"s0"', b'"\xff"'),
            line.replace(b'"s0"', b'"a \\":b"'),
            line.replace(b'"ordinal":1', b'"ordinal":null'),
            line.replace(b'"writes":[', b'"writes":["k0","k0",'),
            line.replace(b'"reads":[', b'"reads":["k0","k0",'),
            line.replace(b'"effects":[', b'"effects":["x","x",'),
            line.replace(b'"args":{', b'"args":{"who":"x","who":"y",'),
            b"",
            b"{}",
            b'{"event":"rerun"}',
            b'{"event":"restore","checkpoint":"none"}',
            b'{"event":"rerun"} {"event":\n"rerun"}',
            b"\xef\xbb\xbf" + line,
        ]
    )
    ending = rng.choice([b"\n", b"\n", b"", b"\n\n"])
    return b"\n".join(lines) + ending


@pytest.mark.parametrize("size", [97, 1 << 18])
def test_stream_finds_the_errors_that_the_codec_finds(
    size: int, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dart_tools.blocks, "SIZE", size)
    rng = Random(5)  # noqa: S311 (a seed is wanted)
    errors = 0
    for data in random_traces(30):
        for _ in range(20):
            text = _broken(rng, data)
            Path(path).write_bytes(text)
            expected = whole(text, path)
            assert streamed(path) == expected
            errors += isinstance(expected, str)
    assert errors > 200


@pytest.mark.parametrize("trace", MALFORMED, ids=lambda trace: trace.name)
def test_stream_refuses_each_malformed_trace_in_the_same_words(trace: object, path: str) -> None:
    data: bytes = trace.data  # type: ignore[attr-defined]
    Path(path).write_bytes(data)
    assert streamed(path) == whole(data, path)


def test_error_of_form_goes_before_a_refusal_that_stands_earlier(path: str) -> None:
    data = encode_header(Header(name="x", contract=CONTRACT)) + b"\n"
    data += b'{"event":"rerun"}\n' * 3 + b'{"event":"run"}\n'
    Path(path).write_bytes(data)
    found = streamed(path)
    assert found == whole(data, path)
    assert isinstance(found, str)
    assert found.startswith(f"{path}:5: ")


def test_lines_in_order_are_not_read_twice(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(1)  # noqa: S311 (a seed is wanted)
    events = list(workload_events(rng, Workload(instances=200, failures=0.2)))
    Path(path).write_bytes(encode_trace(Header(name="x", contract=CONTRACT), events))
    read: list[bytes] = []
    monkeypatch.setattr(dart_tools.stream, "decode_event", read.append)
    quick = list(judged(Stream(path, Monitor.rule)))
    assert len(quick) > 20
    assert read == []


def test_seeded_miscount_of_names_is_found(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = next(random_traces(1)).replace(b'"entity":', b'"entity":"e0","entity":', 30)
    Path(path).write_bytes(data)
    assert streamed(path) == whole(data, path)
    monkeypatch.setattr(dart_tools.stream, "is_plain", lambda *_: True)
    assert streamed(path) != whole(data, path)


def _epochs(count: int, path: str) -> None:
    with Path(path).open("wb") as file:
        file.write(encode_header(Header(name="x", contract=CONTRACT)) + b"\n")
        for _ in range(count):
            for number in range(300):
                one = InstanceId(skeleton="rank", entity=f"e{number}", ordinal=1)
                file.write(encode_event(Enter(one)) + b"\n")
            file.write(encode_event(Fail()) + b"\n" + encode_event(Rerun()) + b"\n")


def _peak(path: str) -> int:
    gc.disable()
    tracemalloc.start()
    try:
        for _ in judged(Stream(path, Monitor.rule)):
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.enable()


def test_memory_holds_the_living_part_alone(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dart_tools.blocks, "SIZE", 1 << 14)
    _epochs(4, path)
    few = _peak(path)
    _epochs(40, path)
    assert _peak(path) < 1.2 * few
