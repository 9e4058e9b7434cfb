from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
import pytest
from attrs import evolve

from dart_core import Checkpoint, Event, Verdict
from dart_runtime.calls import Call, Reply
from dart_runtime.domain import Domain
from dart_runtime.evaluation.measure import failure_free, measure
from dart_runtime.evaluation.traces import trace_of
from dart_runtime.observer import Observer
from dart_runtime.programs import DomainError
from dart_runtime.rows import Fault, instance_of
from dart_runtime.runner import Runner, run
from dart_runtime.store import Store
from dart_runtime.strategies import DART, STRATEGIES
from dart_runtime.task import Task
from domains.rows import FAILING, ROWS

COMPARED = ("retry_only", "coarse_state", "savepoint", "entry_only", "dart")
Domains = Mapping[str, Domain]


@pytest.mark.parametrize(
    ("domain", "row", "strategy"),
    [
        (domain, row, strategy)
        for domain, row in FAILING
        for strategy in COMPARED
        # Its checkpoint has two owners: the history cuts no log, and the runtime one.
        if (row, strategy) != ("nav-roster", "savepoint")
    ],
)
def test_values_that_are_there_are_those_of_the_history(
    domains: Domains, domain: str, row: str, strategy: str
) -> None:
    runner = Runner(domains[domain], domains[domain].rows[row], STRATEGIES[strategy])
    outcome = runner.run()
    held = {
        key: tuple(version for version, _ in versions)
        for key, versions in outcome.final.store.items()
    }
    assert held == dict(outcome.history.store)
    assert set(runner.task.running) == set(outcome.history.log)


@pytest.mark.parametrize(("domain", "row"), ROWS)
def test_run_is_deterministic(domains: Domains, domain: str, row: str) -> None:
    one, other = (run(domains[domain], domains[domain].rows[row]) for _ in range(2))
    assert one == other


@pytest.mark.parametrize(("domain", "row"), ROWS)
def test_observer_records_the_run(domains: Domains, domain: str, row: str) -> None:
    contract = domains[domain].contract
    observer = Observer(Store.in_memory(contract, name=row))
    outcome = run(domains[domain], domains[domain].rows[row], record=observer.tell)
    assert observer.history == outcome.history
    exported = observer.export().splitlines()
    assert exported[1:] == trace_of(domains[domain], row).splitlines()[1:]


def test_event_is_recorded_before_the_run_goes_on(domains: Domains) -> None:
    told: list[Event] = []

    def record(event: Event) -> None:
        told.append(event)
        if len(told) == 20:
            raise InterruptedError

    domain = domains["navigation"]
    runner = Runner(domain, domain.rows["nav-cs"], record=record)
    with pytest.raises(InterruptedError):
        runner.run()
    assert runner.events == told[:19]
    assert told == list(run(domain, domain.rows["nav-cs"]).events[:20])


@pytest.mark.parametrize("act", ["query_route", "select_route", "traverse", "confirm_arrival"])
@pytest.mark.parametrize("how", ["refused", "lost"])
def test_fault_at_any_act_is_recovered(
    domains: Domains, act: str, how: Literal["refused", "lost"]
) -> None:
    domain = domains["navigation"]
    fault = Fault(instance="leg[wp3]", act=act, how=how)
    row = msgspec.structs.replace(domain.rows["nav-cs"], fault=fault)
    found = measure(evolve(domain, rows={"row": row}), "row", DART)
    assert (found.verdict, found.success, found.equivalent) == (Verdict.RESTORE, True, True)


def test_lost_reply_leaves_no_memory_and_the_act_stands(domains: Domains) -> None:
    domain = domains["navigation"]
    outcome = run(domain, domain.rows["nav-cs"])
    before = outcome.recoveries[0].before
    failed = instance_of("leg[wp3]")
    last = before.log[failed][-1]
    assert (last.id, last.effects) == ("leg[wp3]#1/confirm_arrival", ("check_in",))
    assert outcome.calls[failed, "confirm_arrival"] == 2
    assert outcome.final.instances[failed].memory["confirmed"] is True


def test_refused_call_is_not_made(domains: Domains) -> None:
    domain = domains["diagnosis"]
    outcome = run(domain, domain.rows["dia-refused"])
    assert outcome.calls[instance_of("hypothesis[c1]"), "verify"] == 1
    assert outcome.recoveries[0].before.failures[0].suspect is None


def test_restore_puts_memory_and_values_back(
    domains: Domains, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[dict[str, Any], bool]] = []
    put_back = Task.put_back
    failed = instance_of("leg[wp2]")

    def watched(task: Task, checkpoint: Checkpoint) -> None:
        for _ in range(2):
            seen.append((dict(task.running[failed].memory), bool(task.store["arrival_eta/wp2"])))
            put_back(task, checkpoint)

    monkeypatch.setattr(Task, "put_back", watched)
    run(domains["navigation"], domains["navigation"].rows["nav-traverse-lost"])
    routes = {"direct": 7, "scenic": 13}
    assert seen == [({"routes": routes, "route": "direct"}, True), ({}, False)]


def test_effects_are_taken_back_or_stay_by_their_class(domains: Domains) -> None:
    navigation, travel = domains["navigation"], domains["travel"]
    moved = run(navigation, navigation.rows["nav-traverse-lost"]).world
    assert [
        (deed.effect, deed.undone) for deed in moved if deed.version.writer.entity == "wp2"
    ] == [
        ("move", True),
        ("move", False),
        ("check_in", False),
    ]
    held = run(travel, travel.rows["trv-hold-lost"]).world
    assert [deed.undone for deed in held if deed.effect == "hold_seat"] == [True, False]
    checked = run(navigation, navigation.rows["nav-cs"]).world
    wp3 = [deed for deed in checked if deed.version.writer == instance_of("leg[wp3]")]
    assert [(deed.effect, deed.undone) for deed in wp3] == [
        ("move", False),
        ("check_in", False),
        ("check_in", False),
    ]


def test_compensable_effect_stays_where_nothing_compensates(domains: Domains) -> None:
    travel = domains["travel"]
    domain = evolve(travel, contract=evolve(travel.contract, compensate=False))
    found = measure(domain, "trv-hold-lost", STRATEGIES["dart"])
    assert found.verdict is Verdict.RERUN


@pytest.mark.parametrize("part", ["_undo", "crash"])
def test_restore_that_does_not_restore_is_seen(
    domains: Domains, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    row, strategy = {
        "_undo": ("nav-traverse-lost", "dart"),
        "crash": ("dia-unflushed", "dart_without_stable"),
    }[part]
    domain = domains["navigation" if part == "_undo" else "diagnosis"]
    assert measure(domain, row, STRATEGIES[strategy]).equivalent is (part == "_undo")
    monkeypatch.setattr(Task, part, lambda *_: None)
    assert measure(domain, row, STRATEGIES[strategy]).equivalent is (part == "crash")


def test_tool_that_does_what_its_step_does_not_say_is_refused(domains: Domains) -> None:
    def traverse(call: Call) -> Reply:
        return Reply(writes={f"arrival_eta/{call.entity}": {}})

    domain = domains["navigation"]
    broken = evolve(domain, tools={**domain.tools, "traverse": traverse})
    with pytest.raises(DomainError, match="traverse did what its step does not say"):
        failure_free(broken, domain.rows["nav-cs"])


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        (("leg[wp1]@nowhere",), "has no step nowhere"),
        (("leg",), "names no instance"),
        (("boat[wp1]",), "navigation has no skeleton boat"),
        (("leg[wp1]#2",), "the history does not allow"),
    ],
)
def test_schedule_rejects_what_does_not_exist(
    domains: Domains, schedule: tuple[str, ...], message: str
) -> None:
    domain = domains["navigation"]
    row = msgspec.structs.replace(domain.rows["nav-control"], schedule=schedule)
    with pytest.raises(DomainError, match=message):
        run(domain, row)
