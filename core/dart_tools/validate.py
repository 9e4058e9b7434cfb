"""
Traces as behaviours of the specification: TLC takes each step and makes each decision itself.

A trace is accepted where TLC has told that it came to its end, and on no other ground.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attrs import asdict, frozen

import dart_core as core
from dart_core import Contract, Decision, Event, FrozenMap, Refusal
from dart_tools.codec import Trace
from dart_tools.errors import DartError
from dart_tools.tla_values import read_value
from dart_tools.tla_written import sequence, written
from dart_tools.tlc import TlcRun, run_tlc

__all__ = ["Claim", "Stop", "claim_of", "validate"]

# More traces in one run need more time to parse than a further run needs to start.
_TOGETHER = 1000

_KINDS: dict[type[Event], str] = {
    core.Enter: "enter",
    core.Act: "act",
    core.Commit: "commit",
    core.Exit: "exit",
    core.Save: "save",
    core.Fail: "fail",
    core.Restore: "restore",
    core.Rerun: "rerun",
}

_CONFIGURATION = """\
INIT TraceInit
NEXT TraceNext
INVARIANTS ContractIsReviewed ReachedInv
CONSTANTS
    Null = Null
    Bind <- TraceBind
    Menu <- TraceMenu
    CheckpointIds <- TraceIds
    Policy = "any"
    Without = Null
"""

# A constant cannot be overridden by what depends on the state; so the copy of the module that
# declares the contract extends the generated one, and defines the contract from it.
_EDITS = (
    ("EXTENDS Integers, Sequences, FiniteSets, TLC\n", "EXTENDS Traces\n"),
    ("ASSUME ContractIsReviewed ==", "ContractIsReviewed =="),
)
_DECLARED = re.compile(r"CONSTANTS\n    Contract,.*\n    Null .*\n")
_DEFINED = "Contract == Traces.contracts[Traces.contract[trace]]\n"


@frozen
class Claim:
    """
    A trace, and what is said to be decided in it.

    `decisions` leads from the number of an event to the decision just before it, None where
    nothing is to be decided; one more than the last number stands for the end.
    Of an event that it does not lead from, nothing is said.
    """

    trace: Trace
    decisions: Mapping[int, Decision | None]


@frozen
class Stop:
    """
    Where a trace stops to be a behaviour: at an event, by its number, or at the end (None).

    `decided` is what the specification decides there, as the claim would have it, where the
    decision is another; None where the event cannot happen.
    """

    path: str
    at: int | None
    decided: Any

    def __str__(self) -> str:
        where = "at its end" if self.at is None else f"at event {self.at} (line {self.at + 1})"
        why = "the event is not enabled"
        if self.decided is not None:
            why = f"the decision is another: {self.decided}"
        return f"{self.path}: stops {where}: {why}"


def claim_of(trace: Trace) -> Claim:
    """The trace with the core's decisions; with none from an event on that the core refuses."""
    history = core.initial(trace.header.contract)
    decisions: dict[int, Decision | None] = {}
    for number, event in enumerate(trace.events, start=1):
        after = core.apply(history, event)
        if isinstance(after, Refusal):
            return Claim(trace, decisions)
        if isinstance(event, core.Restore | core.Rerun):
            decisions[number] = core.decide(history)
        history = after
    return Claim(trace, decisions | {len(trace.events) + 1: core.decide(history)})


def _evidence(decision: Decision | None) -> tuple[Any, ...] | None:
    """What of a decision is compared, as the specification's Evidence."""
    if decision is None:
        return None
    checkpoints = (
        (
            one.id,
            one.kind,
            frozenset(name for name, is_so in asdict(one.guards).items() if not is_so),
        )
        for one in decision.checkpoints
    )
    return (
        decision.verdict,
        decision.reason,
        decision.instance,
        frozenset(decision.candidates),
        decision.checkpoint,
        tuple(checkpoints),
        frozenset((one.instance, one.effect) for one in decision.hazards),
        frozenset(one.effect for one in decision.compensations),
    )


def _templates(contract: Contract) -> Iterator[str]:
    """The contract's keys in which the entity has a place."""
    for skeleton in contract.skeletons.values():
        keys = (skeleton.reads, skeleton.commit.writes or (), skeleton.exit.writes or ())
        yield from (key for some in keys for key in some if "{entity}" in key)


def _entities(trace: Trace) -> set[str]:
    # Whoever is spoken of has entered, or the trace stops there.
    return {event.instance.entity for event in trace.events if isinstance(event, core.Enter)}


def _bound_keys(traces: Sequence[Trace]) -> FrozenMap[str, FrozenMap[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for trace in traces:
        for key in _templates(trace.header.contract):
            bound = {entity: core.bind(key, entity) for entity in _entities(trace)}
            found.setdefault(key, {}).update(bound)
    return FrozenMap((key, FrozenMap(bound)) for key, bound in found.items())


def _steps(claim: Claim) -> Iterator[str]:
    """The steps of the trace: kind, event and, where one is claimed, the decision."""
    events: tuple[Event | None, ...] = (*claim.trace.events, None)
    for number, event in enumerate(events, start=1):
        kind = "end" if event is None else _KINDS[type(event)]
        step = [written(kind), written(event)]
        if number in claim.decisions:
            step.append(written(_evidence(claim.decisions[number])))
        yield sequence(step)


def module_of(claims: Sequence[Claim]) -> str:
    """The generated module that holds the traces."""
    traces = sequence(sequence(_steps(claim)) for claim in claims)
    contracts = list(dict.fromkeys(claim.trace.header.contract for claim in claims))
    places = tuple(contracts.index(claim.trace.header.contract) + 1 for claim in claims)
    data = {
        "steps": traces,
        "contracts": written(tuple(contracts)),
        "contract": written(places),
        "keys": written(_bound_keys([claim.trace for claim in claims])),
    }
    fields = ",\n".join(f"{name} |-> {text}" for name, text in data.items())
    head = "---- MODULE Traces ----\nEXTENDS TraceValues\nVARIABLE trace\n"
    return f"{head}Traces == [\n{fields}]\n====\n"


def validate(specification: Path, claims: Sequence[Claim], jobs: int = 1) -> list[Stop]:
    """Where traces stop to be behaviours of the specification with the decisions claimed."""
    parts = [claims[start : start + _TOGETHER] for start in range(0, len(claims), _TOGETHER)]
    with ThreadPoolExecutor(jobs) as pool:
        return [stop for stops in pool.map(partial(_run, specification), parts) for stop in stops]


def _run(specification: Path, claims: Sequence[Claim]) -> list[Stop]:
    with TemporaryDirectory(prefix="dart-") as place:
        folder = Path(place)
        for path in specification.glob("*.tla"):
            shutil.copy(path, folder)
        _define_contract(folder / "Contract.tla")
        (folder / "Traces.tla").write_text(module_of(claims), encoding="utf-8")
        (folder / "Trace.cfg").write_text(_CONFIGURATION, encoding="utf-8")
        printed = run_tlc(TlcRun(folder=folder, model="Trace")).printed
    reached = _reached(printed)
    decided = {(one[1], one[2]): one[3] for one in _values(printed, "decides")}
    stops = []
    for number, claim in enumerate(claims, start=1):
        step, events = reached.get(number, 0), len(claim.trace.events)
        if step <= events + 1:
            at = None if step > events else step
            stops.append(Stop(claim.trace.path, at, decided.get((number, step))))
    return stops


def _define_contract(path: Path) -> None:
    text, count = _DECLARED.subn(lambda _: _DEFINED, path.read_text(encoding="utf-8"))
    for old, new in _EDITS:
        count += text.count(old)
        text = text.replace(old, new)
    if count != 1 + len(_EDITS):
        message = f"{path.name} does not declare the contract as expected"
        raise DartError(message)
    path.write_text(text, encoding="utf-8")


def _reached(printed: str) -> dict[int, int]:
    """The place of the next step of each trace, where it goes no further."""
    found: dict[int, int] = {}
    for trace, step in re.findall(r'<<"reached", (\d+), (\d+)>>', printed):
        found[int(trace)] = max(found.get(int(trace), 0), int(step))
    return found


def _values(printed: str, mark: str) -> Iterator[Any]:
    for found in re.finditer(rf'<<\s*"{mark}",', printed):
        yield read_value(printed, found.start())[0]
