"""Every model does what the manifest says, to the number."""

from __future__ import annotations

import pytest

from dart_tools.codec import parse_trace
from dart_tools.judge import Judgement, judge_trace
from dart_tools.tlc import properties_of
from models import (
    COUNTEREXAMPLES,
    SPEC,
    counterexample,
    manifest,
    models_of,
    path_of,
    pinned_of,
    restores_wrongly,
    result_of,
    run_all,
    seconds_of,
)

MODELS = models_of("tlc")
WRONG = [model for model in MODELS if restores_wrongly(model)]


@pytest.fixture(scope="module", autouse=True)
def _all_are_run() -> None:
    run_all(MODELS)


def test_manifest_tells_of_every_model() -> None:
    assert sorted(manifest()) == sorted(path.stem for path in SPEC.glob("MC*.cfg"))


@pytest.mark.parametrize("model", MODELS)
def test_model_is_as_pinned(model: str) -> None:
    found = pinned_of(result_of(model))
    pinned = manifest()[model]
    assert found == {name: pinned[name] for name in found}
    assert seconds_of(model) <= pinned["seconds"]


@pytest.mark.parametrize("model", [m for m in manifest() if manifest()[m]["violated"]])
def test_violated_model_checks_what_it_must_fail(model: str) -> None:
    configuration = (SPEC / f"{model}.cfg").read_text()
    assert properties_of(configuration) == (manifest()[model]["violated"],)


@pytest.mark.parametrize("model", WRONG)
def test_counterexample_is_equal_to_the_byte(model: str) -> None:
    assert path_of(model).read_bytes() == counterexample(model)


@pytest.mark.parametrize("model", WRONG)
def test_counterexample_is_unsafe(model: str) -> None:
    judged = judge_trace(parse_trace(path_of(model).read_bytes(), model)).recoveries
    assert Judgement.UNSAFE in [one.judgement for one in judged]
    without = manifest()[model]["policy"].removeprefix("dart without ")
    if without != manifest()[model]["policy"]:
        assert {guard for one in judged for guard in one.breaks} == {without}


def test_no_counterexample_stands_beside_those() -> None:
    found = sorted(path.stem for path in COUNTEREXAMPLES.glob("*"))
    assert found == sorted(model for model in manifest() if restores_wrongly(model))
