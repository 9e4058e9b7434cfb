"""What has to be true of a task's store after its processes were killed and it was gone on with."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from dart_core import EffectClass, Event, History, Rerun, decide, effect_class, fold
from dart_runtime.ledger import Kind
from dart_runtime.observer import Observer
from dart_runtime.store import Store
from dart_tools.audit import audit_path, exit_code
from dart_tools.codec import decode_event, encode_decision
from faults.host import Acknowledged
from faults.tasks import Task

__all__ = ["check", "events_of"]


def events_of(store: Store) -> list[Event]:
    """The events of the store, in order."""
    return [decode_event(r.line) for r in store.records() if r.kind in (Kind.EVENT, Kind.DOUBT)]


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def check(task: Task, folder: Path) -> None:
    """All of it."""
    with Store.open(folder / "task", task.contract) as store:
        nothing_acknowledged_is_lost(store, folder)
        nothing_irreversible_is_repeated(task, store, folder)
        no_effect_is_forgotten(store, folder)
        decisions_are_those_of_the_history(store)
        the_audit_agrees(store, folder)


def nothing_acknowledged_is_lost(store: Store, folder: Path) -> None:
    there = set(Acknowledged(store).lines())
    assert set(lines(folder / "acks")) <= there, "acknowledged, and lost"


def nothing_irreversible_is_repeated(task: Task, store: Store, folder: Path) -> None:
    """Only a rerun of the whole task may do so, and none may where the contract escalates."""
    done = Counter(
        line
        for line in lines(folder / "world")
        if effect_class(task.contract, line.split()[1].split("[")[0], line.split()[2])
        is EffectClass.IRREVERSIBLE
    )
    assert set(done.values()) <= {1}, f"repeated by a local restore: {done}"
    reruns = sum(isinstance(event, Rerun) for event in events_of(store))
    assert {int(line.split()[0]) for line in done} <= set(range(1, reruns + 2))
    if task.contract.fallback.value == "escalate":
        once = Counter(line.split(maxsplit=1)[1] for line in done)
        assert set(once.values()) <= {1}, f"repeated by a rerun: {once}"


def no_effect_is_forgotten(store: Store, folder: Path) -> None:
    """What happened is in the history, or is announced as what may have happened."""
    ledger = Observer(store).ledger
    known = {f"{e.epoch} {e.instance} {e.name}" for e in ledger.history.world} | {
        f"{ledger.history.epoch} {act.instance} {effect}"
        for act in ledger.announced.values()
        for effect in act.effects
    }
    assert set(lines(folder / "world")) <= known, "happened, and is not in the history"


def decisions_are_those_of_the_history(store: Store) -> None:
    """Each claimed decision equals that of the same events, told without an interruption."""
    events: list[Event] = []
    for record in store.records():
        if record.kind in (Kind.EVENT, Kind.DOUBT):
            events.append(decode_event(record.line))
        elif record.kind is Kind.CLAIM:
            history = fold(store.header.contract, events)
            assert isinstance(history, History)
            decision = decide(history)
            assert decision is not None
            line = encode_decision(store.header.name, decision)
            assert record.line == line, "another decision"


def the_audit_agrees(store: Store, folder: Path) -> None:
    trace = folder / "trace.jsonl"
    trace.write_bytes(Observer(store).export())
    _, totals, error = audit_path(str(trace))
    assert error is None
    assert exit_code(totals, strict=True) == 0
