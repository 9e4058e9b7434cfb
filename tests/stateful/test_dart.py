"""The procedure recovers by its decision: nothing goes wrong, and the claims hold on the way."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import seed
from hypothesis.stateful import invariant, run_state_machine_as_test

import dart_core as d
import theorems
from dart_core import Event, History, Policy, Refusal, Restore
from stateful.runtime import DEEP, Runtime, profile

REACHED = Counter[str]()


class Decided(Runtime):
    """Recovers as decided; any admissible checkpoint will do, the chosen one is among them."""

    def choose(self, history: History) -> frozenset[d.Checkpoint]:
        return d.choice(history, Policy.DART)

    def __init__(self) -> None:
        super().__init__()
        self.erased: History = self.history
        self.restores = 0

    def before_event(self, event: Event) -> None:
        super().before_event(event)
        self.swap(event)
        after = d.apply(self.erased, theorems.without_truth(event))
        assert not isinstance(after, Refusal)
        self.erased = after
        if isinstance(event, Restore):
            self.restores += 1
            REACHED[f"restore {min(self.restores, 2)}"] += 1

    def swap(self, event: Event) -> None:
        """T7: two events of different instances that do not read each other come in any order."""
        if not self.events or not independent(self.events[-1], event):
            return
        before = d.fold(self.history.contract, self.events[:-1])
        assert isinstance(before, History)
        swapped = theorems.after(before, event, self.events[-1])
        in_order = theorems.after(self.history, event)
        assert swapped == in_order
        REACHED["swapped"] += 1

    @invariant()
    def the_claims_hold(self) -> None:
        history = self.history
        if not history.failures:
            return
        theorems.soundness(history)
        theorems.window(history)
        theorems.confinement(history)
        theorems.totality(history, self.erased)
        REACHED.update(f"blocked rightly: {guard}" for guard in theorems.exactness(history))
        REACHED["commitment-sensitive"] += theorems.necessity(history)
        REACHED["instance-wide reading blocks"] += theorems.instance_wide(history)

    @invariant()
    def the_decision_is_admissible(self) -> None:
        decision = d.decide(self.history)
        chosen = None if decision is None else decision.checkpoint
        assert chosen is None or chosen in {checkpoint.id for checkpoint in self.choices}
        assert (chosen is None) == (not self.choices)


def independent(one: Event, other: Event) -> bool:
    """Whether the events are steps of two instances, and neither writes what the other touches."""
    steps = (d.Act, d.Commit, d.Exit)
    if not isinstance(one, steps) or not isinstance(other, steps):
        return False
    touches = [
        (event.writes, event.writes | (event.reads or frozenset()))
        if isinstance(event, d.Act)
        else (frozenset[str](), frozenset[str]())
        for event in (one, other)
    ]
    (writes, all_of_one), (also_writes, all_of_other) = touches
    apart = not (writes & all_of_other) and not (also_writes & all_of_one)
    return one.instance != other.instance and apart


class Retrying(Runtime):
    """Reruns the whole task after every failure."""

    def choose(self, history: History) -> frozenset[d.Checkpoint]:
        return d.choice(history, Policy.RETRY_ONLY)


class WithoutStable(Runtime):
    """Takes a snapshot that is not durable for one that is: mechanically wrong, but valid."""

    def choose(self, history: History) -> frozenset[d.Checkpoint]:
        return d.dart_without(history, "stable")


def test_the_procedure_keeps_every_claim() -> None:
    REACHED.clear()
    run_state_machine_as_test(seed(1)(Decided), settings=profile(300, 50))
    print(sorted(REACHED.items()))
    wanted = {f"blocked rightly: {guard}" for guard in d.GUARDS} - {
        "blocked rightly: stable",
        "blocked rightly: decidable",
    }
    wanted |= {"restore 1", "restore 2", "swapped"}
    wanted |= {"commitment-sensitive", "instance-wide reading blocks"}
    assert {what for what in wanted if REACHED[what] < (20 if DEEP else 2)} == set()


@pytest.mark.parametrize("machine", [Retrying, WithoutStable])
def test_a_policy_that_takes_back_no_more_than_is_admitted_stays_valid(
    machine: type[Runtime],
) -> None:
    run_state_machine_as_test(seed(1)(machine), settings=profile(40))
