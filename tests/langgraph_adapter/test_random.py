"""
Random graphs that fail at random, against what the world itself remembers.

A value says which run of which node wrote it, so that the end shows whether anybody stands on a
run that was undone: whatever the record says.
"""

from __future__ import annotations

import asyncio
import operator
from collections import Counter
from pathlib import Path
from random import Random
from typing import Annotated, Any, TypedDict

import pytest
from attrs import define, field, frozen
from langgraph.graph import START, StateGraph

import dart_core as core
from dart_core import Boundary, Verdict
from dart_runtime.langgraph import DoubtError, Guarded, Node, RestoreRefusedError, act
from dart_runtime.langgraph.book import Book
from dart_tools.judge import Judgement
from langgraph_adapter.graphs import (
    MADE,
    THREAD,
    Driver,
    contract,
    driver,
    guarded,
    judgements,
    skeleton,
)


class State(TypedDict, total=False):
    task: str
    all: Annotated[list[str], operator.add]
    k0: str
    k1: str
    k2: str
    k3: str
    k4: str
    k5: str


@frozen(kw_only=True)
class Plan:
    """One node: its layer and what it does."""

    name: str
    layer: int
    subtask: str
    last: bool
    commits: bool
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    effect: bool
    acts: bool
    fails: bool
    late: bool
    doubts: tuple[str, ...]


@define
class Truth:
    """What happened, as the world has it."""

    wrong: set[str]
    epoch: int = 0
    runs: Counter[str] = field(factory=Counter)
    failed: set[str] = field(factory=set)
    inputs: dict[str, list[str]] = field(factory=dict)
    done: Counter[tuple[str, int]] = field(factory=Counter)
    finished: set[str] = field(factory=set)


def planned(random: Random) -> list[Plan]:
    plans: list[Plan] = []
    running: list[str] = []
    for layer in range(random.randint(3, 6)):
        free = [f"k{n}" for n in range(6)]
        random.shuffle(free)
        taken: set[str] = set()
        for place in range(random.choice([1, 1, 2, 3])):
            going = [one for one in running if one not in taken]
            new = not going or random.random() < 0.5
            subtask = f"s{layer}{place}" if new else random.choice(going)
            taken.add(subtask)
            last = random.random() < 0.5
            running = [one for one in running if one != subtask] + ([] if last else [subtask])
            known = sorted({key for plan in plans for key in plan.writes})
            reads = tuple(random.sample(known, min(len(known), random.randint(0, 2))))
            writes = (free.pop(), *(["all"] if random.random() < 0.3 else []))
            plans.append(
                Plan(
                    name=f"n{layer}{place}",
                    layer=layer,
                    subtask=subtask,
                    last=last,
                    commits=random.random() < 0.5,
                    reads=reads,
                    writes=writes,
                    effect=random.random() < 0.3,
                    acts=random.random() < 0.5,
                    fails=random.random() < 0.15,
                    late=random.random() < 0.5,
                    doubts=tuple(key for key in reads if key != "all" and random.random() < 0.4),
                )
            )
    return plans


def node(plan: Plan, truth: Truth, *, waits: bool) -> Any:
    def do() -> None:
        truth.done[plan.name, truth.epoch] += 1

    recorded = act("do", effects=["do"])(do)

    def run(state: Any) -> Any:
        truth.runs[plan.name] += 1
        values = [v for key in plan.reads for v in _values(state.get(key, []))]
        for key in plan.doubts:
            if state.get(key) in truth.wrong:
                message = f"{key} is wrong"
                raise DoubtError(message, key=key)
        first = plan.fails and plan.name not in truth.failed
        truth.failed.add(plan.name)
        if first and not plan.late:
            raise OSError(plan.name)
        if plan.effect:
            (recorded if plan.acts else do)()
        if first:
            raise OSError(plan.name)
        truth.inputs[plan.name] = values
        truth.finished.add(plan.name)
        value = f"{plan.name}:{truth.runs[plan.name]}"
        return {key: [value] if key == "all" else value for key in plan.writes}

    async def waiting(state: Any) -> Any:
        await asyncio.sleep(0)
        return run(state)

    return waiting if waits else run


def _values(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def built(plans: list[Plan], truth: Truth, *, waits: bool) -> tuple[Any, dict[str, Node]]:
    builder: Any = StateGraph(State)
    nodes = {}
    for plan in plans:
        builder.add_node(plan.name, node(plan, truth, waits=waits))
        closes = Boundary.EXIT if plan.last else Boundary.COMMIT if plan.commits else None
        nodes[plan.name] = Node(
            skeleton=plan.subtask,
            entity="task",
            closes=closes,
            reads=plan.reads,
            effects=["do"] if plan.effect and not plan.acts else [],
        )
    layers = sorted({plan.layer for plan in plans})
    before: list[str] = [START]
    for layer in layers:
        names = [plan.name for plan in plans if plan.layer == layer]
        for name in names:
            if before == [START] or len(before) == 1:
                builder.add_edge(before[0], name)
            else:
                builder.add_edge(before, name)
        before = names
    return builder, nodes


def recovered(drive: Driver, graph: Guarded, truth: Truth, plans: list[Plan]) -> Counter[str]:
    """Run to the end, recovering as is decided; how often each verdict was carried out."""
    subtasks = {plan.name: plan.subtask for plan in plans}
    verdicts: Counter[str] = Counter()
    given: Any = {"task": "t"}
    for _ in range(40):
        before, finished = truth.runs.copy(), set(truth.finished)
        decision = graph.decision(THREAD)
        try:
            if decision is not None and decision.verdict is not Verdict.RESTORE:
                with pytest.raises(RestoreRefusedError):
                    drive(graph, "invoke", None, THREAD)
                assert truth.runs == before
                truth.epoch += 1
                truth.finished.clear()
                verdicts["rerun"] += 1
                drive(graph, "rerun", THREAD)
            else:
                verdicts["restore"] += decision is not None
                drive(graph, "invoke", given, THREAD)
        except (OSError, DoubtError):
            given = None
        else:
            return verdicts
        finally:
            again = truth.runs - before
            if decision is not None and decision.verdict is Verdict.RESTORE:
                assert decision.instance is not None
                others = {n for n in again if subtasks[n] != decision.instance.skeleton}
                assert not others & finished, "somebody else ran again"
    message = "it never ends"
    raise AssertionError(message)


def asked(random: Random, drive: Driver, graph: Guarded, truth: Truth) -> str:
    """Ask to replay from somewhere, or to fork there; whether it was refused."""
    states = drive.states(graph)
    place = random.randrange(1, len(states))
    state, before = states[place], states[min(place + 1, len(states) - 1)]
    written = before.tasks[0].result if len(before.next) == 1 else None
    runs = truth.runs.copy()
    try:
        if not written or "all" in written or random.random() < 0.5:
            drive(graph, "invoke", None, state.config)
            return "replayed"
        (name,) = before.next
        truth.runs[name] += 1
        values = dict.fromkeys(written, f"{name}:{truth.runs[name]}")
        fork = drive(graph, "update_state", state.config, values, as_node=name)
        drive(graph, "invoke", None, fork)
    except RestoreRefusedError:
        truth.runs = runs
        return "refused"
    return "forked"


def explored(seed: str, kind: str, folder: Path) -> Counter[str]:
    """Run one random graph to its end, and look at the world; what was carried out on the way."""
    random = Random(seed)  # noqa: S311 (no secret)
    plans = planned(random)
    truth = Truth({f"{plan.name}:1" for plan in plans if random.random() < 0.3})
    builder, nodes = built(plans, truth, waits=kind != "memory")
    terms = contract(**{plan.subtask: skeleton(do="irreversible") for plan in plans})
    with driver(kind, folder) as drive:
        graph = guarded(builder, drive, terms, nodes)
        verdicts = recovered(drive, graph, truth, plans)
        for _ in range(4):
            verdicts[asked(random, drive, graph, truth)] += 1
        state = drive(graph, "get_state", THREAD).values
    last = {f"{name}:{runs}" for name, runs in truth.runs.items()}
    for name, values in truth.inputs.items():
        assert set(values) <= last, f"{seed}: {name} stands on an undone run"
    held = {v for key, value in state.items() if key != "task" for v in _values(value)}
    assert held <= last, f"{seed}: the state holds what was undone"
    assert max(truth.done.values(), default=0) <= 1, f"{seed}: done twice"
    assert not core.violations(graph.history(THREAD)), seed
    assert set(judgements(graph)) <= {Judgement.AGREES}, seed
    return verdicts


@pytest.mark.parametrize("kind", ["memory", "async-memory"])
@pytest.mark.parametrize("batch", range(3))
def test_nobody_stands_on_what_was_undone(batch: int, kind: str, tmp_path: Path) -> None:
    verdicts: Counter[str] = Counter()
    for number in range(10):
        verdicts += explored(f"{batch} {number}", kind, tmp_path)
    assert {"restore", "rerun", "refused"} <= set(verdicts)
    assert verdicts["replayed"] + verdicts["forked"] > 0


def _nothing(*_: object) -> frozenset[str]:
    return frozenset()


def _last_written(book: Book, channels: Any, _place: object, _shape: object) -> frozenset[str]:
    """The bug of naming what was recorded last, wherever LangGraph's state stands."""
    wrote = [pair for one in book.executions.values() for pair in one.wrote]
    return frozenset(dict(pair for pair in wrote if pair[0] in set(channels)).values())


def _true(*_: object) -> bool:
    return True


def _none(*_: object) -> None:
    return None


def _head(book: Book, _: object) -> tuple[str | None, bool]:
    return book.heads.get(""), False


BUGS = [
    ("dart_core.admit.no_committed_conflict", _true),
    ("dart_core.admit.no_live_conflict", _true),
    ("dart_core.admit.effect_allowed", _true),
    ("dart_core.admit.closed", _true),
    ("dart_runtime.langgraph.book.Book.recorded", _none),
    ("dart_runtime.langgraph.book.Book.keys_of", _nothing),
    ("dart_runtime.langgraph.book.Book.keys_of", _last_written),
    ("dart_runtime.langgraph.book.Book.base", _head),
]


@pytest.mark.parametrize(("place", "bug"), BUGS)
def test_exploration_finds_the_bug(
    place: str, bug: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(100):
        with monkeypatch.context() as patched:
            patched.setattr(place, bug)
            found = _breaks(f"bug {number}", tmp_path)
        MADE.clear()
        if found:
            explored(f"bug {number}", "memory", tmp_path)
            return
    pytest.fail(f"no graph shows what {place} is for")


def _breaks(seed: str, folder: Path) -> bool:
    try:
        explored(seed, "memory", folder)
    except Exception:  # noqa: BLE001 (whatever it breaks)
        return True
    return False
