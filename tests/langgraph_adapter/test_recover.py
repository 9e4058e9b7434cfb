"""Going on after a failure: who runs again, what is refused, and what the trace says of it."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.errors import GraphRecursionError
from langgraph.types import RetryPolicy

from dart_core import Boundary, Contract, Fallback, Rerun, Verdict
from dart_runtime.langgraph import DoubtError, Node, RestoreRefusedError, act
from dart_runtime.observer import Observer
from dart_runtime.sidecar import NothingDoneError
from dart_tools.judge import Judgement
from langgraph_adapter.graphs import (
    ALOOF,
    MADE,
    MEETING,
    MEETING_NODES,
    PAYMENT,
    PAYMENT_NODES,
    THREAD,
    Driver,
    Meeting,
    World,
    contract,
    guarded,
    judgements,
    line,
    meeting,
    payment,
    skeleton,
)


def test_failed_act_alone_runs_again(drive: Driver) -> None:
    world = World(confirm=1)
    graph = guarded(meeting(world), drive, MEETING, MEETING_NODES)
    assert isinstance(drive.fails(graph, {"meeting": "m1"}, THREAD), OSError)
    decision = graph.decision(THREAD)
    assert decision is not None
    assert (decision.verdict, decision.replay) == (Verdict.RESTORE, 1)
    done = drive(graph, "invoke", None, THREAD)
    assert done["form"] == "slot 1"
    assert world.ran == ["propose", "commit", "invite", "confirm", "confirm"]
    assert world.ledger == ["slot 1"]
    assert judgements(graph) == [Judgement.AGREES]


def test_going_back_to_the_entry_of_what_failed_is_refused(drive: Driver) -> None:
    world = World(confirm=1)
    graph = guarded(meeting(world), drive, MEETING, MEETING_NODES)
    drive.fails(graph, {"meeting": "m1"}, THREAD)
    for node in ("propose", "commit"):
        with pytest.raises(RestoreRefusedError, match="read by invite"):
            drive(graph, "invoke", None, drive.before(graph, node))
    assert drive(graph, "invoke", None, THREAD)["form"] == "slot 1"
    assert world.ledger == ["slot 1"]


def test_entry_restore_of_bare_langgraph_sends_twice(drive: Driver) -> None:
    world = World(confirm=1)
    graph = meeting(world).compile(checkpointer=drive.saver)
    drive.fails(graph, {"meeting": "m1"}, THREAD)
    drive(graph, "invoke", None, drive.before(graph, "propose"))
    assert world.ledger == ["slot 1", "slot 2"]


def test_new_input_waits_for_a_pending_failure(plain: Driver) -> None:
    graph = guarded(meeting(World(confirm=1)), plain, MEETING, MEETING_NODES)
    plain.fails(graph, {"meeting": "m1"}, THREAD)
    with pytest.raises(RestoreRefusedError, match="a failure is pending"):
        graph.invoke({"meeting": "m2"}, THREAD)


def test_plain_resume_never_repairs_an_earlier_act(drive: Driver) -> None:
    world = World()
    graph = meeting(world, reads="meeting", doubts=True).compile(checkpointer=drive.saver)
    for given in ({"meeting": "m1"}, None, None):
        assert isinstance(drive.fails(graph, given, THREAD), DoubtError)
    assert world.ran == ["propose", "commit", "invite", "confirm", "confirm", "confirm"]


def test_earlier_act_in_doubt_runs_again_and_nobody_else(drive: Driver) -> None:
    world = World()
    graph = guarded(meeting(world, reads="meeting", doubts=True), drive, MEETING, ALOOF)
    drive.fails(graph, {"meeting": "m1"}, THREAD)
    done = drive(graph, "invoke", None, THREAD)
    assert world.ran[4:] == ["propose", "commit", "confirm"]
    assert world.ledger == ["m1"]
    assert (done["form"], done["sent"]) == ("slot 2", "m1")
    assert judgements(graph) == [Judgement.AGREES]


def test_earlier_act_in_doubt_is_refused_where_somebody_committed_on_it(drive: Driver) -> None:
    world = World()
    graph = guarded(meeting(world, doubts=True), drive, MEETING, MEETING_NODES)
    drive.fails(graph, {"meeting": "m1"}, THREAD)
    with pytest.raises(RestoreRefusedError, match="read by invite"):
        drive(graph, "invoke", None, THREAD)
    assert world.ledger == ["slot 1"]
    assert judgements(graph) == [Judgement.PENDING]


def test_whole_task_runs_again_where_that_is_decided(drive: Driver) -> None:
    world = World()
    graph = guarded(meeting(world, doubts=True), drive, MEETING, MEETING_NODES)
    drive.fails(graph, {"meeting": "m1"}, THREAD)
    decision = graph.decision(THREAD)
    assert decision is not None
    assert [hazard.effect for hazard in decision.hazards] == ["send"]
    done = drive(graph, "rerun", THREAD)
    assert world.ran[4:] == ["propose", "commit", "invite", "confirm"]
    assert done["form"] == "slot 2"
    assert judgements(graph) == [Judgement.AGREES]


def test_whole_task_does_not_run_again_where_a_person_is_to_be_asked(plain: Driver) -> None:
    world = World()
    terms = Contract(skeletons=MEETING.skeletons, fallback=Fallback.ESCALATE)
    graph = guarded(meeting(world, doubts=True), plain, terms, MEETING_NODES)
    plain.fails(graph, {"meeting": "m1"}, THREAD)
    with pytest.raises(RestoreRefusedError) as caught:
        graph.rerun(THREAD)
    assert caught.value.decision is not None
    assert caught.value.decision.verdict is Verdict.ESCALATE
    assert world.ledger == ["slot 1"]
    MADE.remove(graph)  # what the person decides is hazardous by the contract
    Observer.tell(graph.recorder(THREAD), Rerun())
    assert graph.invoke(None, THREAD)["form"] == "slot 2"
    assert judgements(graph) == [Judgement.HAZARDOUS]


def test_whole_task_does_not_run_again_where_a_restore_is_decided(plain: Driver) -> None:
    graph = guarded(meeting(World(confirm=1)), plain, MEETING, MEETING_NODES)
    plain.fails(graph, {"meeting": "m1"}, THREAD)
    with pytest.raises(RestoreRefusedError, match="what may be restored"):
        graph.rerun(THREAD)


def test_effect_in_doubt_is_not_repeated(drive: Driver) -> None:
    world = World(down=1)
    graph = guarded(payment(world), drive, PAYMENT, PAYMENT_NODES)
    drive.fails(graph, {"order": "o1"}, THREAD)
    with pytest.raises(RestoreRefusedError, match="pay was performed"):
        drive(graph, "invoke", None, THREAD)
    assert world.ran == ["up", "down"]


def two_steps(world: World, *, first: str, second: str) -> Any:
    """One node that does two things to the world, each by a function of its own."""

    @act(effects=["send"])
    def send(slot: str) -> str:
        world.run(first)
        world.ledger.append(slot)
        return f"sent {slot}"

    @act(effects=["book"])
    def book(slot: str) -> str:
        world.run(second)
        return f"booked {slot}"

    def invite(state: Meeting) -> Meeting:
        return {"sent": f"{send(state['meeting'])}, {book(state['meeting'])}"}

    return line(Meeting, ("invite", invite))


def test_bare_resume_repeats_the_effect_that_the_failed_node_already_had(plain: Driver) -> None:
    world = World(book=1)

    def invite(state: Meeting) -> Meeting:
        world.ledger.append(state["meeting"])
        world.run("book")
        return {"sent": "yes"}

    graph = line(Meeting, ("invite", invite)).compile(checkpointer=plain.saver)
    plain.fails(graph, {"meeting": "m1"}, THREAD)
    graph.invoke(None, THREAD)
    assert world.ledger == ["m1", "m1"]


@pytest.mark.parametrize("kind", ["reversible", "idempotent"])
def test_effect_that_a_failed_node_already_had_is_kept(drive: Driver, kind: str) -> None:
    world = World(book=1)
    terms = contract(invite=skeleton(send="irreversible", book=kind))
    builder = two_steps(world, first="send", second="book")
    graph = guarded(builder, drive, terms, {"invite": Node(entity="meeting")})
    drive.fails(graph, {"meeting": "m1"}, THREAD)
    done = drive(graph, "invoke", None, THREAD)
    assert world.ran == ["send", "book", "book"]
    assert world.ledger == ["m1"]
    assert done["sent"] == "sent m1, booked m1"
    assert judgements(graph) == [Judgement.AGREES]


def test_irreversible_effect_in_doubt_within_a_node_is_refused(plain: Driver) -> None:
    world = World(book=1)
    terms = contract(invite=skeleton(send="irreversible", book="irreversible"))
    builder = two_steps(world, first="send", second="book")
    graph = guarded(builder, plain, terms, {"invite": Node(entity="meeting")})
    plain.fails(graph, {"meeting": "m1"}, THREAD)
    with pytest.raises(RestoreRefusedError, match="book was performed"):
        graph.invoke(None, THREAD)
    assert world.ran == ["send", "book"]


def test_function_that_knows_that_it_did_nothing_may_be_called_again(plain: Driver) -> None:
    world = World()

    @act(effects=["send"])
    def send() -> str:
        world.ran.append("send")
        if len(world.ran) == 1:
            raise NothingDoneError
        return "sent"

    builder = line(Meeting, ("invite", lambda _: {"sent": send()}))
    nodes = {"invite": Node(entity="meeting")}
    graph = guarded(builder, plain, contract(invite=skeleton(send="irreversible")), nodes)
    plain.fails(graph, {"meeting": "m1"}, THREAD)
    assert graph.invoke(None, THREAD)["sent"] == "sent"


def test_retry_policy_passes_the_gate_or_stops_there(drive: Driver) -> None:
    world = World(confirm=1)
    builder = meeting(world)
    builder.nodes["confirm"].retry_policy = RetryPolicy(initial_interval=0, retry_on=OSError)
    graph = guarded(builder, drive, MEETING, MEETING_NODES)
    drive(graph, "invoke", {"meeting": "m1"}, THREAD)
    assert world.ran[3:] == ["confirm", "confirm"]
    assert judgements(graph) == [Judgement.AGREES]


def test_retry_policy_does_not_repeat_an_effect_in_doubt(drive: Driver) -> None:
    world = World(down=1)
    builder = payment(world)
    builder.nodes["down"].retry_policy = RetryPolicy(initial_interval=0, retry_on=OSError)
    graph = guarded(builder, drive, PAYMENT, PAYMENT_NODES)
    assert isinstance(drive.fails(graph, {"order": "o1"}, THREAD), RestoreRefusedError)
    assert world.ran == ["up", "down"]


def test_failure_of_a_choice_is_the_chooser_s(drive: Driver) -> None:
    world = World(choose=1)
    builder = meeting(world)

    def choose(state: Meeting) -> str:
        world.run("choose")
        return "invite"

    builder.edges.discard(("commit", "invite"))
    builder.add_conditional_edges("commit", choose, ["invite"])
    graph = guarded(builder, drive, MEETING, MEETING_NODES)
    drive.fails(graph, {"meeting": "m1"}, THREAD)
    decision = graph.decision(THREAD)
    assert decision is not None
    assert str(decision.instance) == "slot[m1]#1"
    drive(graph, "invoke", None, THREAD)
    assert world.ran[:4] == ["propose", "commit", "choose", "propose"]
    assert world.ledger == ["slot 2"]


def test_choice_is_read_by_whom_it_chose(plain: Driver) -> None:
    world = World()
    builder = meeting(world)
    builder.edges.discard(("commit", "invite"))
    builder.add_conditional_edges("commit", lambda _: "invite", ["invite"])
    nodes = {**MEETING_NODES, "invite": Node(entity="meeting", reads=["meeting", "slot"])}
    graph = guarded(builder, plain, MEETING, nodes)
    graph.invoke({"meeting": "m1"}, THREAD)
    reads = {
        read.key.split("@")[0]
        for instance, log in graph.history(THREAD).log.items()
        if instance.skeleton == "invite"
        for entry in log
        for read in entry.reads
    }
    assert reads == {"slot", "choice:commit"}


def test_running_out_of_steps_is_no_failure(plain: Driver) -> None:
    graph = guarded(meeting(World()), plain, MEETING, MEETING_NODES)
    place: Any = {**THREAD, "recursion_limit": 2}
    with pytest.raises(GraphRecursionError):
        graph.invoke({"meeting": "m1"}, place)
    assert graph.decision(THREAD) is None
    assert graph.invoke(None, THREAD)["form"] == "slot 1"


def test_boundary_inside_an_open_handoff_is_no_boundary(plain: Driver) -> None:
    graph = guarded(meeting(World(commit=1)), plain, MEETING, MEETING_NODES)
    plain.fails(graph, {"meeting": "m1"}, THREAD)
    decision = graph.decision(THREAD)
    assert decision is not None
    kinds = {one.id: (one.kind, one.guards.closed) for one in decision.checkpoints}
    assert decision.checkpoint is not None
    assert kinds[decision.checkpoint] == (Boundary.ENTRY, True)
    assert (Boundary.COMMIT, False) in kinds.values()
    graph.invoke(None, THREAD)
