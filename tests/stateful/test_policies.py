"""Each policy that checks less goes wrong, and its machine finds a history that shows it."""

from __future__ import annotations

import pytest
from hypothesis import seed
from hypothesis.stateful import run_state_machine_as_test

from dart_core import Event
from dart_tools.codec import Header, encode_trace, parse_trace
from necessity.policies import POLICIES, first_wrong
from stateful.runtime import CONTRACT, InvalidHistoryError, Runtime, profile

# Pinned, because each finds its violation soon; any other takes a few hundred examples at most.
SEEDS = {"without_repairs": 8, "without_separable": 1}


def machine_of(policy: str) -> type[Runtime]:
    members = {"choose": lambda _, history: POLICIES[policy](history)}
    return seed(SEEDS.get(policy, 5))(type(f"Recovers_{policy}", (Runtime,), members))


def reduced(events: tuple[Event, ...], policy: str) -> tuple[Event, ...]:
    """The events without those that the history goes wrong without as well."""
    place = len(events)
    while place:
        place -= 1
        fewer = (*events[:place], *events[place + 1 :])
        found = first_wrong(CONTRACT, fewer, POLICIES[policy])
        if found is not None:
            events = fewer[: found[0]]
            place = min(place, len(events))
    return events


@pytest.mark.parametrize("policy", POLICIES)
def test_a_machine_finds_the_violation(policy: str) -> None:
    with pytest.raises(InvalidHistoryError) as caught:
        run_state_machine_as_test(machine_of(policy), settings=profile(2000))
    events = reduced(caught.value.events, policy)
    header = Header(name=policy, contract=CONTRACT, notes=str(caught.value))
    data = encode_trace(header, events)
    print(data.decode())
    read = parse_trace(data, policy)
    found = first_wrong(read.header.contract, read.events, POLICIES[policy])
    assert found is not None
    assert found[0] == len(read.events) <= len(caught.value.events)
