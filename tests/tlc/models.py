"""The models of the specification: what the manifest says of them, and one run of each."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

import dart_core as core
from dart_tools import wire
from dart_tools.codec import Header, Trace, decision_to_wire, encode_trace
from dart_tools.judge import recoveries
from dart_tools.tla_trace import trace_of
from dart_tools.tlc import Outcome, TlcResult, TlcRun, run_tlc

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "spec_tla"
MANIFEST = SPEC / "manifest.json"
COUNTEREXAMPLES = ROOT / "reference_traces" / "v1" / "counterexamples"


def manifest() -> dict[str, dict[str, Any]]:
    """What is pinned of each model."""
    found: dict[str, dict[str, Any]] = json.loads(MANIFEST.read_text())["models"]
    return found


def models_of(env: str) -> list[str]:
    """The models that the tox env runs."""
    return [name for name, pinned in manifest().items() if pinned["env"] == env]


@cache
def _run(model: str) -> tuple[TlcResult, float]:
    pinned = manifest()[model]
    options = () if pinned["result"] == Outcome.HOLDS.value else ("-coverage", "1")
    workers = 1 if pinned["env"] == "tlc" else 2
    start = time.monotonic()
    found = run_tlc(TlcRun(folder=SPEC, model=model, workers=workers, options=options))
    return found, time.monotonic() - start


def result_of(model: str) -> TlcResult:
    """
    What TLC finds: one run a session.

    Of several workers, one may begin a level before another has ended the last, and what is told
    of depth and behaviour is then not always the same: so small models have one worker.
    """
    return _run(model)[0]


def seconds_of(model: str) -> float:
    """How long that run took."""
    return _run(model)[1]


def run_all(models: list[str]) -> None:
    """Run the models, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(result_of, models))


def pinned_of(result: TlcResult) -> dict[str, Any]:
    """What the manifest pins of a result."""
    return {
        "result": result.outcome.value,
        "violated": result.violated,
        "initial": result.initial,
        "generated": result.generated,
        "distinct": result.distinct,
        "depth": result.depth,
    }


def restores_wrongly(model: str) -> bool:
    """Whether the model is of a wrong policy: its counterexample is a reference trace."""
    return manifest()[model].get("policy") is not None


def path_of(model: str) -> Path:
    """Where the counterexample of the model stands."""
    return COUNTEREXAMPLES / f"{model}.jsonl"


def _expectation(trace: Trace, decision: core.Decision) -> wire.Expectation:
    fields = msgspec.to_builtins(decision_to_wire(trace.path, decision))
    told = ("verdict", "reason", "candidates", "checkpoint", "checkpoints")
    return msgspec.convert({name: fields[name] for name in told}, wire.Expectation)


def counterexample(model: str) -> bytes:
    """The trace of the behaviour that violates the model, with the decision that was right."""
    contract, events = trace_of(result_of(model))
    pinned = manifest()[model]
    header = Header(
        name=model,
        contract=contract,
        notes=f"What the policy {pinned['policy']} does: it violates {pinned['violated']}.",
    )
    trace = Trace(path_of(model).name, header, tuple(events))
    expect = tuple(_expectation(trace, decision) for _, decision, _ in recoveries(trace))
    told = Header(name=header.name, contract=contract, notes=header.notes, expect=expect)
    return encode_trace(told, events)
