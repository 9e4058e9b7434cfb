"""Small graphs, what they did to the world, and one way to drive them plainly or async."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph

from dart_core import Boundary, Contract, EffectClass, FrozenMap, Skeleton
from dart_runtime.langgraph import DoubtError, Guarded, Node, guard
from dart_tools.codec import parse_trace
from dart_tools.judge import Judgement, judge_trace

KINDS = ["memory", "sqlite", "async-memory", "async-sqlite"]
MADE: list[Guarded] = []
THREAD: Any = {"configurable": {"thread_id": "t"}}


class World:
    """What the nodes did: which ran, what they did to the world, and what is still to fail."""

    def __init__(self, **fails: int) -> None:
        self.ran: list[str] = []
        self.ledger: list[Any] = []
        self.fails = Counter(fails)

    def run(self, name: str) -> None:
        self.ran.append(name)
        if self.fails[name] > 0:
            self.fails[name] -= 1
            message = f"{name} failed"
            raise OSError(message)


class Driver:
    """A checkpointer, and calls that are plain or async."""

    def __init__(self, saver: Any, runner: asyncio.Runner | None) -> None:
        self.saver = saver
        self._runner = runner

    def __call__(self, graph: Any, method: str, *args: Any, **named: Any) -> Any:
        if self._runner is None:
            return getattr(graph, method)(*args, **named)
        return self._runner.run(getattr(graph, f"a{method}")(*args, **named))

    def fails(self, graph: Any, *args: Any) -> BaseException:
        try:
            self(graph, "invoke", *args)
        except Exception as error:  # noqa: BLE001
            return error
        message = "it did not fail"
        raise AssertionError(message)

    def states(self, graph: Any) -> list[Any]:
        if isinstance(graph, Guarded) or self._runner is None:
            return list(self(graph, "get_state_history", THREAD))

        async def collect() -> list[Any]:
            return [state async for state in graph.aget_state_history(THREAD)]

        return self._runner.run(collect())

    def before(self, graph: Any, *nodes: str) -> Any:
        """The config of the latest checkpoint at which these nodes come next."""
        return next(s.config for s in self.states(graph) if set(s.next) == set(nodes))


@contextmanager
def driver(kind: str, folder: Path) -> Iterator[Driver]:
    place = str(folder / "checkpoints.sqlite")
    if kind == "memory":
        yield Driver(InMemorySaver(), None)
    elif kind == "sqlite":
        with SqliteSaver.from_conn_string(place) as saver:
            yield Driver(saver, None)
    else:
        with asyncio.Runner() as runner:
            if kind == "async-memory":
                yield Driver(InMemorySaver(), runner)
            else:
                opened = AsyncSqliteSaver.from_conn_string(place)
                yield Driver(runner.run(opened.__aenter__()), runner)
                runner.run(opened.__aexit__(None, None, None))


def skeleton(**effects: str) -> Skeleton:
    return Skeleton(effects=FrozenMap((k, EffectClass(v)) for k, v in effects.items()))


def contract(**skeletons: Skeleton) -> Contract:
    return Contract(skeletons=FrozenMap(skeletons))


def line(state: type, *steps: tuple[str, Any]) -> StateGraph[Any]:
    """A graph whose nodes run one after the other."""
    builder: StateGraph[Any] = StateGraph(state)
    for name, function in steps:
        builder.add_node(name, function)
    names = [START, *(name for name, _ in steps), END]
    for one, other in pairwise(names):
        builder.add_edge(one, other)
    return builder


class Payment(TypedDict, total=False):
    order: str
    amount: int
    paid: int


def payment(world: World) -> StateGraph[Any]:
    """`up` sets an amount, `down` pays it."""

    def up(state: Payment) -> Payment:
        world.run("up")
        return {"amount": 10 + world.ran.count("up")}

    def down(state: Payment) -> Payment:
        world.run("down")
        world.ledger.append(state["amount"])
        return {"paid": state["amount"]}

    return line(Payment, ("up", up), ("down", down))


PAYMENT = contract(up=skeleton(), down=skeleton(pay="irreversible"))
PAYMENT_NODES = {"up": Node(entity="order"), "down": Node(entity="order", effects=["pay"])}


class Meeting(TypedDict, total=False):
    meeting: str
    draft: str
    slot: str
    sent: str
    form: str


def meeting(world: World, *, reads: str = "slot", doubts: bool = False) -> StateGraph[Any]:
    """
    A slot is proposed and committed, an invitation is sent, and the slot is confirmed.

    The invitation is for the slot, or reads something else.
    Where the confirmation doubts, the first slot turns out stale.
    """

    def propose(_: Meeting) -> Meeting:
        world.run("propose")
        return {"draft": f"draft {world.ran.count('propose')}"}

    def commit(state: Meeting) -> Meeting:
        world.run("commit")
        return {"slot": state["draft"].replace("draft", "slot")}

    def invite(state: dict[str, str]) -> Meeting:
        world.run("invite")
        world.ledger.append(state[reads])
        return {"sent": state[reads]}

    def confirm(state: Meeting) -> Meeting:
        world.run("confirm")
        if doubts and state["slot"] == "slot 1":
            message = "the slot is taken"
            raise DoubtError(message, key="slot")
        return {"form": state["slot"]}

    return line(
        Meeting, ("propose", propose), ("commit", commit), ("invite", invite), ("confirm", confirm)
    )


MEETING = contract(slot=skeleton(), invite=skeleton(send="irreversible"))
MEETING_NODES = {
    "propose": Node(skeleton="slot", entity="meeting", closes=None, reads=["meeting"]),
    "commit": Node(skeleton="slot", entity="meeting", closes=Boundary.COMMIT, reads=["draft"]),
    "invite": Node(entity="meeting", reads=["slot"], effects=["send"]),
    "confirm": Node(skeleton="slot", entity="meeting", reads=["slot"]),
}


ALOOF = {
    **MEETING_NODES,
    "invite": Node(entity="meeting", reads=["meeting"], effects=["send"]),
}


def guarded(
    builder: StateGraph[Any], drive: Driver, terms: Contract, nodes: Mapping[str, Node], **more: Any
) -> Guarded:
    graph = guard(builder.compile(checkpointer=drive.saver), terms, nodes, **more)
    MADE.append(graph)
    return graph


def judgements(graph: Guarded) -> list[Judgement]:
    """What the audit says of each recovery that the graph recorded."""
    judged = judge_trace(parse_trace(graph.trace(THREAD), "t.jsonl"))
    return [recovery.judgement for recovery in judged.recoveries]
