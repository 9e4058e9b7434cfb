"""The audit of many traces: each recovery judged, each broken trace named, and the totals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from attrs import asdict, frozen

from dart_core import Verdict
from dart_tools.codec import decision_to_wire, encode_event, read_trace
from dart_tools.errors import TraceError
from dart_tools.judge import JudgedTrace, Judgement, Recovery, judge_trace

__all__ = [
    "Totals",
    "audit_path",
    "exit_code",
    "recovery_to_builtins",
    "trace_paths",
]


@frozen(kw_only=True)
class Totals:
    """The counts of an audit, in the order of the format."""

    traces: int = 0
    recoveries: int = 0
    admitted: int = 0
    blocked: int = 0
    agrees: int = 0
    early: int = 0
    unsafe: int = 0
    missed: int = 0
    hazardous: int = 0
    pending: int = 0
    expectation_differs: int = 0
    invalid: int = 0

    def __add__(self, other: Totals) -> Totals:
        ours, theirs = asdict(self), asdict(other)
        return Totals(**{name: ours[name] + theirs[name] for name in ours})


def _counted(judged: JudgedTrace) -> Totals:
    found = judged.recoveries
    admitted = sum(one.decision.verdict is Verdict.RESTORE for one in found)
    return Totals(
        traces=1,
        recoveries=len(found),
        admitted=admitted,
        blocked=len(found) - admitted,
        expectation_differs=judged.unmatched + sum(bool(one.differs) for one in found),
        **{
            judgement.value: sum(one.judgement is judgement for one in found)
            for judgement in Judgement
        },
    )


def trace_paths(paths: list[str]) -> Iterator[str]:
    """The files among `paths`, and in each folder its traces (`*.jsonl`) at any depth, sorted."""
    for path in paths:
        if Path(path).is_dir():
            yield from sorted(str(found) for found in Path(path).rglob("*.jsonl"))
        else:
            yield path


def audit_path(path: str) -> tuple[tuple[Recovery, ...], Totals, TraceError | None]:
    """The file's recoveries and what they add to the totals; or the error that it has."""
    try:
        judged = judge_trace(read_trace(path))
    except TraceError as error:
        return (), Totals(traces=1, invalid=1), error
    return judged.recoveries, _counted(judged), None


def exit_code(totals: Totals, *, strict: bool) -> int:
    """What the command exits with: 2 for invalid input, 1 for a finding, else 0."""
    if totals.invalid:
        return 2
    found = totals.unsafe + totals.hazardous + totals.expectation_differs
    if strict:
        found += totals.early + totals.missed
    return 1 if found else 0


def recovery_to_builtins(recovery: Recovery) -> dict[str, Any]:
    """The recovery as JSON's values."""
    recorded = recovery.recorded
    return {
        "trace": recovery.trace,
        "failure": recovery.decision.failure,
        "at": recovery.at,
        "recorded": None if recorded is None else msgspec.json.decode(encode_event(recorded)),
        "judgement": recovery.judgement.value,
        "breaks": recovery.breaks,
        "differs": recovery.differs,
        "decision": decision_to_wire(recovery.trace, recovery.decision),
    }
