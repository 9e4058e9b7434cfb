"""The checker of decisions: it confirms what is so, refuses what is altered, shares nothing."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from enum import Enum
from inspect import getsource
from types import ModuleType
from typing import Any

import attrs
import pytest

import dart_core
from dart_core import (
    Boundary,
    Contract,
    Decision,
    EffectClass,
    Enter,
    Event,
    Fail,
    FrozenMap,
    InstanceId,
    Reason,
    Skeleton,
    Tag,
    Target,
    decide,
)
from dart_core import tape as reader
from dart_core import verify as checker
from dart_core.tape import Tape
from dart_core.verify import due, objections, verify
from monitor.histories import MAKER, USER, follow, told, walk

# Histories of which every decision is altered in every way, in each of four tests.
ALTERED = min(1000, int(os.environ.get("DART_HISTORIES", "1500")) // 4)
OWN = reader.__name__
NOBODY = InstanceId(skeleton="nobody", entity="nothing", ordinal=9)
WHERE_NONE: dict[str, Any] = {
    "reason": Reason.NOT_IDENTIFIED,
    "instance": NOBODY,
    "checkpoint": "c0",
    "key": "k",
    "written_at": 1,
    "reader": NOBODY,
    "read_at": 1,
    "owners": (NOBODY,),
    "kind": Boundary.EXIT,
    "effect": "post",
    "effect_class": EffectClass.REVERSIBLE,
    "at": 1,
}


def altered(value: Any, name: str = "") -> Iterator[Any]:  # noqa: C901
    """The value with one thing in it altered, once for each thing that can be."""
    match value:
        case bool():
            yield not value
        case int():
            yield value + 1
        case str():
            yield value + "'"
        case Enum():
            yield from (other for other in type(value) if other is not value)
            if isinstance(value, Reason):
                yield None
        case None:
            yield WHERE_NONE[name]
        case tuple():
            yield (*value, *(value or (Target(NOBODY, "c0"),))[:1])
            if value:
                yield value[1:]
            if len(value) > 1 and value[0] != value[1]:
                yield (value[1], value[0], *value[2:])
            for index, item in enumerate(value):
                for other in altered(item):
                    yield (*value[:index], other, *value[index + 1 :])
        case _:
            for part in attrs.fields(type(value)):
                for other in altered(getattr(value, part.name), part.name):
                    yield attrs.evolve(value, **{part.name: other})


def taken(seed: int) -> Iterator[tuple[Tape, list[Event], Decision]]:
    """Each decision of a history, with the events before it and a tape that has read them."""
    tape: Tape | None = None
    events: list[Event] = []
    for event, history, _ in walk(seed):
        tape = tape or Tape(history.contract)
        if history.clock > len(events):
            events.append(event)
            tape.take(event)
            decision = decide(history)
            if decision is not None:
                yield tape, events, decision


def first() -> tuple[Contract, list[Event], Decision]:
    tape, events, decision = next(one for seed in range(50) for one in taken(seed))
    return tape.contract, events, decision


def test_verify_confirms_what_either_engine_decides() -> None:
    for seed in range(600):
        tape: Tape | None = None
        clock = 0
        for event, history, monitor in walk(seed):
            tape = tape or Tape(history.contract)
            if history.clock > clock:
                tape.take(event)
                clock = history.clock
            assert objections(due(tape), decide(history)) == (), seed
            assert objections(due(tape), monitor.decide()) == (), seed


@pytest.mark.parametrize("chunk", range(4))
def test_verify_refuses_a_decision_with_any_field_altered(chunk: int) -> None:
    checked = 0
    for seed in range(chunk * ALTERED, (chunk + 1) * ALTERED):
        for tape, _, decision in taken(seed):
            found = due(tape)
            checked += 1
            for other in altered(decision):
                assert told(other) != told(decision)
                assert objections(found, other), (seed, other)
    assert checked > 2 * ALTERED


CALLED = Skeleton(tools=FrozenMap({"call": "who"}))
OF_THE_USER = FrozenMap({"who": "u"})


@pytest.mark.parametrize(
    ("fail", "candidates"),
    [
        (Fail(tag=Tag(skeleton="make"), state="unheard of"), (MAKER,)),
        (Fail(tag=Tag(entity="m"), state="unheard of"), ()),
        (Fail(tag=Tag(entity="m"), tool="call", args=OF_THE_USER), (MAKER,)),
        (Fail(tag=Tag(skeleton="make"), tool="call", args=OF_THE_USER), ()),
        (Fail(tool="call", args=OF_THE_USER), (USER,)),
    ],
)
def test_verify_counts_what_was_seen_beside_the_tag_where_the_tag_is_silent(
    fail: Fail, candidates: tuple[InstanceId, ...]
) -> None:
    contract = Contract(skeletons=FrozenMap({"make": CALLED, "use": CALLED}))
    tape = Tape(contract)
    for event, history, monitor in follow(contract, (Enter(MAKER), Enter(USER), fail)):
        tape.take(event)
        assert told(due(tape)) == told(decide(history)) == told(monitor.decide())
    found = due(tape)
    assert found is not None
    assert found.candidates == candidates


def test_verify_names_the_field_that_is_not_so() -> None:
    contract, events, decision = first()
    assert verify(contract, events, decision) == ()
    wrong = attrs.evolve(decision, replay=decision.replay + 1)
    (complaint,) = verify(contract, events, wrong)
    assert complaint == f"replay: told {decision.replay + 1}, found {decision.replay}"


def test_verify_refuses_a_decision_where_none_is_due() -> None:
    contract, _, decision = first()
    assert verify(contract, [], decision) == ("no decision is due",)
    assert objections(due(Tape(contract)), None) == ()


def test_verify_refuses_silence_where_a_decision_is_due() -> None:
    contract, events, _ = first()
    tape = Tape(contract)
    for event in events:
        tape.take(event)
    assert objections(due(tape), None) == ("a decision is due",)


def _imports(source: str) -> list[tuple[str, str]]:
    return [
        (node.module or "", name.name)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom)
        for name in node.names
        if (node.module or "").startswith("dart")
    ]


def _is_value(name: str) -> bool:
    """A class of fields or of names, with no method of its own; Event is a union of such."""
    found = getattr(dart_core, name)
    if name == "Event":
        return True
    methods = {key for key, value in vars(found).items() if callable(value)}
    own = {key for key in methods if not key.startswith("_")}
    return isinstance(found, type) and (attrs.has(found) or issubclass(found, Enum)) and not own


@pytest.mark.parametrize("module", [reader, checker], ids=["tape", "verify"])
def test_verify_imports_values_only_beside_its_own_tape(module: ModuleType) -> None:
    found = [(source, name) for source, name in _imports(getsource(module)) if source != OWN]
    assert found
    assert [(source, name) for source, name in found if "monitor" in source] == []
    assert [name for _, name in found if not _is_value(name)] == []


def test_import_test_finds_a_function_and_a_class_with_methods() -> None:
    assert _imports("from dart_core.admit import suspect") == [("dart_core.admit", "suspect")]
    assert not _is_value("suspect")
    assert not _is_value(FrozenMap.__name__)
