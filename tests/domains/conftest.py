from __future__ import annotations

from collections.abc import Mapping

import pytest

from dart_runtime.domain import DOMAINS, Domain, load_domain
from dart_runtime.evaluation.measure import Measured, measure_all
from dart_runtime.evaluation.results import Results
from dart_runtime.evaluation.sweep import sweep
from dart_runtime.evaluation.truth import blocks


@pytest.fixture(scope="session")
def domains() -> Mapping[str, Domain]:
    return {name: load_domain(name) for name in DOMAINS}


@pytest.fixture(scope="session")
def measured(domains: Mapping[str, Domain]) -> Mapping[tuple[str, str], Measured]:
    """What every strategy made of every row, by row and strategy."""
    return {(one.row, one.strategy): one for one in measure_all(domains.values())}


@pytest.fixture(scope="session")
def results(domains: Mapping[str, Domain], measured: Mapping[tuple[str, str], Measured]) -> Results:
    dart = [one for one in measured.values() if one.strategy == "dart"]
    return Results(
        list(measured.values()),
        {one.row: blocks(domains[one.domain], one) for one in dart},
        list(sweep(domains.values())),
    )
