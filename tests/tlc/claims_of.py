"""What is claimed of the reference traces and of random ones, for TLC to validate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from dart_tools.codec import Header, Trace, read_trace
from dart_tools.errors import TraceError
from dart_tools.generate import Shape, random_trace
from dart_tools.judge import recoveries
from dart_tools.validate import Claim, Stop, claim_of
from models import ROOT

EVENTS = 30
_REFERENCES = sorted((ROOT / "reference_traces" / "v1").glob("**/*.jsonl"))


def _is_invalid(path: Path) -> bool:
    return path.parent.name == "invalid"


def valid_claims() -> list[Claim]:
    """The valid reference traces with the core's decisions."""
    return [claim_of(read_trace(str(path))) for path in _REFERENCES if not _is_invalid(path)]


def refused_claims() -> Iterator[tuple[Claim, Stop]]:
    """The invalid reference traces that can be read, and where the core refuses them."""
    for path in filter(_is_invalid, _REFERENCES):
        try:
            trace = read_trace(str(path))
        except TraceError:
            continue
        yield claim_of(trace), Stop(trace.path, _refused_event(trace), None)


def _refused_event(trace: Trace) -> int:
    try:
        list(recoveries(trace))
    except TraceError as error:
        return error.line - 1
    message = f"{trace.path}: nothing is refused"
    raise AssertionError(message)


def random_claim(seed: int, events: int = EVENTS) -> Claim:
    """The random trace of this seed: lawful where the seed is even."""
    shape = Shape(events=events, lawful=seed % 2 == 0)
    contract, found = random_trace(Random(seed), shape)  # noqa: S311 (the same ones each time)
    name = f"random-{seed}"
    return claim_of(Trace(name, Header(name=name, contract=contract), found))
