"""
Recovering a case in each way, on LangGraph as it is and beside a record.

LangGraph as it is gives the counts.
The same run beside a record, which does what LangGraph does and asks nobody, says whether the
history is valid; that both did the same is checked.
"""

from __future__ import annotations

import time
from collections import Counter
from enum import Enum
from typing import Any

from attrs import frozen
from langgraph.checkpoint.memory import InMemorySaver

import dart_core as core
from dart_runtime.langgraph.errors import RestoreRefusedError
from dart_runtime.langgraph.guarded import Guarded, guard
from dart_runtime.langgraph.recorder import Recorder
from dart_runtime.langgraph.validation.acts import MEETING
from dart_runtime.langgraph.validation.cases import Case
from dart_runtime.langgraph.validation.world import World
from dart_runtime.observer import Observer

__all__ = ["Outcome", "Strategy", "measured"]

THREAD: Any = {"configurable": {"thread_id": "task"}}
GIVEN = {"meeting": MEETING}


class Strategy(Enum):
    """A way to go on after a failure."""

    RETRY = "whole-task retry"
    ENTRY = "restore at the subtask's entry"
    RESUME = "plain resume"
    DART = "DART"


@frozen(kw_only=True)
class Outcome:
    """
    What came of a recovery.

    `finished` says that the task came to its end with a form for the slot that stands.
    `violations` is the core's word on the restore and on the history.
    `replay` counts acts that ran again, `upstream_replay` those of other subtasks, `preserved`
    completed subtasks that did not run again.
    `repeated` counts irreversible effects that happened once more, `dangling` those that rely on a
    slot that does not stand at the end.
    """

    finished: bool
    violations: frozenset[core.Violation]
    replay: int
    upstream_replay: int
    preserved: int
    repeated: int
    dangling: int
    milliseconds: float
    verdict: str

    @property
    def success(self) -> bool:
        """Whether the task ended well: the paper's measure."""
        return self.finished and not self.violations


@frozen
class Ran:
    """A run: its world, how many acts were before the recovery, the end state, and the time."""

    world: World
    before: int
    state: Any
    seconds: float


def measured(case: Case, seed: int, strategy: Strategy) -> Outcome:
    """What comes of recovering the case in this way."""
    if strategy is Strategy.DART:
        ran, recorder, decided = _guarded(case, seed)
        return _outcome(case, ran, core.violations(recorder.history), decided)
    ran = _bare(case, seed, strategy)
    beside, violations = _recorded(case, seed, strategy)
    if sorted(ran.world.ran) != sorted(beside.world.ran):
        message = f"{case.name}, {strategy.value}: the recorded run is not the bare one"
        raise AssertionError(message)
    return _outcome(case, ran, violations, "")


def _fail(graph: Any) -> None:
    try:
        graph.invoke(GIVEN, THREAD)
    except Exception:  # noqa: BLE001 (the case's own failure)
        return
    message = "the case did not fail"
    raise AssertionError(message)


def _timed(world: World, recover: Any) -> Ran:
    before, began = len(world.ran), time.perf_counter()
    try:
        state = recover()
    except Exception:  # noqa: BLE001 (it fails again)
        state = None
    return Ran(world, before, state, time.perf_counter() - began)


def _bare(case: Case, seed: int, strategy: Strategy) -> Ran:
    world = World(seed)
    graph: Any = case.build(world, False).compile(checkpointer=InMemorySaver())
    _fail(graph)
    match strategy:
        case Strategy.RETRY:
            other = {"configurable": {"thread_id": "again"}}
            return _timed(world, lambda: graph.invoke(GIVEN, other))
        case Strategy.ENTRY:
            place = _entry(graph.get_state_history(THREAD), case.entry)
            return _timed(world, lambda: graph.invoke(None, place))
        case _:
            return _timed(world, lambda: graph.invoke(None, THREAD))


def _entry(states: Any, entry: str) -> Any:
    """The latest checkpoint at which the subtask's first node comes next."""
    return next(state.config for state in states if entry in state.next)


def _behind_guard(case: Case, seed: int) -> tuple[World, Guarded]:
    world = World(seed)
    graph = case.build(world, True).compile(checkpointer=InMemorySaver())
    guarded = guard(graph, case.contract, case.nodes)
    _fail(guarded)
    return world, guarded


def _guarded(case: Case, seed: int) -> tuple[Ran, Recorder, str]:
    world, guarded = _behind_guard(case, seed)
    decision = guarded.decision(THREAD)
    verdict = "" if decision is None else decision.verdict.value

    def recover() -> Any:
        try:
            return guarded.invoke(None, THREAD)
        except RestoreRefusedError:
            return guarded.rerun(THREAD)

    return _timed(world, recover), guarded.recorder(THREAD), verdict


Violations = frozenset[core.Violation]


def _recorded(case: Case, seed: int, strategy: Strategy) -> tuple[Ran, Violations]:
    """The run that asks nobody, beside a record, and what of its history is not valid."""
    world, guarded = _behind_guard(case, seed)
    recorder = guarded.recorder(THREAD)
    broken, base = _mechanical(case, guarded, recorder, strategy)
    place: Any = {"configurable": {**THREAD["configurable"]}}
    if base is not None:
        place["configurable"]["checkpoint_id"] = base
        recorder.permitted.add(base)
    ran = _timed(world, lambda: guarded.graph.invoke(None, place, durability="sync"))
    return ran, broken | core.violations(recorder.history)


def _mechanical(
    case: Case, guarded: Guarded, recorder: Recorder, strategy: Strategy
) -> tuple[Violations, str | None]:
    """Record what the strategy restores; what that breaks at once, and where LangGraph begins."""
    history = recorder.history
    if strategy is Strategy.RETRY:
        Observer.tell(recorder, core.Rerun())
        return frozenset(), recorder.book.inputs[0]
    if strategy is Strategy.ENTRY:
        place = _entry(guarded.get_state_history(THREAD), case.entry)
        base = place["configurable"]["checkpoint_id"]
        chosen = history.checkpoints[base]
    else:
        base, chosen = None, _before_the_failed_node(history, recorder)
    Observer.tell(recorder, core.Restore(chosen.id))
    return core.restore_violations(history, chosen), base


def _before_the_failed_node(history: core.History, recorder: Recorder) -> core.Checkpoint:
    """The checkpoint that a plain resume comes down to: where the failed node began."""
    stopped = history.failures[0].observed.state
    execution = [one for one in recorder.book.executions.values() if one.node == stopped][-1]
    owner = execution.instance
    acts = [entry.id for entry in core.log_of(history, owner)]
    first = min(acts.index(act) for act in execution.acts if act in acts)
    own = [c for c in core.aligned(history, owner) if c.scope is core.Scope.INSTANCE]
    return max((c for c in own if c.cut[owner] <= first), key=lambda c: c.cut[owner])


def _calm(case: Case, seed: int) -> Counter[str]:
    """How often each act runs where nothing fails."""
    world = World(seed, calm=True)
    case.build(world, False).compile().invoke(GIVEN)
    return Counter(world.ran)


def _outcome(case: Case, ran: Ran, violations: Violations, verdict: str) -> Outcome:
    world, state = ran.world, ran.state or {}
    more = Counter(world.ran) - _calm(case, world.seed)
    own = case.subtasks[case.failed]
    kept = [
        name
        for name, acts in case.subtasks.items()
        if name != case.failed and set(acts) <= set(world.ran[: ran.before]) - set(more)
    ]
    slot = state.get("slot", "")
    entities = frozenset({MEETING, f"{MEETING} round {state.get('rounds', 1)}"})
    return Outcome(
        finished=bool(slot) and state.get("form") == slot,
        violations=violations,
        replay=more.total(),
        upstream_replay=sum(times for act, times in more.items() if act not in own),
        preserved=len(kept),
        repeated=world.repeated(),
        dangling=world.dangling(entities, frozenset({slot, MEETING})) if state else 0,
        milliseconds=1000 * ran.seconds,
        verdict=verdict,
    )
