"""The models of millions of states."""

from __future__ import annotations

import pytest

from dart_tools.tlc import Outcome, TlcRun
from dart_tools.tlc_distributed import run_distributed
from models import SPEC, manifest, models_of, pinned_of, result_of, seconds_of


@pytest.mark.deep
@pytest.mark.parametrize("model", models_of("tlc-deep"))
def test_deep_model_is_as_pinned(model: str) -> None:
    found = pinned_of(result_of(model))
    pinned = manifest()[model]
    # Several workers may count the depth by one too high.
    assert abs(found.pop("depth") - pinned["depth"]) <= 1
    assert found == {name: pinned[name] for name in found}
    assert seconds_of(model) <= pinned["seconds"]


@pytest.mark.deep
def test_deep_models_are_as_large_as_promised() -> None:
    assert manifest()["MCDeep"]["distinct"] >= 10_000_000
    assert manifest()["MCInductive"]["initial"] >= 1_000_000


def _distributed(model: str) -> None:
    found = run_distributed(TlcRun(folder=SPEC, model=model, workers=2))
    pinned = manifest()[model]
    assert found.outcome is Outcome.HOLDS
    assert found.distinct == pinned["distinct"]
    assert abs(found.depth - pinned["depth"]) <= 1


@pytest.mark.distributed
@pytest.mark.parametrize("model", ["MCRetryOnly", "MCDeep"])
def test_distributed_run_counts_the_same_states(model: str) -> None:
    _distributed(model)


@pytest.mark.distributed
def test_distributed_run_finds_the_seeded_bug() -> None:
    found = run_distributed(TlcRun(folder=SPEC, model="MCWithoutEffectAllowed", workers=2))
    assert found.violated == manifest()["MCWithoutEffectAllowed"]["violated"]
