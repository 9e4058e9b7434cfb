"""A change of a domain changes the tables: nothing in them is written down in advance."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest
from attrs import evolve

from dart_core import EffectClass, Verdict
from dart_runtime.domain import Domain
from dart_runtime.evaluation.measure import measure, measure_all
from dart_runtime.evaluation.results import Results
from dart_runtime.evaluation.tables import tables
from dart_runtime.evaluation.truth import blocks
from dart_runtime.programs import ActStep
from dart_runtime.strategies import STRATEGIES

Domains = Mapping[str, Domain]


def with_row(domain: Domain, name: str, **changes: object) -> Domain:
    row = msgspec.structs.replace(domain.rows[name], **changes)
    return evolve(domain, rows={**domain.rows, name: row})


def with_effect(domain: Domain, skeleton: str, effect: str, kind: EffectClass) -> Domain:
    skeletons = domain.contract.skeletons
    changed = evolve(skeletons[skeleton], effects=skeletons[skeleton].effects.put(effect, kind))
    contract = evolve(domain.contract, skeletons=skeletons.put(skeleton, changed))
    return evolve(domain, contract=contract)


def figures(domain: Domain, row: str, strategy: str) -> tuple[bool, int, int, int]:
    found = measure(domain, row, STRATEGIES[strategy])
    return (found.success, found.replay, found.upstream_replay, found.preserved)


def differences(results: Results, changed: Domain) -> list[str]:
    """What the tables say once the changed domain is measured anew."""
    anew = list(measure_all([changed]))
    others = [one for one in results.measured if one.domain != changed.name]
    blocked = {one.row: blocks(changed, one) for one in anew if one.strategy == "dart"}
    found = evolve(results, measured=[*others, *anew], blocks={**results.blocks, **blocked})
    return [text for table in tables(found) for text in table.differences]


def test_leg_less_is_four_acts_less(domains: Domains, results: Results) -> None:
    domain = domains["navigation"]
    schedule = tuple(turn for turn in domain.rows["nav-cs"].schedule if turn != "leg[wp1]")
    changed = with_row(domain, "nav-cs", schedule=schedule)
    assert figures(domain, "nav-cs", "retry_only") == (True, 18, 14, 0)
    assert figures(changed, "nav-cs", "retry_only") == (True, 14, 10, 0)
    assert figures(changed, "nav-cs", "dart") == (True, 1, 0, 1)
    assert "Commitment-sensitive cases: navigation: replay is 14, not 18" in differences(
        results, changed
    )


def test_later_commit_is_less_replay(domains: Domains) -> None:
    domain = domains["travel"]
    program = domain.programs["itinerary"]
    steps = list(program.steps)
    price = next(i for i, step in enumerate(steps) if step.name == "price_trip")
    commit = next(i for i, step in enumerate(steps) if step.name == "commit")
    steps.insert(commit, steps.pop(price))
    moved = evolve(program, steps=tuple(steps))
    skeletons = domain.contract.skeletons
    priced = evolve(
        skeletons["itinerary"],
        commit=evolve(skeletons["itinerary"].commit, states=None),
    )
    changed = evolve(
        domain,
        programs={**domain.programs, "itinerary": moved},
        contract=evolve(domain.contract, skeletons=skeletons.put("itinerary", priced)),
    )
    assert figures(domain, "trv-cs", "dart")[1] == 2
    assert figures(changed, "trv-cs", "dart")[1] == 1


def test_edge_back_to_the_entry_is_taken(domains: Domains) -> None:
    domain = domains["schedule_form"]
    program = domain.programs["slot"]
    open_ended = evolve(program, back={**program.back, program.entry: ("*",)})
    changed = evolve(domain, programs={**domain.programs, "slot": open_ended})
    stopped = measure(domain, "sch-cs", STRATEGIES["entry_only"])
    carried_out = measure(changed, "sch-cs", STRATEGIES["entry_only"])
    assert (stopped.replay, carried_out.replay) == (0, 5)
    assert carried_out.broken == (
        "invitation/m1 quotes a slot that is gone",
        "room/m1 quotes a slot that is gone",
    )


def test_reversible_consumers_let_the_coarse_state_succeed(domains: Domains) -> None:
    changed = with_effect(domains["schedule_form"], "invite", "send", EffectClass.REVERSIBLE)
    changed = with_effect(changed, "book_room", "reserve", EffectClass.REVERSIBLE)
    assert figures(domains["schedule_form"], "sch-cs", "coarse_state")[0] is False
    assert figures(changed, "sch-cs", "coarse_state")[0] is True


def test_effect_that_may_be_repeated_is_admitted(domains: Domains, results: Results) -> None:
    changed = with_effect(domains["etl"], "transform", "release", EffectClass.IDEMPOTENT)
    assert measure(changed, "etl-announced", STRATEGIES["dart"]).verdict is Verdict.RESTORE
    told = differences(results, changed)
    assert "Safety audit: total: admitted is 36, not 35" in told
    assert "Safety audit: total: blocked checkpoints is 15, not 16" in told


def test_consumer_that_has_not_read_frees_the_entry(domains: Domains) -> None:
    domain = domains["navigation"]
    schedule = tuple(
        turn
        for turn in domain.rows["nav-entry-only-store"].schedule
        if turn != "handoff[wp2]@commit"
    )
    changed = with_row(domain, "nav-entry-only-store", schedule=schedule)
    found = measure(changed, "nav-entry-only-store", STRATEGIES["dart"])
    assert (found.verdict, found.replay, found.equivalent) == (Verdict.RESTORE, 4, True)


def test_contract_that_misses_an_effect_is_no_longer_safe(domains: Domains) -> None:
    # The controller sends for good; the contract says that it can be repeated.
    changed = with_effect(domains["schedule_form"], "slot", "announce", EffectClass.IDEMPOTENT)
    found = measure(changed, "sch-announced", STRATEGIES["dart"])
    assert found.verdict is Verdict.RESTORE
    assert sum(deed.effect == "announce" for deed in found.outcome.world) == 2


def test_act_more_is_replay_more(domains: Domains) -> None:
    domain = domains["diagnosis"]
    program = domain.programs["hypothesis"]
    place = next(i for i, step in enumerate(program.steps) if step.name == "verify")
    again = ActStep(act="verify_again", state="VERIFIED")
    steps = (*program.steps[: place + 1], again, *program.steps[place + 1 :])
    skeletons = domain.contract.skeletons
    hypothesis = skeletons["hypothesis"]
    known = evolve(hypothesis, tools=hypothesis.tools.put("verify_again", "case"))
    changed = evolve(
        domain,
        programs={**domain.programs, "hypothesis": evolve(program, steps=steps)},
        contract=evolve(domain.contract, skeletons=skeletons.put("hypothesis", known)),
        tools={**domain.tools, "verify_again": domain.tools["verify"]},
    )
    assert figures(changed, "dia-1", "dart") == (True, 3, 0, 2)
    assert figures(changed, "dia-1", "retry_only") == (True, 16, 9, 0)


@pytest.mark.parametrize("name", ["nav-cs", "nav-granularity"])
def test_no_fault_is_no_recovery(domains: Domains, name: str) -> None:
    changed = with_row(domains["navigation"], name, fault=None)
    assert figures(changed, name, "dart") == (True, 0, 0, 0)
