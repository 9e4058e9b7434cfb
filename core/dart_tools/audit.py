"""The audit of many traces: each recovery judged, each broken trace named, and the totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

import msgspec
from attrs import asdict, frozen

from dart_core import Decision, Verdict
from dart_core.monitor import Monitor, Ruling
from dart_tools.codec import decision_to_wire, encode_event
from dart_tools.errors import TraceError
from dart_tools.judge import Recovery
from dart_tools.spread import Write
from dart_tools.stream import Advance, Stream, judged

__all__ = [
    "Form",
    "Totals",
    "audit_path",
    "audit_trace",
    "counted",
    "exit_code",
    "recovery_to_builtins",
    "trace_paths",
]

D = TypeVar("D", Decision, Ruling)


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


@frozen(kw_only=True)
class Form:
    """
    What an audit writes of each recovery: a line of JSON, or a row of a table, as a JSON list.

    `checked` has each decision confirmed by the checker; `follow` waits for what is added, until
    that is set.
    """

    json: bool = False
    checked: bool = False
    follow: Event | None = None


def trace_paths(paths: Iterable[str]) -> Iterator[str]:
    """The files among `paths`, and in each folder its traces (`*.jsonl`) at any depth, sorted."""
    for path in paths:
        if Path(path).is_dir():
            yield from sorted(str(found) for found in Path(path).rglob("*.jsonl"))
        else:
            yield path


def audit_path(path: str) -> tuple[tuple[Recovery[Decision], ...], Totals, TraceError | None]:
    """The file's recoveries and what they add to the totals; or the error that it has."""
    found: list[Recovery[Decision]] = []
    stream = Stream(path, Monitor.decide)
    totals, error = counted(stream, _told(judged(stream), found.append))
    return () if error else tuple(found), totals, error


def audit_trace(
    form: Form, path: str, write: Write, advance: Advance = lambda _bytes, _events: None
) -> tuple[Totals, TraceError | None]:
    """
    What the trace adds to the totals, or the error that it has.

    Each recovery is written as it is found; where there is an error, what was written is void.
    """
    if form.json:
        full = Stream(path, Monitor.decide, form.checked)
        found = judged(full, follow=form.follow, advance=advance)
        return counted(full, _told(found, lambda one: write(_json_line(one))))
    quick = Stream(path, Monitor.rule, form.checked)
    rows = judged(quick, follow=form.follow, advance=advance)
    return counted(quick, _told(rows, lambda one: write(_row_line(one))))


def _told(
    recoveries: Iterable[Recovery[D]], tell: Callable[[Recovery[D]], object]
) -> Iterator[Recovery[D]]:
    for recovery in recoveries:
        tell(recovery)
        yield recovery


def counted(
    stream: Stream[D], recoveries: Iterable[Recovery[D]]
) -> tuple[Totals, TraceError | None]:
    """What the stream's recoveries add to the totals, or the error that it has."""
    counts: Counter[str] = Counter()
    try:
        for recovery in recoveries:
            counts[recovery.judgement.value] += 1
            admitted = recovery.decision.verdict is Verdict.RESTORE
            counts["admitted" if admitted else "blocked"] += 1
            counts["expectation_differs"] += bool(recovery.differs)
    except TraceError as error:
        return Totals(traces=1, invalid=1), error
    counts["expectation_differs"] += stream.unmatched
    return Totals(traces=1, recoveries=stream.decided, **counts), None


def exit_code(totals: Totals, *, strict: bool) -> int:
    """What the command exits with: 2 for invalid input, 1 for a finding, else 0."""
    if totals.invalid:
        return 2
    found = totals.unsafe + totals.hazardous + totals.expectation_differs
    if strict:
        found += totals.early + totals.missed
    return 1 if found else 0


def recovery_to_builtins(recovery: Recovery[Decision]) -> dict[str, Any]:
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


def _json_line(recovery: Recovery[Decision]) -> bytes:
    return msgspec.json.encode(recovery_to_builtins(recovery)) + b"\n"


def _row_line(recovery: Recovery[Ruling]) -> bytes:
    decision = recovery.decision
    recorded = recovery.recorded
    done = "" if recorded is None else getattr(recorded, "checkpoint", "rerun")
    remarks = [*recovery.breaks]
    if recovery.differs:
        remarks.append("differs from its expectation: " + ", ".join(recovery.differs))
    row = (
        recovery.trace,
        str(decision.failure),
        decision.checkpoint or decision.verdict.value,
        done,
        recovery.judgement.value,
        ", ".join(remarks),
    )
    return msgspec.json.encode(row) + b"\n"
