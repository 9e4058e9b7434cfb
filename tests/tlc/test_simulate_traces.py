"""Behaviours that TLC makes at random are traces that the core judges as the specification does."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import dart_core as core
from dart_core import History
from dart_tools import tla_trace
from dart_tools.cli import main
from dart_tools.codec import Trace, encode_trace, parse_trace, read_trace
from dart_tools.judge import Judgement, judge_trace
from dart_tools.simulate import Simulation, simulate
from dart_tools.validate import claim_of, validate
from graphs_of import JOBS
from models import SPEC

pytestmark = pytest.mark.graphs

NUMBER = 2000
EVENTS = 30


@pytest.fixture(scope="module")
def traces() -> list[Trace]:
    return simulate(SPEC, Simulation(number=NUMBER, events=EVENTS), JOBS)


def test_behaviours_are_many_long_and_of_every_kind(traces: list[Trace]) -> None:
    assert len(traces) == NUMBER
    lengths = [len(trace.events) for trace in traces]
    assert sum(lengths) / NUMBER > EVENTS - 1
    assert len({trace.events for trace in traces}) > NUMBER * 0.99
    kinds = Counter(type(event) for trace in traces for event in trace.events)
    assert set(kinds) == {
        *(core.Enter, core.Act, core.Commit, core.Exit, core.Save, core.Fail),
        *(core.Restore, core.Rerun),
    }
    print({kind.__name__: number for kind, number in kinds.items()})


def test_core_judges_them_as_the_specification(traces: list[Trace]) -> None:
    """The model restores what is admissible, and reruns only where nothing is."""
    judged = Counter(one.judgement for trace in traces for one in judge_trace(trace).recoveries)
    print({judgement.value: number for judgement, number in judged.items()})
    # An escalation is no event: where it is due, the model reruns.
    allowed = {Judgement.AGREES, Judgement.EARLY, Judgement.HAZARDOUS, Judgement.PENDING}
    assert set(judged) == allowed
    assert judged[Judgement.AGREES] > NUMBER


def test_traces_survive_the_format_and_are_validated(traces: list[Trace]) -> None:
    some = traces[:: NUMBER // 200]
    again = [parse_trace(encode_trace(one.header, one.events), one.path) for one in some]
    assert again == some
    assert validate(SPEC, [claim_of(trace) for trace in again]) == []


def test_core_that_differs_does_not_take_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    right = core.apply

    def wrong(history: History, event: core.Event) -> History | core.Refusal:
        if isinstance(event, core.Exit):
            return right(history, core.Commit(event.instance, event.state))
        return right(history, event)

    monkeypatch.setattr(core, "apply", wrong)
    with pytest.raises(tla_trace.BehaviourError, match="does not take step"):
        simulate(SPEC, Simulation(number=20))


def test_command_writes_the_same_traces_again(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        words = ["simulate", str(tmp_path / folder), "--number", "3", "--events", "9"]
        assert main([*words, "--seed", "5", "--spec", str(SPEC)]) == 0
    paths = sorted((tmp_path / "one").iterdir())
    assert [path.name for path in paths] == ["SIM-0.jsonl", "SIM-1.jsonl", "SIM-2.jsonl"]
    assert [len(read_trace(str(path)).events) for path in paths] == [9, 9, 9]
    for path in paths:
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_command_names_the_models_that_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", str(tmp_path), "--model", "MCNope", "--spec", str(SPEC)]) == 2
    assert "there is no model MCNope" in capsys.readouterr().err
