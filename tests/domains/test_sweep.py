from __future__ import annotations

from collections import Counter

import pytest
from attrs import evolve

from dart_core import Verdict
from dart_runtime.domain import load_domain
from dart_runtime.evaluation.measure import Measured
from dart_runtime.evaluation.results import Results
from dart_runtime.evaluation.sweep import sweep
from dart_runtime.strategies import DART, without


@pytest.fixture(scope="module")
def dart(results: Results) -> list[Measured]:
    return [one for one in results.swept if one.strategy == "dart"]


def test_fault_at_any_act_ends_as_if_nothing_had_failed(dart: list[Measured]) -> None:
    assert len(dart) == 272
    for one in dart:
        assert one.outcome.stopped is None
        assert (one.success, one.equivalent, one.unsafe) == (True, True, False)


def test_local_restore_repeats_nothing_irreversible(dart: list[Measured]) -> None:
    verdicts = Counter((one.verdict, one.repeated > 0) for one in dart)
    assert verdicts == {
        (Verdict.RESTORE, False): 262,
        (Verdict.RERUN, True): 10,
    }


def test_dart_never_replays_more_than_a_retry(results: Results, dart: list[Measured]) -> None:
    retries = [one for one in results.swept if one.strategy == "retry_only"]
    assert len(retries) == len(dart)
    assert all(one.replay <= retry.replay for one, retry in zip(dart, retries, strict=True))


def test_baselines_end_badly_somewhere(results: Results) -> None:
    well = Counter(one.strategy for one in results.swept if one.success and one.equivalent)
    assert well == {
        "retry_only": 272,
        "coarse_state": 249,
        "savepoint": 265,
        "entry_only": 239,
        "dart": 272,
    }


def test_sweep_sees_a_missing_guard() -> None:
    found = list(sweep([load_domain("travel")], [without("effect_allowed")]))
    assert [one.harm for one in found if one.unsafe] == ["V3"]


def test_sweep_sees_a_controller_that_cannot_go_back() -> None:
    # What the contract opens, the controller must reach: no edge from PUBLISHED to RANKED.
    domain = load_domain("diagnosis")
    program = domain.programs["hypothesis"]
    back = {state: sources for state, sources in program.back.items() if state != "RANKED"}
    cut = evolve(domain, programs={**domain.programs, "hypothesis": evolve(program, back=back)})
    stopped = [one.outcome.stopped for one in sweep([cut], [DART]) if one.outcome.stopped]
    assert set(stopped) == {"the controller has no edge back to hypothesis[c1]#1@ranked"}
