from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from attrs import evolve

from dart_core import Fallback, Verdict, aligned, decide, fixed_effects, identified
from dart_core.valid import culprit
from dart_runtime.domain import Domain
from dart_runtime.evaluation.measure import Measured, measure, readers, sensitive
from dart_runtime.evaluation.results import Results
from dart_runtime.evaluation.truth import blocks
from dart_runtime.strategies import DART
from domains.rows import CONTROLS, FAILING, ROWS

Found = Mapping[tuple[str, str], Measured]

# rows, events, admitted, blocked, blocked checkpoints
SPLIT = {
    "navigation": (12, 11, 9, 2, 2),
    "schedule_form": (12, 10, 6, 4, 6),
    "diagnosis": (12, 10, 8, 2, 2),
    "etl": (9, 8, 6, 2, 3),
    "travel": (9, 8, 6, 2, 3),
}


@pytest.mark.parametrize("domain", SPLIT)
def test_domain_has_its_part_of_the_audit(results: Results, domain: str) -> None:
    found = [one for one in results.of("dart") if one.domain == domain]
    verdicts = Counter(one.verdict for one in found)
    assert (
        len(found),
        verdicts[Verdict.RESTORE] + verdicts[Verdict.RERUN],
        verdicts[Verdict.RESTORE],
        verdicts[Verdict.RERUN],
        sum(len(results.blocks[one.row]) for one in found),
    ) == SPLIT[domain]


def test_audit_totals_are_the_papers() -> None:
    assert [sum(column) for column in zip(*SPLIT.values(), strict=True)] == [54, 47, 35, 12, 16]
    assert (len(ROWS), len(FAILING), len(CONTROLS)) == (54, 47, 7)


@pytest.mark.parametrize(("domain", "row"), ROWS)
def test_row_ends_as_if_nothing_had_failed(measured: Found, domain: str, row: str) -> None:
    found = measured[row, "dart"]
    assert found.domain == domain
    assert found.outcome.stopped is None
    assert found.outcome.final.finished
    assert (found.equivalent, found.success, found.unsafe) == (True, True, False)
    assert (found.violations, found.broken, found.dangling) == ((), (), ())


@pytest.mark.parametrize(("domain", "row"), FAILING)
def test_row_fails_once(measured: Found, domain: str, row: str) -> None:
    del domain
    for strategy in ("retry_only", "coarse_state", "savepoint", "entry_only", "dart"):
        assert len(measured[row, strategy].outcome.recoveries) == 1


@pytest.mark.parametrize(("domain", "row"), CONTROLS)
def test_control_does_not_fail(measured: Found, domain: str, row: str) -> None:
    del domain
    found = measured[row, "dart"]
    assert (found.verdict, found.replay, found.group) == (None, 0, "control")


@pytest.mark.parametrize(("domain", "row"), FAILING)
def test_replay_that_ran_is_what_the_decision_said(measured: Found, domain: str, row: str) -> None:
    del domain
    found = measured[row, "dart"]
    told = decide(found.outcome.recoveries[0].before)
    assert told is not None
    assert (found.verdict, found.replay, found.preserved) == (
        told.verdict,
        told.replay,
        told.preserved,
    )
    if told.instance is not None:
        assert found.upstream_replay == told.upstream_replay


@pytest.mark.parametrize(("domain", "row"), FAILING)
def test_group_is_what_the_row_shows(
    measured: Found, domains: Mapping[str, Domain], domain: str, row: str
) -> None:
    found = measured[row, "dart"]
    before = found.outcome.recoveries[0].before
    failed = culprit(before.failures[0])
    assert failed is not None
    alone = (
        not readers(before, committed=False)
        and identified(before) == failed
        and not fixed_effects(before, failed, 0)
        and all(len(checkpoint.owners) == 1 for checkpoint in aligned(before, failed))
        and domains[domain].rows[row].saves is None
    )
    group = "sensitive" if sensitive(before) else "own" if alone else "other"
    assert found.group == group


def test_every_block_is_right(results: Results) -> None:
    found = [block for blocks in results.blocks.values() for block in blocks]
    assert len(found) == 16
    for block in found:
        assert block.steps is not None
        assert block.carried_out.unsafe, block.checkpoint


def test_blocks_become_invalid_at_once_or_soon(results: Results) -> None:
    steps = {
        (row, block.checkpoint): block.steps
        for row, blocks in results.blocks.items()
        for block in blocks
        if block.steps != 0
    }
    assert steps == {
        ("nav-live-reader", "leg[wp2]#1@entry"): 1,
        ("sch-slot-ready", "slot[m1]#1@ready"): 2,
    }


def test_false_block_is_seen(measured: Found, domains: Mapping[str, Domain]) -> None:
    # A retry blocks what dart restores: each of these blocks is false.
    found = blocks(domains["navigation"], measured["nav-granularity", "retry_only"])
    by_name = {block.checkpoint: block for block in found}
    assert set(by_name) == {f"leg[wp3]#1@{name}" for name in ("entry", "snapshot", "arrived")}
    assert all(block.is_false for block in found)
    assert not any(block.carried_out.unsafe for block in found)


@pytest.mark.parametrize("name", ["navigation", "schedule_form", "diagnosis", "etl", "travel"])
def test_contract_that_escalates_repeats_nothing(domains: Mapping[str, Domain], name: str) -> None:
    contract = evolve(domains[name].contract, fallback=Fallback.ESCALATE)
    domain = evolve(domains[name], contract=contract)
    asked = []
    for row in domain.rows:
        found = measure(domain, row, DART)
        assert found.repeated == 0
        if found.verdict is Verdict.ESCALATE:
            assert found.outcome.stopped == "a person was asked"
            asked.append(row)
    assert asked == ESCALATED[name]


# The blocked rows in which something irreversible has happened.
ESCALATED = {
    "navigation": [],
    "schedule_form": ["sch-bad-slot", "sch-announced", "sch-snapshot-store"],
    "diagnosis": [],
    "etl": ["etl-announced"],
    "travel": ["trv-captured", "trv-two-itineraries"],
}
