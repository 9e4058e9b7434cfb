"""TLC accepts what the core makes of traces, and stops where a trace is no behaviour."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

import dart_core as core
from claims_of import EVENTS, random_claim, refused_claims, valid_claims
from dart_core import Decision, Event, FrozenMap, Verdict
from dart_tools.cli import main
from dart_tools.codec import Header, Trace, encode_trace
from dart_tools.validate import Claim, Stop, claim_of, validate
from graphs_of import JOBS
from models import SPEC

pytestmark = pytest.mark.graphs

NOBODY = core.InstanceId(skeleton="nobody", entity="nobody", ordinal=2)
RANDOM = 2000


def test_valid_reference_traces_are_behaviours() -> None:
    claims = valid_claims()
    assert len(claims) > 100
    assert validate(SPEC, claims) == []


def test_random_traces_are_behaviours_and_exercise_everything() -> None:
    claims = [random_claim(seed) for seed in range(RANDOM)]
    assert {len(claim.trace.events) for claim in claims} == {EVENTS}
    decisions = [one for claim in claims for one in claim.decisions.values() if one is not None]
    assert {one.verdict for one in decisions} == set(Verdict)
    for guard in core.GUARDS:
        seen = {getattr(one.guards, guard) for made in decisions for one in made.checkpoints}
        assert seen == {True, False}, guard
    assert validate(SPEC, claims, JOBS) == []


def test_specification_refuses_the_same_events_as_the_core() -> None:
    claims, stops = zip(*refused_claims(), strict=True)
    assert len(claims) > 10
    assert validate(SPEC, claims) == list(stops)


def other_events(event: Event) -> Event:
    """An event that cannot happen, in place of this one."""
    match event:
        case core.Enter() | core.Act() | core.Commit() | core.Exit():
            return evolve(event, instance=NOBODY)
        case core.Save():
            return evolve(event, tag=core.Tag(skeleton="nobody", entity="nobody", ordinal=2))
        case _:
            return core.Restore("nowhere")


def test_a_corrupted_event_is_located_wherever_it_is() -> None:
    traces = [random_claim(1).trace, random_claim(2).trace]
    cases = [
        (trace, number)
        for trace in traces
        for number, event in enumerate(trace.events, start=1)
        if not isinstance(event, core.Fail)
    ]
    claims = []
    for trace, number in cases:
        events = list(trace.events)
        events[number - 1] = other_events(events[number - 1])
        whole = claim_of(trace)
        claims.append(Claim(evolve(trace, events=tuple(events)), whole.decisions))
    stops = validate(SPEC, claims)
    assert stops == [Stop(trace.path, number, None) for trace, number in cases]


CORRUPTED: dict[str, Callable[[Decision], Decision]] = {
    "verdict": lambda one: evolve(
        one, verdict=Verdict.RERUN if one.verdict is not Verdict.RERUN else Verdict.ESCALATE
    ),
    "reason": lambda one: evolve(one, reason=None if one.reason else core.Reason.NOT_IDENTIFIED),
    "instance": lambda one: evolve(one, instance=NOBODY),
    "candidates": lambda one: evolve(one, candidates=one.candidates[1:] or (NOBODY,)),
    "checkpoint": lambda one: evolve(one, checkpoint="nowhere"),
    "hazards": lambda one: evolve(
        one, hazards=one.hazards[1:] or (core.Performed(instance=NOBODY, effect="x", at=1),)
    ),
} | {
    guard: lambda one, guard=guard: evolve(
        one, checkpoints=(flipped(one.checkpoints[0], guard), *one.checkpoints[1:])
    )
    for guard in core.GUARDS
}


def flipped(judged: core.Judged, guard: str) -> core.Judged:
    values: Any = judged.guards
    return evolve(judged, guards=evolve(values, **{guard: not getattr(values, guard)}))


def test_a_corrupted_decision_is_located_whatever_is_wrong_with_it() -> None:
    """Each field and each guard, at each decision of some traces, the end included."""
    cases = []
    for seed in range(40):
        claim = random_claim(seed)
        for number, decision in claim.decisions.items():
            if decision is not None and decision.checkpoints:
                cases += [
                    (claim, number, name, change(decision)) for name, change in CORRUPTED.items()
                ]
    cases = cases[:600]
    assert len({name for _, _, name, _ in cases}) == len(CORRUPTED)
    wrong = [
        Claim(claim.trace, {**claim.decisions, number: decision})
        for claim, number, _, decision in cases
    ]
    stops = validate(SPEC, wrong)
    ends = [number if number <= EVENTS else None for _, number, _, _ in cases]
    assert [(one.path, one.at) for one in stops] == [
        (claim.trace.path, end) for (claim, _, _, _), end in zip(cases, ends, strict=True)
    ]
    assert all(stop.decided is not None for stop in stops)
    assert None in ends


def test_a_decision_where_none_is_due_is_located() -> None:
    seed = next(n for n in range(100) if random_claim(n).decisions[EVENTS + 1] is None)
    claim = random_claim(seed)
    some = next(
        one for n in range(100) for one in random_claim(n).decisions.values() if one is not None
    )
    wrong = Claim(claim.trace, {**claim.decisions, EVENTS + 1: some})
    (stop,) = validate(SPEC, [wrong])
    assert stop.at is None


def test_strange_names_are_kept_apart() -> None:
    names = ['a"b', "a\\b", "a%22%b", "ä", "{entity}", "(*", "*)", "\n", "", "a b", "Null"]
    skeleton = core.Skeleton(reads=frozenset(f"{name}{{entity}}" for name in names))
    contract = core.Contract(skeletons=FrozenMap((name, skeleton) for name in names))
    instances = [core.InstanceId(skeleton=n, entity=n, ordinal=1) for n in names]
    events: list[Event] = [core.Enter(one, one.skeleton) for one in instances]
    for one in instances:
        events.append(core.Act(instance=one, id=one.entity, writes=frozenset({f"x{one.entity}"})))
        events.append(core.Save(id=f"c{one.entity}", tag=core.Tag(entity=one.entity)))
    events.append(core.Fail(tag=core.Tag(entity='a"b'), args=FrozenMap({"ä": "(*"})))
    trace = Trace("strange", Header(name="strange", contract=contract), tuple(events))
    claim = claim_of(trace)
    assert len(claim.decisions) == 1
    assert validate(SPEC, [claim]) == []


def test_command_yields_its_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, broken = (tmp_path / f"{name}.jsonl" for name in ("good", "bad", "broken"))
    trace = random_claim(1).trace
    good.write_bytes(encode_trace(trace.header, trace.events))
    bad.write_bytes(encode_trace(trace.header, (trace.events[0], *trace.events[:3])))
    broken.write_text("no trace")
    spec = ("--spec", str(SPEC))
    assert main(["validate", str(good), *spec]) == 0
    assert main(["validate", str(good), str(bad), *spec]) == 1
    said = capsys.readouterr().out
    assert f"{bad}: stops at event 2 (line 3): the event is not enabled" in said
    assert "1 of 2 traces are behaviours of the specification" in said
    assert main(["validate", str(broken), str(bad), *spec]) == 2
    assert "broken.jsonl:1: " in capsys.readouterr().err
