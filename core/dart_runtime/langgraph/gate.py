"""
What the host asks for, judged: to resume, to replay, to fork, to begin again.

Each function refuses by RestoreRefusedError, and then nothing has changed; or it records what is
carried out.
A replay or a fork where nothing has failed says that something is in doubt all the same: what ran
first after the checkpoint, or what the fork replaces.
"""

from __future__ import annotations

import dart_core as core
from dart_core import Decision, Event, Fail, History, Refusal, Verdict
from dart_runtime.errors import NotEnabledError
from dart_runtime.langgraph.book import Execution
from dart_runtime.langgraph.errors import RestoreRefusedError
from dart_runtime.langgraph.reasons import because, first_undone
from dart_runtime.langgraph.recorder import Recorder
from dart_runtime.registry import tag_of

__all__ = ["blame", "fork", "renew", "replay", "rerun", "resume", "update"]


def resume(recorder: Recorder) -> str | None:
    """The checkpoint to go on from; None for LangGraph's latest. A pending failure is recovered."""
    if recorder.ledger.announced:
        recorder.doubt()
    decision = recorder.decide()
    if decision is not None:
        if decision.verdict is not Verdict.RESTORE:
            raise RestoreRefusedError("resuming", because(decision), decision)
        recorder.carry_out()
    base, back = recorder.book.base(recorder.history)
    return base if back else None


def renew(recorder: Recorder) -> None:
    """Let the thread take a new input, where it is done with what it had."""
    decision = recorder.decide()
    if decision is not None:
        why = f"a failure is pending: {because(decision)}"
        raise RestoreRefusedError("a new input", why, decision)
    head, history = recorder.book.heads.get("", ""), recorder.history
    if any(one.stands(history) for one in recorder.book.missing(history, head)):
        raise RestoreRefusedError("a new input", "the task has not come back to what stands")


def replay(recorder: Recorder, checkpoint: str, keys: frozenset[str] = frozenset()) -> None:
    """Let the task go on from the checkpoint, with other `keys`, if what runs again is what may."""
    asked = f"replaying from checkpoint {checkpoint}"
    _known(recorder, checkpoint, asked)
    fails = () if recorder.history.failures else _doubts_after(recorder, checkpoint)
    if not fails and not recorder.history.failures:
        return
    history, decision = _supposing(recorder.history, fails)
    first = first_undone(history, decision)
    wanted = decision.instance and recorder.book.first_missing(
        history, checkpoint, decision.instance
    )
    _agreed(asked, decision, agrees=first is not None and first == wanted)
    _not_used(recorder, _restored(history, decision), checkpoint, keys)
    _carry_out(recorder, fails)


def update(recorder: Recorder, keys: frozenset[str]) -> str | None:
    """
    Let the host write the keys where the task goes on: the checkpoint, or None for the latest.

    A pending failure is recovered first.
    """
    history, decision = recorder.history, recorder.decide()
    if decision is not None and decision.checkpoint is not None:
        history = _restored(history, decision)
    _not_used(recorder, history, recorder.book.base(history)[0] or "", keys)
    return resume(recorder)


def fork(
    recorder: Recorder, checkpoint: str, node: str | None, keys: frozenset[str]
) -> Execution | None:
    """
    Let the host replace what the node wrote just before the checkpoint, if it may be taken back.

    What is yielded is the run that is replaced.
    None where the node did not run there: then all after the checkpoint is what is replaced.
    """
    asked = f"forking at checkpoint {checkpoint}"
    _known(recorder, checkpoint, asked)
    replaced = _ended_before(recorder, checkpoint, node)
    if len(replaced) != 1:
        replay(recorder, checkpoint, keys)
        return None
    (execution,) = replaced
    fails = () if recorder.history.failures else (_doubt(recorder.history, execution),)
    history, decision = _supposing(recorder.history, fails)
    first = recorder.book.of_act(first_undone(history, decision))
    _agreed(asked, decision, agrees=first is execution)
    _not_used(recorder, _restored(history, decision), checkpoint, keys)
    _carry_out(recorder, fails)
    return execution


def rerun(recorder: Recorder) -> str:
    """The checkpoint that the whole task begins again from, where that is what is decided."""
    decision = recorder.decide()
    if decision is None or decision.verdict is not Verdict.RERUN:
        raise RestoreRefusedError("rerunning the task", because(decision), decision)
    if len(recorder.book.inputs) != 1:
        inputs = len(recorder.book.inputs)
        why = f"it was given {inputs} inputs: give them again to a new thread"
        raise RestoreRefusedError("rerunning the task", why, decision)
    recorder.carry_out()
    return recorder.book.inputs[0]


def blame(recorder: Recorder, error: BaseException) -> None:
    """Record a failure that came after its node had returned, as from a choice of where to go."""
    notes = " ".join(getattr(error, "__notes__", ()))
    standing = (one for one in recorder.book.executions.values() if one.stands(recorder.history))
    failed = next((one for one in standing if one.task and f"'{one.task}'" in notes), None)
    if failed is not None and not recorder.history.failures:
        recorder.fail(failed.instance, suspect=failed.act, state=failed.node)


def _known(recorder: Recorder, checkpoint: str, asked: str) -> None:
    if checkpoint not in recorder.history.checkpoints:
        known = checkpoint in recorder.book.included
        why = "what it holds was undone since" if known else "it is not on record"
        raise RestoreRefusedError(asked, why, recorder.decide())


def _supposing(history: History, events: tuple[Event, ...]) -> tuple[History, Decision]:
    for event in events:
        after = core.apply(history, event)
        if isinstance(after, Refusal):
            raise NotEnabledError(after)
        history = after
    decision = core.decide(history)
    assert decision is not None  # noqa: S101 (a failure is pending)
    return history, decision


def _agreed(asked: str, decision: Decision, *, agrees: bool) -> None:
    if decision.verdict is not Verdict.RESTORE or not agrees:
        raise RestoreRefusedError(asked, because(decision), decision)


def _restored(history: History, decision: Decision) -> History:
    after = core.apply(history, core.Restore(decision.checkpoint or ""))
    if isinstance(after, Refusal):
        raise NotEnabledError(after)
    return after


def _not_used(recorder: Recorder, history: History, base: str, keys: frozenset[str]) -> None:
    """Refuse to change the keys under those that stand and are not run again with them."""
    for one in recorder.book.missing(history, base):
        used = sorted(keys & set(one.uses))
        if used and one.stands(history):
            why = f"{one.instance} has used {used[0]} as it was, and is not run again"
            raise RestoreRefusedError("changing the state", why)


def _carry_out(recorder: Recorder, fails: tuple[Fail, ...]) -> None:
    if fails:
        recorder.tell(*fails)
    recorder.carry_out()


def _doubt(history: History, execution: Execution) -> Fail:
    acts = [act for act in execution.acts if act in history.acts]
    return Fail(tag=tag_of(execution.instance), suspect=acts[0], state=execution.node)


def _doubts_after(recorder: Recorder, checkpoint: str) -> tuple[Fail, ...]:
    """A doubt of each node that ran first after the checkpoint, side by side."""
    book, history = recorder.book, recorder.history
    steps = [(book.distance(checkpoint, e.bases[""]), e) for e in book.missing(history, checkpoint)]
    nearest = min((far for far, _ in steps), default=0)
    first: dict[str, Execution] = {}
    for far, execution in steps:
        if far == nearest:
            first.setdefault(execution.top, execution)
    return tuple(_doubt(history, execution) for execution in first.values())


def _ended_before(recorder: Recorder, checkpoint: str, node: str | None) -> list[Execution]:
    book = recorder.book
    parent = book.before.get(checkpoint)
    ran = [book.executions[name] for name in book.under.get(parent or "", ())]
    return [
        execution
        for execution in ran
        if node in (None, execution.node)
        and execution.stands(recorder.history)
        and execution.id in book.included[checkpoint]
    ]
