"""Replays and forks: what goes through bare, and is refused behind the guard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.cache.memory import InMemoryCache
from langgraph.graph import START, StateGraph
from langgraph.types import Command

from dart_core import Reason
from dart_runtime.langgraph import GuardError, Node, RestoreRefusedError, guard
from dart_tools.judge import Judgement
from langgraph_adapter.graphs import (
    ALOOF,
    MEETING,
    MEETING_NODES,
    PAYMENT,
    PAYMENT_NODES,
    THREAD,
    Driver,
    Payment,
    World,
    guarded,
    judgements,
    line,
    meeting,
    payment,
)

CHOSEN_NODES = {
    "up": Node(entity="order", reads=["order"]),
    "down": Node(entity="order", reads=["order"], effects=["pay"]),
}


def chosen(world: World) -> Any:
    """`up` chooses to pay."""

    def up(state: Payment) -> Command[Any]:
        world.run("up")
        return Command(update={"amount": world.ran.count("up")}, goto="down")

    def down(state: Payment) -> Payment:
        world.run("down")
        world.ledger.append(state["order"])
        return {"paid": 1}

    builder: Any = StateGraph(Payment)
    builder.add_node("up", up, destinations=("down",))
    builder.add_node("down", down)
    builder.add_edge(START, "up")
    return builder


def go_back(drive: Driver, graph: Any) -> list[BaseException | None]:
    """Replay from before `up`, fork before `down`, replay `down`: what each raised."""

    def fork() -> None:
        place = drive(graph, "update_state", drive.before(graph, "down"), {"amount": 999})
        drive(graph, "invoke", None, place)

    raised: list[BaseException | None] = []
    tries: list[Callable[[], Any]] = [
        lambda: drive(graph, "invoke", None, drive.before(graph, "up")),
        fork,
        lambda: drive(graph, "invoke", None, drive.before(graph, "down")),
    ]
    for one in tries:
        try:
            one()
            raised.append(None)
        except RestoreRefusedError as error:
            raised.append(error)
    return raised


def test_bare_langgraph_pays_again(drive: Driver) -> None:
    world = World()
    graph = payment(world).compile(checkpointer=drive.saver)
    drive(graph, "invoke", {"order": "o1"}, THREAD)
    down = drive.before(graph, "down")
    drive(graph, "invoke", None, drive.before(graph, "up"))
    drive(graph, "invoke", None, drive(graph, "update_state", down, {"amount": 999}))
    drive(graph, "invoke", None, down)
    assert world.ledger == [11, 12, 999, 11]


def test_guarded_graph_pays_once(drive: Driver) -> None:
    world = World()
    graph = guarded(payment(world), drive, PAYMENT, PAYMENT_NODES)
    done = drive(graph, "invoke", {"order": "o1"}, THREAD)
    refused = go_back(drive, graph)
    assert all(isinstance(error, RestoreRefusedError) for error in refused)
    assert world.ledger == [11]
    assert world.ran == ["up", "down"]
    assert drive(graph, "get_state", THREAD).values == done
    assert judgements(graph) == []


def test_refusal_carries_the_decision_and_its_evidence(plain: Driver) -> None:
    graph = guarded(payment(World()), plain, PAYMENT, PAYMENT_NODES)
    graph.invoke({"order": "o1"}, THREAD)
    with pytest.raises(RestoreRefusedError, match="was read by down") as caught:
        graph.invoke(None, plain.before(graph, "up"))
    decision = caught.value.decision
    assert decision is not None
    assert decision.reason is Reason.NO_ADMISSIBLE_CHECKPOINT
    assert str(decision.instance) == "up[o1]#1"
    entry = next(one for one in decision.checkpoints if one.kind.value == "entry")
    (witness,) = entry.witnesses
    assert (witness.guard, str(witness.reader)) == ("no_committed_conflict", "down[o1]#1")


def test_graph_behind_the_guard_is_refused_where_the_guard_was_not_asked(drive: Driver) -> None:
    world = World()
    graph = guarded(payment(world), drive, PAYMENT, PAYMENT_NODES)
    drive(graph, "invoke", {"order": "o1"}, THREAD)
    before = drive.before(graph, "down")
    with pytest.raises(RestoreRefusedError, match="the guard was not asked"):
        drive(graph.graph, "invoke", None, before)
    with pytest.raises(RestoreRefusedError, match="the guard was not asked"):
        drive(graph.graph, "update_state", before, {"amount": 999})
    assert world.ledger == [11]


def test_unknown_checkpoint_is_refused(plain: Driver) -> None:
    graph = guarded(payment(World()), plain, PAYMENT, PAYMENT_NODES)
    graph.invoke({"order": "o1"}, THREAD)
    place: Any = {"configurable": {"thread_id": "t", "checkpoint_id": "no-such"}}
    with pytest.raises(RestoreRefusedError, match="not on record"):
        graph.invoke(None, place)


def test_going_back_within_a_subgraph_is_refused(plain: Driver) -> None:
    graph = guarded(payment(World()), plain, PAYMENT, PAYMENT_NODES)
    place: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": "up:1"}}
    with pytest.raises(RestoreRefusedError, match="subgraph"):
        graph.invoke(None, place)


def test_admissible_replay_runs_the_instance_alone(drive: Driver) -> None:
    world = World()
    graph = guarded(meeting(world), drive, MEETING, MEETING_NODES)
    drive(graph, "invoke", {"meeting": "m1"}, THREAD)
    world.ran.clear()
    done = drive(graph, "invoke", None, drive.before(graph, "confirm"))
    assert world.ran == ["confirm"]
    assert done["form"] == "slot 1"
    assert judgements(graph) == [Judgement.AGREES]


def test_replay_before_anybody_has_used_it_is_admitted(drive: Driver) -> None:
    world = World()
    graph = guarded(payment(world), drive, PAYMENT, PAYMENT_NODES)
    drive(graph, "invoke", {"order": "o1"}, THREAD, interrupt_before=["down"])
    drive(graph, "invoke", None, drive.before(graph, "up"))
    assert world.ran == ["up", "up", "down"]
    assert world.ledger == [12]
    assert judgements(graph) == [Judgement.AGREES]


def test_fork_replaces_what_nobody_has_used(drive: Driver) -> None:
    world = World()
    graph = guarded(meeting(world), drive, MEETING, MEETING_NODES)
    drive(graph, "invoke", {"meeting": "m1"}, THREAD, interrupt_before=["invite"])
    old = drive.before(graph, "commit")
    fork = drive(graph, "update_state", old, {"draft": "draft 7"})
    done = drive(graph, "invoke", None, fork)
    assert world.ran == ["propose", "commit", "commit", "invite", "confirm"]
    assert world.ledger == ["slot 7"]
    assert done["form"] == "slot 7"
    assert judgements(graph) == [Judgement.AGREES]


def test_fork_as_a_node_that_has_not_run_takes_back_what_follows(drive: Driver) -> None:
    world = World()
    graph = guarded(meeting(world), drive, MEETING, MEETING_NODES)
    drive(graph, "invoke", {"meeting": "m1"}, THREAD, interrupt_before=["commit"])
    old = drive.before(graph, "propose")
    fork = drive(graph, "update_state", old, {"draft": "draft 7"}, as_node="propose")
    assert drive(graph, "invoke", None, fork)["form"] == "slot 7"
    assert world.ran == ["propose", "commit", "invite", "confirm"]


def test_host_may_write_at_the_head(drive: Driver) -> None:
    world = World()
    graph = guarded(payment(world), drive, PAYMENT, PAYMENT_NODES)
    drive(graph, "invoke", {"order": "o1"}, THREAD, interrupt_before=["down"])
    drive(graph, "update_state", THREAD, {"amount": 5})
    drive(graph, "invoke", None, THREAD)
    assert world.ledger == [5]
    with pytest.raises(RestoreRefusedError, match="pay was performed"):
        drive(graph, "update_state", drive.before(graph, "down"), {"amount": 6})


def test_state_that_was_undone_cannot_be_gone_back_to(plain: Driver) -> None:
    world = World()
    graph = guarded(payment(world), plain, PAYMENT, PAYMENT_NODES)
    graph.invoke({"order": "o1"}, THREAD, interrupt_before=["down"])
    old = plain.before(graph, "down")
    graph.invoke(None, plain.before(graph, "up"), interrupt_before=["down"])
    with pytest.raises(RestoreRefusedError, match="undone since"):
        graph.invoke(None, old)
    graph.invoke(None, THREAD)
    assert world.ledger == [12]


def test_guard_needs_a_checkpointer(plain: Driver) -> None:
    plain.saver = None
    with pytest.raises(GuardError, match="checkpointer"):
        guarded(payment(World()), plain, PAYMENT, PAYMENT_NODES)


def test_durability_is_not_for_the_caller_to_loosen(plain: Driver) -> None:
    graph = guarded(payment(World()), plain, PAYMENT, PAYMENT_NODES)
    with pytest.raises(GuardError, match="sync"):
        graph.invoke({"order": "o1"}, THREAD, durability="exit")


def test_input_is_not_replaced_under_those_who_were_for_it(drive: Driver) -> None:
    """What names the entity is used by whoever is for it, whether the node is given it or not."""
    world = World()

    def down(_: Payment) -> Payment:
        world.ledger.append("paid")
        return {"paid": 1}

    builder = line(Payment, ("up", lambda _: {"amount": 1}), ("down", down))
    nodes = {**PAYMENT_NODES, "down": Node(entity="order", reads=[], effects=["pay"])}
    graph = guarded(builder, drive, PAYMENT, nodes)
    drive(graph, "invoke", {"order": "o1"}, THREAD)
    first = drive.states(graph)[-1].config
    with pytest.raises(RestoreRefusedError, match="has used order"):
        drive(graph, "update_state", first, {"order": "o2"}, as_node=START)
    assert world.ledger == ["paid"]


def test_copy_of_a_checkpoint_is_refused(plain: Driver) -> None:
    graph = guarded(payment(World()), plain, PAYMENT, PAYMENT_NODES)
    graph.invoke({"order": "o1"}, THREAD)
    with pytest.raises(RestoreRefusedError, match="copying"):
        graph.update_state(plain.before(graph, "down"), None, as_node="__copy__")


def test_new_input_at_an_earlier_checkpoint_is_refused(plain: Driver) -> None:
    graph = guarded(payment(World()), plain, PAYMENT, PAYMENT_NODES)
    graph.invoke({"order": "o1"}, THREAD)
    with pytest.raises(RestoreRefusedError, match="not the latest"):
        graph.invoke({"order": "o2"}, plain.before(graph, "down"))


def test_new_input_waits_until_the_task_is_back_at_what_stands(plain: Driver) -> None:
    world = World()
    graph = guarded(meeting(world, reads="meeting", doubts=True), plain, MEETING, ALOOF)
    plain.fails(graph, {"meeting": "m1"}, THREAD)
    graph.invoke(None, THREAD, interrupt_before=["invite"])
    with pytest.raises(RestoreRefusedError, match="come back"):
        graph.invoke({"meeting": "m2"}, THREAD)
    graph.invoke(None, THREAD)
    assert world.ledger == ["m1"]
    graph.invoke({"meeting": "m2"}, THREAD)
    assert world.ledger == ["m1", "m2"]


def test_cache_is_refused(plain: Driver) -> None:
    compiled = payment(World()).compile(checkpointer=plain.saver, cache=InMemoryCache())
    with pytest.raises(GuardError, match="cache"):
        guard(compiled, PAYMENT, PAYMENT_NODES)


def test_who_was_chosen_stands_on_the_choice(drive: Driver) -> None:
    """The node that is reached reads nothing of the chooser's but that it was chosen."""
    world = World()
    graph = guarded(chosen(world), drive, PAYMENT, CHOSEN_NODES)
    drive(graph, "invoke", {"order": "o1"}, THREAD)
    with pytest.raises(RestoreRefusedError, match=r"choice:up@\S+ was read by down"):
        drive(graph, "invoke", None, drive.before(graph, "up"))
    assert world.ledger == ["o1"]
