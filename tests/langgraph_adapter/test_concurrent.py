"""Branches side by side, graphs in graphs, interrupts, loops, and a process that begins anew."""

from __future__ import annotations

import asyncio
import operator
import time
from pathlib import Path
from threading import Event
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt

from dart_core import Boundary, InstanceId
from dart_runtime.langgraph import (
    DivergedError,
    DoubtError,
    GuardError,
    Node,
    RestoreRefusedError,
    act,
)
from dart_tools.judge import Judgement
from langgraph_adapter.graphs import (
    THREAD,
    Driver,
    Meeting,
    World,
    contract,
    driver,
    guarded,
    judgements,
    line,
    skeleton,
)


class Trip(TypedDict, total=False):
    trip: str
    dates: str
    visa: str
    hotel: str
    ticket: str


def side_by_side(world: World, reads: str) -> Any:
    """Dates are set; then a visa is asked for while a hotel is booked; a ticket ends it."""
    asked = Event()

    def dates(_: Trip) -> Trip:
        world.run("dates")
        return {"dates": f"dates {world.ran.count('dates')}"}

    def visa(state: dict[str, str]) -> Trip:
        world.run("visa")
        world.ledger.append(state[reads])
        asked.set()
        return {"visa": state[reads]}

    def hotel(state: Trip) -> Trip:
        world.run("hotel")
        assert asked.wait(10)
        time.sleep(0.3)  # the branch beside it has ended
        if state["dates"] == "dates 1":
            message = "no room"
            raise DoubtError(message, key="dates")
        return {"hotel": state["dates"]}

    def ticket(state: Trip) -> Trip:
        world.run("ticket")
        return {"ticket": f"{state['visa']}, {state['hotel']}"}

    builder: Any = StateGraph(Trip)
    for name, node in (("dates", dates), ("visa", visa), ("hotel", hotel), ("ticket", ticket)):
        builder.add_node(name, node)
    builder.add_edge(START, "dates")
    builder.add_edge("dates", "visa")
    builder.add_edge("dates", "hotel")
    builder.add_edge(["visa", "hotel"], "ticket")
    return builder


TRIP = contract(
    dates=skeleton(), visa=skeleton(ask="irreversible"), hotel=skeleton(), ticket=skeleton()
)


def trip_nodes(reads: str) -> dict[str, Node]:
    return {
        "dates": Node(entity="trip"),
        "visa": Node(entity="trip", reads=[reads], effects=["ask"]),
        "hotel": Node(entity="trip", reads=["dates"]),
        "ticket": Node(entity="trip"),
    }


def test_branch_that_has_used_the_output_blocks(drive: Driver) -> None:
    world = World()
    graph = guarded(side_by_side(world, "dates"), drive, TRIP, trip_nodes("dates"))
    drive.fails(graph, {"trip": "t1"}, THREAD)
    error = drive.fails(graph, None, THREAD)
    assert "was read by visa[t1]#1" in str(error)
    assert world.ledger == ["dates 1"]


def test_branch_that_has_not_used_it_is_kept(drive: Driver) -> None:
    world = World()
    graph = guarded(side_by_side(world, "trip"), drive, TRIP, trip_nodes("trip"))
    drive.fails(graph, {"trip": "t1"}, THREAD)
    done = drive(graph, "invoke", None, THREAD)
    assert world.ledger == ["t1"]
    assert world.ran.count("dates") == 2
    assert done["ticket"] == "t1, dates 2"
    assert judgements(graph) == [Judgement.AGREES]


def test_bare_langgraph_repeats_the_branch(plain: Driver) -> None:
    world = World()
    graph = side_by_side(world, "trip").compile(checkpointer=plain.saver)
    plain.fails(graph, {"trip": "t1"}, THREAD)
    graph.invoke(None, plain.before(graph, "dates"))
    assert world.ledger == ["t1", "t1"]


def paying_beside(world: World) -> Any:
    """One branch pays, while the other finds no room; the host names another hotel."""
    paid = Event()

    def visa(state: Trip) -> Trip:
        world.run("visa")
        world.ledger.append(state["trip"])
        paid.set()
        return {"visa": "yes"}

    def hotel(state: Trip) -> Trip:
        world.run("hotel")
        assert paid.wait(10)
        time.sleep(0.3)  # the branch beside it has ended
        if state.get("dates") is None:
            message = "no room"
            raise OSError(message)
        return {"hotel": state["dates"]}

    builder: Any = StateGraph(Trip)
    builder.add_node("begin", lambda _: {})
    for name, node in (("visa", visa), ("hotel", hotel)):
        builder.add_node(name, node)
        builder.add_edge("begin", name)
    builder.add_edge(START, "begin")
    return builder


def test_bare_langgraph_repeats_a_branch_once_the_host_has_written(plain: Driver) -> None:
    world = World()
    graph = paying_beside(world).compile(checkpointer=plain.saver)
    plain.fails(graph, {"trip": "t1"}, THREAD)
    graph.update_state(THREAD, {"dates": "May"}, as_node="begin")
    graph.invoke(None, THREAD)
    assert world.ledger == ["t1", "t1"]


def test_branch_is_kept_where_the_host_writes_and_the_task_goes_on(drive: Driver) -> None:
    world = World()
    nodes = {**trip_nodes("trip"), "begin": Node(entity="trip"), "hotel": Node(entity="trip")}
    terms = contract(begin=skeleton(), visa=skeleton(ask="irreversible"), hotel=skeleton())
    graph = guarded(paying_beside(world), drive, terms, nodes)
    drive.fails(graph, {"trip": "t1"}, THREAD)
    drive(graph, "update_state", THREAD, {"dates": "May"}, as_node="begin")
    done = drive(graph, "invoke", None, THREAD)
    assert world.ledger == ["t1"]
    assert (done["visa"], done["hotel"]) == ("yes", "May")
    assert judgements(graph) == [Judgement.AGREES]


def test_host_does_not_write_under_those_who_have_read(drive: Driver) -> None:
    world = World()
    nodes = {**trip_nodes("trip"), "begin": Node(entity="trip"), "hotel": Node(entity="trip")}
    terms = contract(begin=skeleton(), visa=skeleton(ask="irreversible"), hotel=skeleton())
    graph = guarded(paying_beside(world), drive, terms, nodes)
    drive.fails(graph, {"trip": "t1"}, THREAD)
    with pytest.raises(RestoreRefusedError, match=r"visa\[t1\]#1 has used trip"):
        drive(graph, "update_state", THREAD, {"trip": "t2"}, as_node="begin")


def test_host_ends_the_task_with_what_has_run(drive: Driver) -> None:
    world = World()
    nodes = {**trip_nodes("trip"), "begin": Node(entity="trip"), "hotel": Node(entity="trip")}
    terms = contract(begin=skeleton(), visa=skeleton(ask="irreversible"), hotel=skeleton())
    graph = guarded(paying_beside(world), drive, terms, nodes)
    drive.fails(graph, {"trip": "t1"}, THREAD)
    drive(graph, "update_state", THREAD, None, as_node=END)
    assert drive(graph, "get_state", THREAD).values["visa"] == "yes"
    drive(graph, "invoke", {"trip": "t2", "dates": "May"}, THREAD)
    assert world.ledger == ["t1", "t2"]


def test_branches_that_swap_values_read_what_stood_before(drive: Driver) -> None:
    class Pair(TypedDict, total=False):
        a: str
        b: str

    builder: Any = StateGraph(Pair)
    builder.add_node("begin", lambda _: {"a": "1", "b": "2"})
    builder.add_node("left", lambda state: {"a": state["b"]})
    builder.add_node("right", lambda state: {"b": state["a"]})
    builder.add_edge(START, "begin")
    builder.add_edge("begin", "left")
    builder.add_edge("begin", "right")
    nodes = {"begin": Node(), "left": Node(reads=["b"]), "right": Node(reads=["a"])}
    graph = guarded(builder, drive, contract(), nodes)
    drive(graph, "invoke", {"a": "0"}, THREAD)
    writers = {
        (reader.skeleton, read.version.writer.skeleton)
        for reader, log in graph.history(THREAD).log.items()
        for entry in log
        for read in entry.reads
        if read.version is not None
    }
    assert writers == {("left", "begin"), ("right", "begin")}


class Batch(TypedDict, total=False):
    items: list[str]
    item: str
    done: Annotated[list[str], operator.add]
    total: str


def fanned_out(world: World, beside: str = "") -> Any:
    """Each item is loaded; one that fails does so when those named beside it have ended."""

    def split(_: Batch) -> Batch:
        world.run("split")
        return {}

    def load(state: Batch) -> Batch:
        if world.fails[f"load {state['item']}"]:
            until = time.monotonic() + 10
            while not {f"load {item}" for item in beside} <= set(world.ran):
                assert time.monotonic() < until
                time.sleep(0.01)
            time.sleep(0.3)
        world.run(f"load {state['item']}")
        return {"done": [f"{state['item']}{world.ran.count('load ' + state['item'])}"]}

    def total(state: Batch) -> Batch:
        world.run("total")
        return {"total": ",".join(sorted(state["done"]))}

    builder: Any = StateGraph(Batch)
    builder.add_node("split", split)
    builder.add_node("load", load)
    builder.add_node("total", total)
    builder.add_edge(START, "split")
    builder.add_conditional_edges(
        "split", lambda state: [Send("load", {"item": item}) for item in state["items"]], ["load"]
    )
    builder.add_edge("load", "total")
    return builder


def test_one_of_many_alone_runs_again(drive: Driver) -> None:
    world = World(**{"load b": 1})
    nodes = {"split": Node(), "load": Node(entity="item"), "total": Node()}
    terms = contract(split=skeleton(), load=skeleton(), total=skeleton())
    graph = guarded(fanned_out(world, "ac"), drive, terms, nodes)
    drive.fails(graph, {"items": ["a", "b", "c"]}, THREAD)
    decision = graph.decision(THREAD)
    assert decision is not None
    assert str(decision.instance) == "load[b]#1"
    done = drive(graph, "invoke", None, THREAD)
    assert done["total"] == "a1,b2,c1"
    assert world.ran.count("split") == 1
    assert world.ran.count("load b") == 2
    assert judgements(graph) == [Judgement.AGREES]


def test_who_reads_a_growing_channel_reads_all_who_wrote_it(plain: Driver) -> None:
    world = World()
    nodes = {"split": Node(), "load": Node(entity="item"), "total": Node()}
    terms = contract(split=skeleton(), load=skeleton(), total=skeleton())
    graph = guarded(fanned_out(world), plain, terms, nodes)
    graph.invoke({"items": ["a", "b"]}, THREAD)
    reader = InstanceId(skeleton="total", entity="task", ordinal=1)
    versions = [
        read.version
        for entry in graph.history(THREAD).log[reader]
        for read in entry.reads
        if read.version is not None
    ]
    assert {version.writer.entity for version in versions} == {"a", "b"}


class Nested(TypedDict, total=False):
    order: str
    part: str
    whole: str
    paid: str


def nested(world: World) -> Any:
    """A graph within a graph makes a part and a whole of it; then it is paid, and checked."""

    def part(_: Nested) -> Nested:
        world.run("part")
        return {"part": f"part {world.ran.count('part')}"}

    def whole(state: Nested) -> Nested:
        world.run("whole")
        return {"whole": f"whole of {state['part']}"}

    def pay(state: Nested) -> Nested:
        world.run("pay")
        world.ledger.append(state["order"])
        return {"paid": "yes"}

    def check(state: Nested) -> Nested:
        world.run("check")
        if world.fails["doubt"]:
            world.fails["doubt"] = 0
            message = "wrong part"
            raise DoubtError(message, key="part")
        return {}

    inner = line(Nested, ("part", part), ("whole", whole)).compile()
    return line(Nested, ("make", inner), ("pay", pay), ("check", check))


NESTED = contract(make=skeleton(), pay=skeleton(pay="irreversible"), check=skeleton())
NESTED_NODES = {
    "part": Node(skeleton="make", entity="order", closes=None, reads=["order"]),
    "whole": Node(skeleton="make", entity="order", reads=["part"]),
    "pay": Node(entity="order", reads=["order"], effects=["pay"]),
    "check": Node(entity="order", reads=["part", "whole"]),
}


def test_failure_within_a_subgraph_is_its_instance_s(drive: Driver) -> None:
    world = World(whole=1)
    graph = guarded(nested(world), drive, NESTED, NESTED_NODES)
    drive.fails(graph, {"order": "o1"}, THREAD)
    decision = graph.decision(THREAD)
    assert decision is not None
    assert str(decision.instance) == "make[o1]#1"
    done = drive(graph, "invoke", None, THREAD)
    assert world.ran == ["part", "whole", "part", "whole", "pay", "check"]
    assert done["whole"] == "whole of part 2"
    assert judgements(graph) == [Judgement.AGREES]


def test_subgraph_alone_runs_again_after_others_went_on(drive: Driver) -> None:
    world = World(doubt=1)
    graph = guarded(nested(world), drive, NESTED, NESTED_NODES)
    drive.fails(graph, {"order": "o1"}, THREAD)
    done = drive(graph, "invoke", None, THREAD)
    assert world.ran == ["part", "whole", "pay", "check", "part", "whole", "check"]
    assert world.ledger == ["o1"]
    assert (done["whole"], done["paid"]) == ("whole of part 2", "yes")
    assert judgements(graph) == [Judgement.AGREES]


def test_subgraph_goes_on_where_its_part_is_committed(drive: Driver) -> None:
    world = World(whole=1)
    nodes = {**NESTED_NODES, "part": Node(skeleton="make", entity="order", closes=Boundary.COMMIT)}
    graph = guarded(nested(world), drive, NESTED, nodes)
    drive.fails(graph, {"order": "o1"}, THREAD)
    assert drive(graph, "invoke", None, THREAD)["whole"] == "whole of part 1"
    assert world.ran == ["part", "whole", "whole", "pay", "check"]


def asking(world: World) -> Any:
    """A node that sends something, and then asks a person."""

    @act(effects=["send"])
    def send(what: str) -> str:
        world.run("send")
        world.ledger.append(what)
        return f"sent {what}"

    def invite(state: Meeting) -> Meeting:
        sent = send(state["meeting"])
        answer = interrupt("go on?")
        return {"sent": f"{sent}, {answer}"}

    return line(Meeting, ("invite", invite))


def test_interrupt_does_not_repeat_what_was_done_before_it(drive: Driver) -> None:
    world = World()
    terms = contract(invite=skeleton(send="irreversible"))
    graph = guarded(asking(world), drive, terms, {"invite": Node(entity="meeting")})
    asked = drive(graph, "invoke", {"meeting": "m1"}, THREAD)
    assert asked["__interrupt__"][0].value == "go on?"
    done = drive(graph, "invoke", Command(resume="yes"), THREAD)
    assert done["sent"] == "sent m1, yes"
    assert world.ledger == ["m1"]
    assert graph.decision(THREAD) is None


def test_interrupt_of_bare_langgraph_repeats_it(plain: Driver) -> None:
    world = World()

    def invite(state: Meeting) -> Meeting:
        world.ledger.append(state["meeting"])
        return {"sent": interrupt("go on?")}

    graph = line(Meeting, ("invite", invite)).compile(checkpointer=plain.saver)
    graph.invoke({"meeting": "m1"}, THREAD)
    graph.invoke(Command(resume="yes"), THREAD)
    assert world.ledger == ["m1", "m1"]


def test_interrupt_within_a_subgraph_does_not_repeat_it_either(drive: Driver) -> None:
    world = World()
    inner = asking(world).compile()
    builder = line(Meeting, ("inner", inner), ("confirm", lambda _: {"form": "yes"}))
    nodes = {"invite": Node(entity="meeting"), "confirm": Node(entity="meeting")}
    terms = contract(invite=skeleton(send="irreversible"), confirm=skeleton())
    graph = guarded(builder, drive, terms, nodes)
    drive(graph, "invoke", {"meeting": "m1"}, THREAD)
    done = drive(graph, "invoke", Command(resume="yes"), THREAD)
    assert (done["sent"], done["form"]) == ("sent m1, yes", "yes")
    assert world.ledger == ["m1"]


def test_what_a_subgraph_hands_to_its_parent_is_recorded(plain: Driver) -> None:
    def hand_over(_: Meeting) -> Command[Any]:
        return Command(graph=Command.PARENT, update={"slot": "9:00"}, goto="confirm")

    inner: Any = StateGraph(Meeting)
    inner.add_node("hand_over", hand_over)
    inner.add_edge(START, "hand_over")
    builder: Any = StateGraph(Meeting)
    builder.add_node("inner", inner.compile(), destinations=("confirm",))
    builder.add_node("confirm", lambda state: {"form": state["slot"]})
    builder.add_edge(START, "inner")
    nodes = {"hand_over": Node(), "confirm": Node(reads=["slot"])}
    graph = guarded(builder, plain, contract(), nodes)
    assert graph.invoke({"meeting": "m1"}, THREAD)["form"] == "9:00"
    reader = InstanceId(skeleton="confirm", entity="task", ordinal=1)
    read = {r.key.split("@")[0] for e in graph.history(THREAD).log[reader] for r in e.reads}
    assert "slot" in read


def test_two_sent_at_once_for_one_entity_are_two_instances(plain: Driver) -> None:
    world = World()
    nodes = {"split": Node(), "load": Node(entity="item"), "total": Node()}
    graph = guarded(fanned_out(world), plain, contract(load=skeleton()), nodes)
    graph.invoke({"items": ["a", "a"]}, THREAD)
    loads = [str(one) for one in graph.history(THREAD).log if one.skeleton == "load"]
    assert sorted(loads) == ["load[a]#1", "load[a]#2"]


def test_call_that_differs_from_the_record_is_not_made(plain: Driver) -> None:
    world = World()

    @act(effects=["send"])
    def send(what: str) -> str:
        world.ledger.append(what)
        return what

    def invite(_: Meeting) -> Meeting:
        world.ran.append("invite")
        return {"sent": send(f"m{len(world.ran)}") + interrupt("go on?")}

    builder = line(Meeting, ("invite", invite))
    terms = contract(invite=skeleton(send="irreversible"))
    graph = guarded(builder, plain, terms, {"invite": Node(entity="meeting")})
    graph.invoke({"meeting": "m"}, THREAD)
    with pytest.raises(DivergedError, match="with other arguments"):
        graph.invoke(Command(resume="yes"), THREAD)
    assert world.ledger == ["m1"]


def test_call_that_failed_and_was_caught_is_not_made_again(plain: Driver) -> None:
    world = World(send=1)

    @act(effects=["send"])
    def send() -> str:
        world.run("send")
        return "sent"

    def invite(_: Meeting) -> Meeting:
        try:
            sent = send()
        except OSError:
            sent = "perhaps sent"
        return {"sent": f"{sent}, {interrupt('go on?')}"}

    terms = contract(invite=skeleton(send="irreversible"))
    nodes = {"invite": Node(entity="meeting")}
    graph = guarded(line(Meeting, ("invite", invite)), plain, terms, nodes)
    graph.invoke({"meeting": "m1"}, THREAD)
    with pytest.raises(DivergedError, match="nobody knows how it ended"):
        graph.invoke(Command(resume="yes"), THREAD)
    assert world.ran == ["send"]


def test_act_outside_of_a_guarded_node_is_refused() -> None:
    @act()
    def send() -> None: ...

    with pytest.raises(GuardError, match="outside"):
        send()


class Walk(TypedDict, total=False):
    place: str
    left: int
    at: str


def walking(world: World) -> Any:
    """One leg after the other, from the same place each time."""

    def leg(state: Walk) -> Walk:
        world.run("leg")
        if world.ran.count("leg") == 2:
            message = "blocked"
            raise OSError(message)
        return {"left": state["left"] - 1, "at": f"step {world.ran.count('leg')}"}

    builder: Any = StateGraph(Walk)
    builder.add_node("leg", leg)
    builder.add_edge(START, "leg")
    builder.add_conditional_edges("leg", lambda s: "leg" if s["left"] else END, ["leg", END])
    return builder


def test_each_round_is_an_instance_and_the_failed_one_alone_runs_again(drive: Driver) -> None:
    world = World()
    nodes = {"leg": Node(entity="place")}
    graph = guarded(walking(world), drive, contract(leg=skeleton()), nodes)
    drive.fails(graph, {"place": "p", "left": 3}, THREAD)
    decision = graph.decision(THREAD)
    assert decision is not None
    assert str(decision.instance) == "leg[p]#2"
    done = drive(graph, "invoke", None, THREAD)
    assert (done["left"], done["at"]) == (0, "step 4")
    assert [str(one) for one in sorted(graph.history(THREAD).log)] == [
        "leg[p]#1",
        "leg[p]#2",
        "leg[p]#3",
    ]


def test_cancelled_branch_without_effects_goes_on(tmp_path: Path) -> None:
    world = World()

    async def slow(_: Trip) -> Trip:
        world.ran.append("slow")
        await asyncio.sleep(30 if world.ran.count("slow") == 1 else 0)
        return {"visa": "yes"}

    async def quick(_: Trip) -> Trip:
        await asyncio.sleep(0.05)
        world.run("quick")
        return {"hotel": "yes"}

    world.fails["quick"] = 1
    builder: Any = StateGraph(Trip)
    builder.add_node("slow", slow)
    builder.add_node("quick", quick)
    builder.add_edge(START, "slow")
    builder.add_edge(START, "quick")
    nodes = {"slow": Node(entity="trip"), "quick": Node(entity="trip")}
    with driver("async-memory", tmp_path) as drive:
        graph = guarded(builder, drive, contract(slow=skeleton(), quick=skeleton()), nodes)
        drive.fails(graph, {"trip": "t1"}, THREAD)
        done = drive(graph, "invoke", None, THREAD)
    assert (done["visa"], done["hotel"]) == ("yes", "yes")
    assert sorted(world.ran) == ["quick", "quick", "slow", "slow"]
    assert judgements(graph) == [Judgement.AGREES]


def test_two_failures_at_once_are_not_told_apart(plain: Driver) -> None:
    world = World(**{"load a": 1, "load b": 1})
    nodes = {"split": Node(), "load": Node(entity="item"), "total": Node()}
    terms = contract(split=skeleton(), load=skeleton(), total=skeleton())
    graph = guarded(fanned_out(world), plain, terms, nodes)
    plain.fails(graph, {"items": ["a", "b"]}, THREAD)
    assert "it is not known whose" in str(plain.fails(graph, None, THREAD))
    assert graph.rerun(THREAD)["total"] == "a2,b2"
    assert judgements(graph) == [Judgement.AGREES]
