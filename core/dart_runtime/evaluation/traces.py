"""The trace of each row under `dart`, in format 1, with what is expected of its decision."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dart_core import Decision, decide
from dart_runtime.domain import Domain
from dart_runtime.outcome import Outcome
from dart_runtime.runner import run
from dart_runtime.strategies import DART
from dart_tools import wire
from dart_tools.codec import Header, decision_to_wire, encode_trace

__all__ = ["trace_of", "write_traces"]

# What a reader of the trace is told to expect; the whole evidence follows from the core.
EXPECTED = (
    "verdict",
    "reason",
    "instance",
    "checkpoint",
    "replay",
    "upstream_replay",
    "preserved",
)


def _expectation(decision: Decision) -> wire.Expectation:
    told = decision_to_wire("", decision)
    fields: dict[str, Any] = {name: getattr(told, name) for name in EXPECTED}
    return wire.Expectation(**fields)


def _expected(outcome: Outcome) -> tuple[wire.Expectation, ...]:
    decisions = (decide(recovery.before) for recovery in outcome.recoveries)
    return tuple(_expectation(decision) for decision in decisions if decision is not None)


def trace_of(domain: Domain, name: str) -> bytes:
    """The trace of the row under `dart`."""
    row = domain.rows[name]
    outcome = run(domain, row, DART)
    header = Header(
        name=f"domains/{domain.name}/{name}",
        contract=domain.contract,
        source=f"domain {domain.name}",
        notes=row.title,
        expect=_expected(outcome),
    )
    return encode_trace(header, outcome.events)


def write_traces(domains: Iterable[Domain], folder: Path) -> list[Path]:
    """Write the trace of each row to `folder/domain/row.jsonl`; yields the files."""
    written = []
    for domain in domains:
        (folder / domain.name).mkdir(parents=True, exist_ok=True)
        for name in domain.rows:
            path = folder / domain.name / f"{name}.jsonl"
            path.write_bytes(trace_of(domain, name))
            written.append(path)
    return written
