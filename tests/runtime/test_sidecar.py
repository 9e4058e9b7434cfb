from __future__ import annotations

import asyncio
from contextlib import nullcontext
from pathlib import Path
from random import Random

import pytest
from attrs import evolve

from dart_core import (
    Act,
    Contract,
    Decision,
    Effect,
    Fail,
    Fallback,
    FrozenMap,
    RefusalReason,
    Rerun,
    Restore,
    Tag,
    Verdict,
)
from dart_runtime.errors import NotEnabledError, SidecarError, UnderWayError
from dart_runtime.observer import Observer
from dart_runtime.presence import Presence
from dart_runtime.sidecar import NothingDoneError, Recovery, Sidecar, UnannouncedError
from dart_runtime.store import Store
from dart_tools.audit import audit_path, exit_code
from dart_tools.codec import parse_trace
from dart_tools.generate import Shape, random_trace
from runtime.schedule import CONTRACT, INVITE, SLOT, chosen, invited


class Host:
    """A host that notes which callbacks were called, with what."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str | None, bytes | None, int]] = []

    def note(self, name: str, recovery: Recovery) -> None:
        decision = recovery.decision
        self.calls.append((name, decision.checkpoint, recovery.snapshot, recovery.attempt))

    def recover(self, sidecar: Sidecar) -> Decision | None:
        return sidecar.recover(
            restore=lambda recovery: self.note("restore", recovery),
            rerun=lambda recovery: self.note("rerun", recovery),
            escalate=lambda recovery: self.note("escalate", recovery),
        )


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def sidecar() -> Sidecar:
    return Sidecar(Store.in_memory(CONTRACT, name="meeting"))


def die_announced(sidecar: Sidecar, act: Act) -> None:
    """Do what a process does that dies while the act runs."""
    sidecar.announce(act)
    sidecar.store.presence.end_act()


def lines(observer: Observer) -> list[str]:
    return [type(event).__name__ for event in parse_trace(observer.export(), "").events]


def test_acting_records_what_was_announced(sidecar: Sidecar) -> None:
    slot = sidecar.enter("slot", "m1")
    with sidecar.acting(slot, id="a", tool="select", reads=["x"], writes=["y"], effects=["mark"]):
        assert sidecar.history.world == frozenset()
        assert sidecar.history.acts == FrozenMap()
    act = parse_trace(sidecar.export(), "").events[-1]
    assert act == Act(
        instance=SLOT,
        id="a",
        tool="select",
        reads=frozenset({"x"}),
        writes=frozenset({"y"}),
        effects=frozenset({"mark"}),
    )
    assert sidecar.ledger.announced == FrozenMap()


def test_acting_records_what_was_touched(sidecar: Sidecar) -> None:
    slot = sidecar.enter("slot", "m1")
    with sidecar.acting(slot, reads=["x", "z"], writes=["y"], effects=["mark"]) as acting:
        acting.touched(reads=["x"], writes=[])
    entry = sidecar.history.log[slot][-1]
    assert [read.key for read in entry.reads] == ["x"]
    assert (entry.writes, entry.effects) == ((), ("mark",))
    assert entry.id == acting.id


@pytest.mark.parametrize("name", ["reads", "writes", "effects"])
def test_acting_fails_where_more_is_touched_than_announced(sidecar: Sidecar, name: str) -> None:
    invite = sidecar.enter("invite", "m1")
    with pytest.raises(UnannouncedError, match="'unheard of'"), sidecar.acting(invite) as acting:
        acting.touched(**{name: ["unheard of"]})
    (failure,) = sidecar.history.failures
    assert failure.suspect == (INVITE, 2)
    entry = sidecar.history.log[INVITE][1]
    touched = [*(read.key for read in entry.reads), *entry.writes, *entry.effects]
    assert "unheard of" in touched


def test_acting_records_a_failure_with_its_suspect(sidecar: Sidecar) -> None:
    slot = sidecar.enter("slot", "m1")
    failing = sidecar.acting(
        slot, id="a", tool="select", args={"meeting": "m1"}, state="CHOOSING", effects=["mark"]
    )
    with pytest.raises(OSError, match="no route"), failing:
        raise OSError("no route")
    (failure,) = sidecar.history.failures
    assert failure.suspect == (SLOT, 2)
    assert failure.candidates == {SLOT}
    assert failure.observed.args == FrozenMap({"meeting": "m1"})
    assert (failure.observed.tool, failure.observed.state) == ("select", "CHOOSING")
    assert {effect.name for effect in sidecar.history.world} == {"mark"}


def test_acting_records_no_act_that_did_nothing(sidecar: Sidecar) -> None:
    slot = sidecar.enter("slot", "m1")
    with pytest.raises(NothingDoneError), sidecar.acting(slot, effects=["send_invite"]):
        raise NothingDoneError
    assert lines(sidecar) == ["Enter", "Fail"]
    assert sidecar.history.world == frozenset()
    assert sidecar.ledger.announced == FrozenMap()


def test_acting_runs_nothing_that_the_history_refuses(sidecar: Sidecar) -> None:
    ran = []
    slot = sidecar.enter("slot", "m1")
    sidecar.fail(slot)
    with pytest.raises(NotEnabledError) as raised, sidecar.acting(slot):
        ran.append(slot)
    assert raised.value.refusal.reason is RefusalReason.SUSPENDED
    assert ran == []


def test_acts_that_clash_do_not_run_together(sidecar: Sidecar) -> None:
    slot, invite = sidecar.enter("slot", "m1"), sidecar.enter("invite", "m1")
    with sidecar.acting(slot, id="a", reads=[], writes=["slot/m1"]):
        with pytest.raises(UnderWayError, match="touches 'slot/m1' too"), sidecar.acting(invite):
            pass
        with pytest.raises(UnderWayError, match="act a is under way"), sidecar.acting(slot, id="a"):
            pass
        with sidecar.acting(invite, reads=["other"]):
            pass
    with sidecar.acting(invite):
        pass
    assert len(sidecar.history.log[invite]) == 3


def test_acting_goes_on_in_async_hosts(sidecar: Sidecar) -> None:
    async def work(entity: str) -> None:
        instance = sidecar.enter("slot", entity)
        with sidecar.acting(instance, reads=[], writes=[f"slot/{entity}"]):
            await asyncio.sleep(0.01)

    async def both() -> None:
        await asyncio.gather(work("m1"), work("m2"))

    asyncio.run(both())
    assert lines(sidecar) == ["Enter", "Enter", "Act", "Act"]


@pytest.mark.parametrize("event", [Restore("chosen"), Rerun()])
def test_tell_refuses_what_goes_around_the_guard(sidecar: Sidecar, event: Restore | Rerun) -> None:
    chosen(sidecar)
    sidecar.fail(SLOT)
    with pytest.raises(SidecarError, match="by `recover` alone"):
        sidecar.tell(event)
    with pytest.raises(SidecarError, match="by `recover` alone"):
        sidecar.restore("chosen")


def test_recover_restores_the_latest_admissible_checkpoint(sidecar: Sidecar, host: Host) -> None:
    chosen(sidecar)
    invited(sidecar)
    sidecar.act(SLOT, id="confirm", reads=[])
    sidecar.fail(SLOT, suspect="confirm")
    decision = host.recover(sidecar)
    assert decision is not None
    assert (decision.verdict, decision.replay) == (Verdict.RESTORE, 1)
    assert host.calls == [("restore", "chosen", b"ten o'clock", 1)]
    assert lines(sidecar)[-1] == "Restore"
    assert not sidecar.history.failures
    assert host.recover(sidecar) is None
    assert len(host.calls) == 1


def test_recover_never_undoes_what_others_stand_on(sidecar: Sidecar, host: Host) -> None:
    chosen(sidecar)
    invited(sidecar)
    sidecar.fail(SLOT, suspect="select")
    decision = host.recover(sidecar)
    assert decision is not None
    assert decision.verdict is Verdict.ESCALATE
    assert [(one.instance, one.effect) for one in decision.hazards] == [(INVITE, "send_invite")]
    assert host.calls == [("escalate", None, None, 1)]


def test_recover_escalates_each_failure_once(sidecar: Sidecar, host: Host) -> None:
    chosen(sidecar)
    invited(sidecar)
    sidecar.fail(SLOT, suspect="select")
    host.recover(sidecar)
    assert host.recover(sidecar) is None
    assert len(host.calls) == 1
    sidecar.fail(INVITE)
    assert host.recover(sidecar) is not None
    assert [call[0] for call in host.calls] == ["escalate", "escalate"]
    Observer(sidecar.store).rerun()
    assert host.recover(sidecar) is None


def test_recover_reruns_where_nothing_else_is_left(host: Host) -> None:
    contract = evolve(CONTRACT, fallback=Fallback.RERUN)
    sidecar = Sidecar(Store.in_memory(contract, name="meeting"))
    chosen(sidecar)
    invited(sidecar)
    sidecar.fail(SLOT, suspect="select")
    decision = host.recover(sidecar)
    assert decision is not None
    assert decision.verdict is Verdict.RERUN
    assert host.calls == [("rerun", None, None, 1)]
    assert sidecar.history.epoch == 2
    assert lines(sidecar)[-1] == "Rerun"


def test_recover_repeats_what_was_begun_and_not_recorded(sidecar: Sidecar, host: Host) -> None:
    chosen(sidecar)
    sidecar.fail(SLOT)

    def broken(recovery: Recovery) -> None:
        host.note("broken", recovery)
        raise OSError

    for _ in range(2):
        with pytest.raises(OSError):  # noqa: PT011
            sidecar.recover(restore=broken, rerun=broken)
    with pytest.raises(UnderWayError, match="recover first"):
        sidecar.enter("slot", "m2")
    host.recover(sidecar)
    assert host.calls == [
        ("broken", "chosen", b"ten o'clock", 1),
        ("broken", "chosen", b"ten o'clock", 2),
        ("restore", "chosen", b"ten o'clock", 3),
    ]
    assert lines(sidecar).count("Restore") == 1
    sidecar.enter("slot", "m2")


def test_recover_lets_nothing_happen_before_it_is_recorded(sidecar: Sidecar) -> None:
    chosen(sidecar)
    slot2 = sidecar.enter("slot", "m2")
    sidecar.fail(SLOT)
    with sidecar.recovering() as recovery:
        assert recovery is not None
        with pytest.raises(UnderWayError, match="recover first"):
            sidecar.commit(slot2)
        with pytest.raises(UnderWayError, match="recovery is under way"), sidecar.acting(slot2):
            pass
        with pytest.raises(UnderWayError, match="recovery is under way"), sidecar.recovering():
            pass
    sidecar.commit(slot2)
    assert lines(sidecar)[-2:] == ["Restore", "Commit"]


def test_recover_waits_for_an_act_in_flight(sidecar: Sidecar, host: Host) -> None:
    chosen(sidecar)
    sidecar.enter("invite", "m1")
    sidecar.act(SLOT, id="confirm", reads=[], writes=["form"])
    sidecar.fail(SLOT, suspect="confirm")
    with sidecar.acting(INVITE, reads=["form"]), pytest.raises(UnderWayError):
        host.recover(sidecar)
    decision = host.recover(sidecar)
    assert decision is not None
    # The act in flight has read what the nearest checkpoint would undo.
    assert decision.verdict is Verdict.RERUN
    assert not decision.checkpoints[0].guards.no_live_conflict


def test_recover_takes_an_unfinished_act_for_one_that_happened(
    sidecar: Sidecar, host: Host
) -> None:
    chosen(sidecar)
    sidecar.enter("invite", "m1")
    sidecar.checkpoint("inviting", INVITE)
    act = Act(instance=INVITE, id="send", tool="send", effects=frozenset({"send_invite"}))
    die_announced(sidecar, act)
    decision = host.recover(Sidecar(sidecar.store))
    assert decision is not None
    assert decision.verdict is Verdict.ESCALATE
    assert not decision.checkpoints[0].guards.effect_allowed
    assert lines(sidecar)[-2:] == ["Act", "Fail"]
    assert sidecar.history.world == {
        Effect(epoch=1, instance=INVITE, attempt=1, index=2, name="send_invite")
    }


def test_recover_restores_an_unfinished_act_that_is_harmless(sidecar: Sidecar, host: Host) -> None:
    chosen(sidecar)
    act = Act(instance=SLOT, id="mark", tool="confirm", effects=frozenset({"mark"}))
    die_announced(sidecar, act)
    decision = host.recover(sidecar)
    assert decision is not None
    assert (decision.verdict, decision.checkpoint) == (Verdict.RESTORE, "chosen")
    tag = Tag(skeleton="slot", entity="m1", ordinal=1)
    failed = Fail(tag=tag, suspect="mark", tool="confirm")
    assert parse_trace(sidecar.export(), "").events[-2:] == (failed, Restore("chosen"))
    assert host.recover(sidecar) is None


def test_recover_tells_the_failures_of_unfinished_acts_one_by_one(
    sidecar: Sidecar, host: Host
) -> None:
    chosen(sidecar)
    other = sidecar.enter("slot", "m2")
    sidecar.checkpoint("other", other)
    die_announced(sidecar, Act(instance=SLOT, id="a", reads=frozenset()))
    die_announced(sidecar, Act(instance=other, id="b", reads=frozenset()))
    first, second, third = (host.recover(sidecar) for _ in range(3))
    assert first is not None
    assert second is not None
    assert (first.checkpoint, second.checkpoint, third) == ("chosen", "other", None)
    assert lines(sidecar)[-6:] == ["Act", "Act", "Fail", "Restore", "Fail", "Restore"]


def test_recover_ends_the_failure_that_was_seen_before_it_tells_of_an_unfinished_act(
    sidecar: Sidecar, host: Host
) -> None:
    chosen(sidecar)
    other = sidecar.enter("slot", "m2")
    sidecar.checkpoint("other", other)
    die_announced(sidecar, Act(instance=other, id="b", reads=frozenset()))
    sidecar.fail(SLOT)
    first, second = host.recover(sidecar), host.recover(sidecar)
    assert first is not None
    assert second is not None
    assert (first.checkpoint, second.checkpoint) == ("chosen", "other")


def test_recover_tells_of_an_unfinished_act_once(sidecar: Sidecar, host: Host) -> None:
    chosen(sidecar)
    sidecar.enter("invite", "m1")
    sidecar.checkpoint("inviting", INVITE)
    die_announced(sidecar, Act(instance=INVITE, id="a", effects=frozenset({"send_invite"})))
    decision = host.recover(sidecar)
    assert decision is not None
    assert decision.verdict is Verdict.ESCALATE
    # A person finds the invitation in order, and goes back to where the slot was chosen.
    Observer(sidecar.store).restore("chosen")
    assert host.recover(sidecar) is None
    assert "a" in sidecar.history.acts


def test_recover_forgets_a_doubt_that_a_recovery_undid(host: Host) -> None:
    sidecar = Sidecar(Store.in_memory(Contract(), name="unreviewed"))
    one, other = sidecar.enter("k", "a"), sidecar.enter("k", "b")
    die_announced(sidecar, Act(instance=one, id="a"))
    die_announced(sidecar, Act(instance=other, id="b"))
    decision = host.recover(sidecar)
    assert decision is not None
    assert decision.verdict is Verdict.RERUN
    assert host.recover(sidecar) is None
    assert sidecar.ledger.doubts == ()


def test_withdrawing_is_possible_only_of_what_is_announced(sidecar: Sidecar, host: Host) -> None:
    invite = sidecar.enter("invite", "m1")
    act = Act(instance=invite, id="send", effects=frozenset({"send_invite"}))
    die_announced(sidecar, act)
    sidecar.withdraw("send")
    assert host.recover(sidecar) is None
    assert lines(sidecar) == ["Enter"]
    with pytest.raises(SidecarError, match="no act send is announced"):
        sidecar.withdraw("send")


def test_recover_goes_on_in_another_process(tmp_path: Path, host: Host) -> None:
    path = tmp_path / "task"
    with Store.create(path, CONTRACT, name="meeting") as store:
        chosen(Sidecar(store))
        Sidecar(store).fail(SLOT)
    with Store.open(path, CONTRACT) as one, Store.open(path, CONTRACT) as other:
        with Sidecar(one).recovering() as recovery:
            assert recovery is not None
            with pytest.raises(UnderWayError, match="in another process"):
                host.recover(Sidecar(other))
        assert host.recover(Sidecar(other)) is None
    assert host.calls == []


def test_recover_does_not_record_what_was_taken_over(
    sidecar: Sidecar, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where the file system does not keep its promise about locks.
    monkeypatch.setattr(Presence, "alone", lambda _: nullcontext())
    chosen(sidecar)
    sidecar.fail(SLOT)
    recovering = sidecar.recovering()
    recovering.__enter__()
    host.recover(Sidecar(sidecar.store))
    with pytest.raises(UnderWayError, match="taken this recovery over"):
        recovering.__exit__(None, None, None)
    assert lines(sidecar).count("Restore") == 1


@pytest.mark.parametrize("seed", range(60))
def test_every_export_passes_the_audit(seed: int, tmp_path: Path, host: Host) -> None:
    contract, events = random_trace(Random(seed), Shape(events=40, lawful=False))  # noqa: S311
    sidecar = Sidecar(Store.in_memory(contract, name="random"))
    refused = 0
    for event in events:
        if isinstance(event, Restore | Rerun):
            host.recover(sidecar)
            continue
        try:
            sidecar.tell(event)
        except NotEnabledError:
            refused += 1
    host.recover(sidecar)
    path = tmp_path / "trace.jsonl"
    path.write_bytes(sidecar.export())
    recoveries, totals, error = audit_path(str(path))
    assert error is None
    assert exit_code(totals, strict=True) == 0
    assert refused < len(events)
    assert totals.agrees == sum(call[0] != "escalate" for call in host.calls)
    assert len(recoveries) >= totals.agrees
