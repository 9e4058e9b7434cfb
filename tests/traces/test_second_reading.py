"""The core agrees with a second reading of the format, on every field of every decision."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import msgspec
import pytest

import second_reading
from dart_tools.codec import Header, encode_decision, encode_trace, parse_trace
from dart_tools.generate import Shape, random_trace
from dart_tools.judge import recoveries
from malformed import MALFORMED, Malformed
from regenerate import ROOT


def decided(data: bytes) -> list[dict[str, Any]]:
    found = [
        msgspec.json.decode(encode_decision("p", decision))
        for _, decision, _ in recoveries(parse_trace(data, "p"))
    ]
    for decision in found:
        for checkpoint in decision["checkpoints"]:
            del checkpoint["witnesses"]
    return found


@pytest.mark.parametrize("lawful", [True, False], ids=["lawful", "unlawful"])
def test_decisions_agree_on_random_traces(lawful: bool) -> None:
    count = Counter[str]()
    shapes = (Shape(lawful=lawful), Shape(lawful=lawful, entities=1, skeletons=2, keys=2))
    for seed in range(1000):
        contract, events = random_trace(Random(seed), shapes[seed % 2])  # noqa: S311
        data = encode_trace(Header(name="x", contract=contract), events)
        found = decided(data)
        assert second_reading.judge("p", data) == found, seed
        count.update(decision["verdict"] for decision in found)
    print(count)
    assert min(count[verdict] for verdict in ("restore", "rerun", "escalate")) >= 50


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("v1/**/*.jsonl")), ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_decisions_agree_on_the_reference_traces(path: Any) -> None:
    if path.parent.name == "invalid":
        with pytest.raises(second_reading.BadTraceError):
            second_reading.judge("p", path.read_bytes())
    else:
        assert second_reading.judge("p", path.read_bytes()) == decided(path.read_bytes())


@pytest.mark.parametrize("bad", MALFORMED, ids=lambda bad: bad.name)
def test_malformed_rejects_at_the_same_line(bad: Malformed) -> None:
    with pytest.raises(second_reading.BadTraceError) as caught:
        second_reading.judge("p", bad.data)
    assert caught.value.line == bad.line
