"""An agent that would send an invitation twice, and does not."""

from typing import Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

from dart_core import Contract, FrozenMap, Skeleton
from dart_runtime.langgraph import Node, RestoreRefusedError, act, guard

SENT: list[str] = []
ARCHIVE = {"tries": 0}


class Meeting(TypedDict, total=False):
    name: str
    slot: str
    invited: str


@act(effects=["send_invite"])  # not in the contract's list of effects, so irreversible
def send_invite(slot: str) -> str:
    SENT.append(slot)
    return f"invited for {slot}"


@act()
def archive(text: str) -> None:
    ARCHIVE["tries"] += 1
    if ARCHIVE["tries"] == 1:
        raise OSError("the archive does not answer")


def propose(state: Meeting) -> Meeting:
    return {"slot": f"{9 + len(SENT)}:00"}


def invite(state: Meeting) -> Meeting:
    invited = send_invite(state["slot"])
    archive(invited)
    return {"invited": invited}


builder = StateGraph(Meeting).add_sequence([propose, invite]).add_edge(START, "propose")
contract = Contract(skeletons=FrozenMap({"propose": Skeleton(), "invite": Skeleton()}))
nodes = {name: Node(entity="name") for name in ("propose", "invite")}
graph = guard(builder.compile(checkpointer=InMemorySaver()), contract, nodes)
thread: Any = {"configurable": {"thread_id": "1"}}

try:
    graph.invoke({"name": "review"}, thread)
except OSError as error:
    print("failed:", error)
print("resumed:", graph.invoke(None, thread))
for state in graph.get_state_history(thread):
    if state.next == ("propose",):
        try:
            graph.invoke(None, state.config)
        except RestoreRefusedError as refused:
            print("refused:", refused)
print("sent:", SENT)
