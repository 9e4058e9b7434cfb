from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Thread

import pytest
from attrs import evolve

from dart_core import (
    Act,
    Commit,
    Decision,
    Enter,
    Fail,
    History,
    InstanceId,
    RefusalReason,
    Scope,
    Tag,
    Verdict,
    fold,
)
from dart_runtime.errors import (
    CorruptStoreError,
    MalformedEventError,
    NotEnabledError,
    UnderWayError,
)
from dart_runtime.ledger import Kind
from dart_runtime.observer import Observer
from dart_runtime.sidecar import Sidecar
from dart_runtime.store import Store
from dart_tools.audit import audit_path, exit_code
from dart_tools.codec import Header, encode_trace, parse_trace
from dart_tools.generate import Shape, random_trace
from runtime.schedule import CONTRACT, INVITE, SLOT, chosen, invited


@pytest.fixture
def observer() -> Observer:
    return Observer(Store.in_memory(CONTRACT, name="meeting", source="a test"))


def test_observer_has_the_state_that_the_core_has(observer: Observer) -> None:
    chosen(observer)
    invited(observer)
    observer.exit(INVITE)
    trace = parse_trace(observer.export(), "meeting")
    assert observer.history == fold(CONTRACT, trace.events)
    assert trace.header.name == "meeting"
    assert trace.header.source == "a test"
    assert trace.header.contract == CONTRACT
    assert len(trace.events) == 9


@pytest.mark.parametrize("seed", range(40))
def test_observer_takes_every_legal_history_as_it_is(seed: int) -> None:
    contract, events = random_trace(Random(seed), Shape(lawful=False))  # noqa: S311
    observer = Observer(Store.in_memory(contract, name="random"))
    for event in events:
        observer.tell(event)
    assert observer.history == fold(contract, events)
    assert observer.export() == encode_trace(Header(name="random", contract=contract), events)


def test_enter_counts_ordinals(observer: Observer) -> None:
    assert observer.enter("slot", "m1") == SLOT
    assert observer.enter("slot", "m1") == evolve(SLOT, ordinal=2)
    assert observer.enter("slot", "m2") == evolve(SLOT, entity="m2")
    assert observer.enter("slot", "m1", ordinal=3) == evolve(SLOT, ordinal=3)


def test_tell_keeps_all_events_or_none(observer: Observer) -> None:
    with pytest.raises(NotEnabledError) as raised:
        observer.tell(Enter(SLOT), Commit(SLOT), Commit(INVITE))
    assert raised.value.refusal.reason is RefusalReason.NOT_ENTERED
    assert str(raised.value) == "event 3: invite[m1]#1 has not entered in this epoch"
    assert observer.history.clock == 0
    assert len(parse_trace(observer.export(), "").events) == 0


@pytest.mark.parametrize(
    "event",
    [
        Enter(InstanceId(skeleton="slot", entity="\ud800", ordinal=1)),
        Fail(tag=Tag(ordinal=0)),
        Fail(tag=Tag(skeleton=3)),  # type: ignore[arg-type]
    ],
)
def test_tell_rejects_what_no_trace_can_hold(observer: Observer, event: Enter | Fail) -> None:
    with pytest.raises(MalformedEventError):
        observer.tell(event)
    assert observer.history.clock == 0


def test_checkpoint_keeps_the_snapshot_of_the_latest_with_its_id(observer: Observer) -> None:
    chosen(observer)
    assert observer.snapshot("entry") == b"nothing"
    assert observer.snapshot("chosen") == b"ten o'clock"
    assert observer.snapshot("never") is None
    observer.fail(SLOT)
    observer.restore("entry")
    observer.checkpoint("chosen", SLOT, snapshot=b"eleven o'clock")
    assert observer.snapshot("chosen") == b"eleven o'clock"
    observer.checkpoint("kept by the host", SLOT, scope=Scope.TASK, stable=False)
    assert observer.snapshot("kept by the host") is None
    assert not observer.history.checkpoints["kept by the host"].stable


def test_decide_is_the_cores_decision(observer: Observer) -> None:
    assert observer.decide() is None
    chosen(observer)
    observer.fail(Tag(skeleton="slot"), state="CONFIRMING", tool="confirm", args={"meeting": "m1"})
    decision = observer.decide()
    assert isinstance(decision, Decision)
    assert (decision.verdict, decision.checkpoint) == (Verdict.RESTORE, "chosen")


def test_rerun_begins_a_new_epoch(observer: Observer) -> None:
    chosen(observer)
    observer.fail(SLOT)
    observer.rerun()
    assert observer.history.epoch == 2
    assert observer.enter("slot", "m1") == SLOT


def test_observer_sees_what_another_observer_of_the_store_records(tmp_path: Path) -> None:
    path = tmp_path / "task"
    with Store.create(path, CONTRACT, name="meeting") as one, Store.open(path) as other:
        ours, theirs = Observer(one), Observer(other)
        chosen(ours)
        invited(theirs)
        assert ours.history == theirs.history
        assert ours.history.clock == 8


@pytest.mark.parametrize("line", [b"no event", b'{"event":"rerun"}'])
def test_observer_rejects_records_that_are_no_history(line: bytes) -> None:
    store = Store.in_memory(CONTRACT, name="meeting")
    with store.transaction():
        store.append(Kind.EVENT, "", line)
    with pytest.raises(CorruptStoreError, match="record 1: "):
        Observer(store)


def test_observer_may_be_told_from_many_threads(tmp_path: Path) -> None:
    with Store.create(tmp_path / "task", CONTRACT, name="meeting") as store:
        observer = Observer(store)

        def work(entity: str) -> None:
            instance = observer.enter("slot", entity)
            for _ in range(5):
                observer.act(instance, writes=["shared"])
            observer.exit(instance)

        threads = [Thread(target=work, args=(f"m{n}",)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert observer.history.clock == 4 * 7
        assert observer.history == Observer(store).history


def announced(sidecar: Sidecar, act: Act) -> None:
    """Leave an act announced and unfinished, as a process that died does."""
    sidecar.announce(act)
    sidecar.store.presence.end_act()


@pytest.mark.parametrize(
    "event",
    [
        lambda o: o.act(INVITE, reads=["slot/m1"]),
        lambda o: o.act(INVITE),
        lambda o: o.act(INVITE, reads=[], writes=["slot/m1"]),
        lambda o: o.act(INVITE, reads=[], writes=["seen"]),
        lambda o: o.exit(SLOT),
        lambda o: o.fail(SLOT),
        lambda o: o.act(SLOT, id="again", reads=["slot/m1"]),
    ],
)
def test_tell_waits_for_an_act_under_way(event: Callable[[Observer], None]) -> None:
    observer = Sidecar(Store.in_memory(CONTRACT, name="meeting"))
    observer.enter("slot", "m1")
    observer.enter("invite", "m1")
    act = Act(instance=SLOT, id="a", reads=frozenset({"seen"}), writes=frozenset({"slot/m1"}))
    announced(observer, act)
    before = observer.history
    with pytest.raises(UnderWayError, match="act a is under way"):
        event(observer)
    assert observer.history == before
    observer.act(INVITE, reads=["seen"], writes=["other"])
    observer.tell(act)
    event(observer)


def test_restore_waits_for_every_act_under_way() -> None:
    store = Store.in_memory(CONTRACT, name="meeting")
    sidecar, observer = Sidecar(store), Observer(store)
    chosen(observer)
    observer.enter("invite", "m1")
    announced(sidecar, Act(instance=INVITE, id="a", reads=frozenset()))
    observer.fail(SLOT)
    unfinished = "act a is under way, or was left unfinished"
    with pytest.raises(UnderWayError, match=unfinished):
        observer.restore("chosen")
    with pytest.raises(UnderWayError, match=unfinished):
        observer.rerun()


def test_export_passes_the_audit(observer: Observer, tmp_path: Path) -> None:
    chosen(observer)
    observer.fail(SLOT)
    observer.restore("chosen")
    assert audited(observer, tmp_path) == 0
    observer.fail(SLOT)
    observer.restore("entry")
    assert audited(observer, tmp_path) == 1


def audited(observer: Observer, folder: Path) -> int:
    path = folder / "trace.jsonl"
    path.write_bytes(observer.export())
    _, totals, error = audit_path(str(path))
    assert error is None
    return exit_code(totals, strict=True)


def test_history_is_the_same_after_opening_again(tmp_path: Path) -> None:
    history: History
    with Store.create(tmp_path / "task", CONTRACT, name="meeting") as store:
        observer = Observer(store)
        chosen(observer)
        invited(observer)
        history = observer.history
    with Store.open(tmp_path / "task", CONTRACT) as store:
        again = Observer(store)
        assert again.history == history
        assert again.history.clock == history.clock
        assert again.snapshot("chosen") == b"ten o'clock"
