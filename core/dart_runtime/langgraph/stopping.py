"""How a run of a node ends when it does not return, and how the acts within it end."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Iterator
from contextlib import contextmanager

from attrs import evolve
from langgraph.errors import GraphBubbleUp

from dart_core import Act
from dart_runtime.langgraph.book import Call
from dart_runtime.langgraph.errors import DivergedError, DoubtError
from dart_runtime.langgraph.keeping import packed_execution
from dart_runtime.langgraph.recorder import Recorder
from dart_runtime.langgraph.runs import Run, Stop
from dart_runtime.sidecar import NothingDoneError

__all__ = ["answer", "called", "calling", "stopped"]


def stopped(recorder: Recorder, run: Run, error: BaseException) -> None:
    """
    Have it recorded that the node raised: a failure, with the act in doubt as its suspect.

    An interrupt is none, and neither is being cancelled, where nothing was done.
    """
    with recorder.lock:
        raised = run.raised[0] if run.raised and run.raised[1] is error else None
        harmless = isinstance(error, NothingDoneError | DoubtError)
        quiet = _cancelled(error) and raised is None and not run.site.node.effects
        if quiet or isinstance(error, GraphBubbleUp):
            recorder.dropped(run)
            return
        culprit = _culprit(recorder, run, error)
        owner = run.execution.instance
        if culprit is not None:
            owner = recorder.history.acts[culprit][0]
        act = None
        if owner != run.execution.instance:
            recorder.dropped(run)
        elif raised is None:
            act = _failed_act(recorder, run, harmless=harmless)
            raised = act.id
        recorder.stop(run, Stop(act=act, owner=owner, suspect=culprit or raised))


def _cancelled(error: BaseException) -> bool:
    return isinstance(error, CancelledError) or not isinstance(error, Exception)


def _culprit(recorder: Recorder, run: Run, error: BaseException) -> str | None:
    """The act that wrote what a node found wrong; None where the node itself is in doubt."""
    if not isinstance(error, DoubtError):
        return None
    keys = recorder.book.keys_of([error.key], run.place, run.site.shape)
    acts = [key.rsplit("@", 1)[1] for key in keys]
    standing = [act for act in acts if act in recorder.history.acts]
    return max(standing, key=lambda act: int(act.split(".")[1]), default=None)


def _failed_act(recorder: Recorder, run: Run, *, harmless: bool) -> Act:
    act = run.announced or recorder.act_of(run, run.site.name, run.site.node.effects)
    run.execution.acts.append(act.id or "")
    return evolve(act, effects=frozenset()) if harmless else act


@contextmanager
def calling(recorder: Recorder, run: Run, tool: str, effects: frozenset[str]) -> Iterator[Act]:
    """Announce one act within a node, and let the block run it and end it by `called`."""
    with recorder.lock:
        act = recorder.announce(recorder.act_of(run, tool, effects))
    try:
        yield act
    except BaseException as error:
        with recorder.lock:
            _call_raised(recorder, run, act, error)
        raise
    finally:
        recorder.store.presence.end_act()


def _call_raised(recorder: Recorder, run: Run, act: Act, error: BaseException) -> None:
    if isinstance(error, GraphBubbleUp) or (_cancelled(error) and not act.effects):
        recorder.forget(act)
        return
    if isinstance(error, NothingDoneError):
        act = evolve(act, effects=frozenset())
    run.raised = (act.id or "", error)
    result = None if act.effects else b""
    _record(recorder, run, act, Call(act=act.id or "", tool=act.tool or "", result=result))


def called(recorder: Recorder, run: Run, act: Act, arguments: bytes, result: object) -> None:
    """Record that the act returned, with its result, and a checkpoint after it."""
    with recorder.lock:
        packed = recorder.packer.pack(result)
        call = Call(act=act.id or "", tool=act.tool or "", arguments=arguments, result=packed)
        _record(recorder, run, act, call)


def _record(recorder: Recorder, run: Run, act: Act, call: Call) -> None:
    run.execution.acts.append(call.act)
    run.answered.add(call.act)
    if call.result != b"":
        run.execution.calls.append(call)
    save = recorder.save_after(act.instance, 1)
    recorder.tell(act, save, snapshot=packed_execution(run.execution))


def answer(recorder: Recorder, run: Run, tool: str, arguments: bytes) -> bytes | None:
    """What the record answers for the call; None where it has to be made."""
    with recorder.lock:
        left = [
            call
            for call in run.execution.calls
            if call.act in recorder.history.acts and call.act not in run.answered
        ]
        call = next((one for one in left if (one.tool, one.arguments) == (tool, arguments)), None)
        if call is None and not any(one.tool == tool for one in left):
            return None
        if call is None or call.result is None:
            why = "with other arguments, or nobody knows how it ended"
            message = f"{run.site.name} called {tool} before, {why}: it is not called again"
            raise DivergedError(message)
        run.answered.add(call.act)
        return call.result
