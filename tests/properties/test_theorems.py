"""
The claims of the semantics over random legal histories with a hidden truth.

The floors at the end keep the generator honest: a claim about states that are never reached says
nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random

import pytest
from attrs import asdict

import dart_core as d
import theorems
from dart_core import History, Refusal, Rerun, Restore
from dart_tools.generate import Shape, random_event, random_trace

SEEDS = range(2500)
SHAPES = (
    Shape(events=30),
    Shape(events=45, entities=1, skeletons=2, keys=2),
    Shape(events=60, entities=1, skeletons=3, keys=3),
)


@cache
def traces(shapes: tuple[Shape, ...] = SHAPES) -> list[tuple[d.Contract, tuple[d.Event, ...]]]:
    return [random_trace(Random(seed), shapes[seed % len(shapes)]) for seed in SEEDS]  # noqa: S311


def states(contract: d.Contract, events: tuple[d.Event, ...]) -> Iterator[History]:
    history = d.initial(contract)
    for event in events:
        found = d.apply(history, event)
        assert not isinstance(found, Refusal)
        history = found
        yield history


@cache
def recoveries() -> list[History]:
    """The states in which a failure is pending, of all histories."""
    found = (history for trace in traces() for history in states(*trace))
    return [history for history in found if history.failures]


def test_t1_histories_that_recover_as_decided_stay_valid() -> None:
    """Soundness over all continuations: T1 and T10, any number of recoveries."""
    counts = Counter[str]()
    for contract, events in traces():
        restores = 0
        for history, event in zip(states(contract, events), (*events[1:], None), strict=True):
            assert d.violations(history) == frozenset()
            if isinstance(event, Restore):
                checkpoint = history.checkpoints[event.checkpoint]
                assert d.restore_violations(history, checkpoint) == frozenset()
                restores += 1
        counts["restores"] += restores
        counts["histories with two or more"] += restores > 1
    print(counts)
    assert counts["restores"] >= 500
    assert counts["histories with two or more"] >= 50


def test_t1_soundness_at_the_step() -> None:
    for history in recoveries():
        theorems.soundness(history)


def test_t2_exactness() -> None:
    shown = Counter(guard for history in recoveries() for guard in theorems.exactness(history))
    print("shown to block rightly, alone:", shown)
    # `decidable` is the premise, and `stable` a mechanical condition.
    wanted = set(d.GUARDS) - {"stable", "decidable"}
    assert {guard: shown[guard] for guard in wanted if shown[guard] < 20} == {}


def test_t3_necessity() -> None:
    sensitive = sum(theorems.necessity(history) for history in recoveries())
    print("commitment-sensitive:", sensitive)
    assert sensitive >= 100


def test_t5_window() -> None:
    for history in recoveries():
        theorems.window(history)


def test_t6_confinement() -> None:
    for history in recoveries():
        theorems.confinement(history)


def test_t7_truth_does_not_matter() -> None:
    truths = 0
    for contract, events in traces():
        erased = tuple(theorems.without_truth(event) for event in events)
        truths += sum(one != other for one, other in zip(events, erased, strict=True))
        pairs = zip(states(contract, events), states(contract, erased), strict=True)
        for history, blind in pairs:
            theorems.totality(history, blind)
    assert truths >= 1000


def independent(before: History, one: d.Event, other: d.Event) -> bool:
    """
    Whether two neighbouring events of different instances commute: neither is about the whole
    task, and neither reads or writes what the other writes.
    """
    local = (d.Enter, d.Act, d.Commit, d.Exit, d.Save)
    if not (isinstance(one, local) and isinstance(other, local)):
        return False
    if not actors(before, one).isdisjoint(actors(before, other)):
        return False
    if isinstance(one, d.Act) and isinstance(other, d.Act):
        ours, theirs = touched(before, one), touched(before, other)
        return not (one.writes & theirs or other.writes & ours)
    return True


def touched(history: History, event: d.Act) -> frozenset[str]:
    return event.writes | d.reads_of(history, event)


def actors(history: History, event: d.Event) -> frozenset[str]:
    if isinstance(event, d.Save):
        if event.scope is d.Scope.TASK or not d.is_full(event.tag):
            everybody = (f"{i.skeleton} {i.entity} {i.ordinal}" for i in history.log)
            return frozenset({*everybody, "anybody"})
        tag = event.tag
        return frozenset({f"{tag.skeleton} {tag.entity} {tag.ordinal}"})
    instance = event.instance  # type: ignore[union-attr]
    # Whoever enters or exits changes who is live, and who enters changes the next ordinal.
    name = f"{instance.skeleton} {instance.entity} {instance.ordinal}"
    whole = isinstance(event, d.Enter | d.Exit)
    return frozenset({name, "anybody"}) if whole else frozenset({name})


def shuffled(rng: Random, contract: d.Contract, events: tuple[d.Event, ...]) -> list[d.Event]:
    """The events in another order, by swaps of independent neighbours."""
    order = list(events)
    for _ in range(3):
        history = d.initial(contract)
        for place in range(len(order) - 1):
            one, other = order[place : place + 2]
            if independent(history, one, other) and rng.random() < 0.7:
                order[place : place + 2] = other, one
            found = d.apply(history, order[place])
            assert isinstance(found, History)
            history = found
    return order


def test_t7_interleaving_does_not_matter() -> None:
    moved = 0
    for seed, (contract, events) in enumerate(traces()):
        order = shuffled(Random(seed), contract, events)  # noqa: S311
        moved += sum(one is not other for one, other in zip(events, order, strict=True))
        for one, other in zip(
            states(contract, events), states(contract, tuple(order)), strict=True
        ):
            if one == other:
                assert d.decide(one) == d.decide(other)
        assert one == other
        assert hash(one) == hash(other)
    print("events in another place:", moved)
    assert moved >= 20_000


def test_t9_instance_wide_reading_blocks_what_is_admitted() -> None:
    lost = sum(theorems.instance_wide(history) for history in recoveries())
    print("admitted here, blocked by the instance-wide reading:", lost)
    assert lost >= 20


@pytest.mark.parametrize("guard", ["identified", *(g for g in d.GUARDS if g != "stable")])
def test_t4_dropping_a_guard_alone_admits_something_invalid(guard: str) -> None:
    for history in recoveries():
        if d.violations(history):
            continue
        for checkpoint in d.dart_without(history, guard) - d.dart_without(history, None):
            if d.unsafe(history, checkpoint):
                return
            restored = theorems.after(history, Restore(checkpoint.id))
            assert restored is not None
            for owner in sorted(checkpoint.owners):
                if theorems.becomes_invalid(history, checkpoint, owner):
                    return
    pytest.fail(f"without {guard} nothing invalid was admitted")


def test_generator_reaches_the_interesting_states() -> None:
    verdicts, blocked, alone = Counter[str](), Counter[str](), Counter[str]()
    for contract, events in traces():
        for history, event in zip(states(contract, events), (*events[1:], None), strict=True):
            if not isinstance(event, Restore | Rerun):
                continue
            decision = d.decide(history)
            assert decision is not None
            verdicts[decision.verdict.value] += 1
            verdicts["none" if decision.reason is None else decision.reason.value] += 1
            for one in decision.checkpoints:
                false = [name for name, value in asdict(one.guards).items() if not value]
                blocked.update(false)
                alone.update(false if len(false) == 1 else [])
    print("verdicts and reasons:", verdicts)
    print("guard was false:", blocked)
    print("guard alone was false:", alone)
    assert min(verdicts[v.value] for v in d.Verdict) >= 100
    assert min(verdicts[r.value] for r in d.Reason) >= 100
    assert min(blocked[guard] for guard in d.GUARDS) >= 50
    assert min(alone[guard] for guard in d.GUARDS) >= 15


@pytest.mark.parametrize("shape", [Shape(events=30, lawful=False)], ids=["unlawful"])
def test_decisions_need_no_lawful_past(shape: Shape) -> None:
    """What a runtime has restored wrongly is decided upon all the same."""
    for contract, events in traces((shape,)):
        for history in states(contract, events):
            if history.failures:
                theorems.window(history)
                theorems.confinement(history)


def test_generator_yields_enabled_events_alone() -> None:
    rng = Random(7)  # noqa: S311
    history = d.initial(d.Contract())
    for _ in range(200):
        event = random_event(rng, history, Shape())
        assert d.enabled(history, event) is None
        found = d.apply(history, event)
        assert isinstance(found, History)
        history = found
