"""Nothing of the specification is never exercised."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from coverage_of import Place, actions_taken, expressions
from dart_tools.tlc import TlcResult
from models import manifest, models_of, result_of, run_all

ACTIONS = ("Enter", "Act", "Commit", "Exit", "Saves", "Fails", "Restores", "Rerun")
DEFINING = {"Contract", "History", "Localize", "Certify", "Align", "Admit", "DART"}


@cache
def covered() -> list[TlcResult]:
    models = [model for model in models_of("tlc") if manifest()[model]["violated"]]
    run_all(models)
    return [result_of(model) for model in models]


@cache
def counts() -> Counter[Place]:
    return expressions(covered())


@pytest.mark.parametrize("action", ACTIONS)
def test_action_is_taken(action: str) -> None:
    assert actions_taken(covered())[action] > 0


def test_every_expression_is_evaluated_somewhere() -> None:
    never = {place for place, count in counts().items() if not count and place.module in DEFINING}
    assert sorted(never) == []
