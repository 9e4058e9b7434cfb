"""
Recoveries: where a trace needs a decision, what was decided, and what its runtime did.

`judge_trace` goes by the definition; `dart_tools.stream` says the same by the monitor.

Names of judgements: trace format, section Commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, Generic, TypeVar

import msgspec
from attrs import asdict, frozen

from dart_core import (
    Decision,
    History,
    Judged,
    Refusal,
    RefusalReason,
    Rerun,
    Restore,
    Verdict,
    apply,
    decide,
    initial,
)
from dart_core.monitor import Ruling
from dart_tools.codec import Trace, decision_to_wire
from dart_tools.errors import TraceError

__all__ = [
    "JudgedTrace",
    "Judgement",
    "Recovery",
    "broken",
    "differences",
    "judge_trace",
    "judgement",
    "recoveries",
    "refusal_text",
]


class Judgement(Enum):
    """What is to be said of a recorded recovery."""

    AGREES = "agrees"
    EARLY = "early"
    UNSAFE = "unsafe"
    MISSED = "missed"
    HAZARDOUS = "hazardous"
    PENDING = "pending"


D = TypeVar("D", Decision, Ruling)


@frozen(kw_only=True)
class Recovery(Generic[D]):
    """
    One decision of a trace, and the event that ended its failures, if one did.

    `at` is that event's number; `breaks` names the guards that an unsafe restore breaks, with
    `identified` for step 1; `differs` names the fields in which the expectation differs.
    """

    trace: str
    decision: D
    recorded: Restore | Rerun | None
    at: int | None
    judgement: Judgement
    breaks: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()


@frozen
class JudgedTrace:
    """A trace's recoveries, and how many decisions are expected that it does not have."""

    recoveries: tuple[Recovery[Decision], ...]
    unmatched: int


SENTENCES = {
    RefusalReason.NOT_NEXT_ORDINAL: "cannot enter: its ordinal is not the next one in this epoch",
    RefusalReason.NOT_ENTERED: "has not entered in this epoch",
    RefusalReason.EXITED: "has exited",
    RefusalReason.SUSPENDED: "is suspended: it is the only candidate of a pending failure",
    RefusalReason.ACT_ID_IN_USE: "is the id of an act that survives",
    RefusalReason.CHECKPOINT_ID_IN_USE: "is the id of a checkpoint that is still there",
    RefusalReason.UNWRITTEN_KEY: (
        "is read, but is not external and no earlier act has written it: the log has a gap"
    ),
    RefusalReason.NO_PENDING_FAILURE: "no failure is pending that a recovery could end",
    RefusalReason.NO_SUCH_CHECKPOINT: "is not a checkpoint that is still there",
}


def refusal_text(refusal: Refusal) -> str:
    """The refusal as a sentence."""
    sentence = SENTENCES[refusal.reason]
    if refusal.reason is RefusalReason.NO_PENDING_FAILURE:
        return sentence
    return f"{refusal.subject} {sentence}"


def broken(decision: Decision | Ruling, judged: Judged | None) -> tuple[str, ...]:
    """
    The guards that a restore breaks, with `identified` for step 1.

    `judged` is the restored checkpoint, None where it is not one of the failed instance's.
    """
    if decision.instance is None:
        return ("identified",)
    if judged is None:
        return ("decidable",)
    return tuple(name for name, value in asdict(judged.guards).items() if not value)


def judgement(
    decision: Decision | Ruling,
    recorded: Restore | Rerun | None,
    judge: Callable[[str], Judged | None],
) -> tuple[Judgement, tuple[str, ...]]:
    """What is to be said of the recovery, and the guards that it breaks; `judge` judges one."""
    match recorded:
        case None:
            return Judgement.PENDING, ()
        case Restore(checkpoint):
            if decision.checkpoint == checkpoint:
                return Judgement.AGREES, ()
            breaks = broken(decision, judge(checkpoint))
            return (Judgement.UNSAFE, breaks) if breaks else (Judgement.EARLY, ())
        case Rerun():
            return {
                Verdict.RESTORE: Judgement.MISSED,
                Verdict.ESCALATE: Judgement.HAZARDOUS,
                Verdict.RERUN: Judgement.AGREES,
            }[decision.verdict], ()


def recoveries(trace: Trace) -> Iterator[tuple[History, Decision, Restore | Rerun | None]]:
    """
    The state at each recovery that is due, the decision there, and the event that ended it.

    TraceError where an event is not enabled.
    """
    history = initial(trace.header.contract)
    for event in trace.events:
        after = apply(history, event)
        if isinstance(after, Refusal):
            raise TraceError(trace.path, after.at + 1, refusal_text(after))
        if isinstance(event, Restore | Rerun):
            decision = decide(history)
            assert decision is not None  # noqa: S101 (the event is enabled)
            yield history, decision, event
        history = after
    decision = decide(history)
    if decision is not None:
        yield history, decision, None


def differences(expected: Any, actual: Any, place: str = "") -> tuple[str, ...]:  # noqa: ANN401
    """The places where `actual` is not as expected; names that are not expected do not count."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return tuple(
            found
            for name, value in expected.items()
            for found in differences(value, actual.get(name), f"{place}.{name}".lstrip("."))
        )
    if (
        isinstance(expected, list | tuple)
        and isinstance(actual, list | tuple)
        and len(expected) == len(actual)
    ):
        return tuple(
            found
            for index, (one, other) in enumerate(zip(expected, actual, strict=True))
            for found in differences(one, other, f"{place}[{index}]")
        )
    same = type(expected) is type(actual) and expected == actual
    return () if same else (place,)


def judge_trace(trace: Trace) -> JudgedTrace:
    """
    Every recovery of the trace, judged and compared with what is expected.

    TraceError where an event is not enabled.
    """
    expect = trace.header.expect
    expected: list[Any] = [msgspec.to_builtins(one) for one in expect or ()]
    judged: list[Recovery[Decision]] = []
    for history, decision, recorded in recoveries(trace):
        of = {one.id: one for one in decision.checkpoints}
        found, breaks = judgement(decision, recorded, of.get)
        differs: tuple[str, ...] = ()
        if len(judged) < len(expected):
            actual = msgspec.to_builtins(decision_to_wire(trace.path, decision))
            differs = differences(expected[len(judged)], actual)
        elif expect is not None:
            differs = ("not expected",)
        judged.append(
            Recovery(
                trace=trace.path,
                decision=decision,
                recorded=recorded,
                at=None if recorded is None else history.clock + 1,
                judgement=found,
                breaks=breaks,
                differs=differs,
            )
        )
    return JudgedTrace(tuple(judged), max(0, len(expected) - len(judged)))
