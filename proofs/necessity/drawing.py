"""A history drawn as text: one lane for each instance and one for the runtime."""

from __future__ import annotations

from collections.abc import Iterable

from dart_core import (
    Act,
    Commit,
    Enter,
    Event,
    Exit,
    Fail,
    InstanceId,
    Rerun,
    Restore,
    Save,
    Scope,
    Tag,
)

__all__ = ["draw"]

RUNTIME = "runtime"


def _act_mark(event: Act) -> str:
    marks = [event.id or "act"]
    marks += [f"?{key}" for key in sorted(event.reads or ())]
    marks += [f"+{key}" for key in sorted(event.writes)]
    marks += [f"!{effect}" for effect in sorted(event.effects)]
    return " ".join(marks)


def _lane(tag: Tag, truth: InstanceId | None) -> str:
    return str(truth) if truth is not None else f"{tag.skeleton}[{tag.entity}]#{tag.ordinal}"


def _save_mark(event: Save) -> str:
    scope = " of all" if event.scope is Scope.TASK else ""
    return f"save {event.id}{scope}{'' if event.truth is None else ' (whose?)'}"


def _fail_mark(event: Fail) -> str:
    doubt = "" if event.suspect is None else f" at {event.suspect}"
    return f"fail{doubt}{'' if event.truth is None else ' (who?)'}"


def _placed(event: Event) -> tuple[str, str]:
    """The lane and the mark of the event."""
    match event:
        case Act():
            return str(event.instance), _act_mark(event)
        case Enter() | Commit() | Exit():
            return str(event.instance), type(event).__name__.lower()
        case Save():
            return _lane(event.tag, event.truth), _save_mark(event)
        case Fail():
            return _lane(event.tag, event.truth), _fail_mark(event)
        case Restore():
            return RUNTIME, f"restore {event.checkpoint}"
        case Rerun():
            return RUNTIME, "rerun"


def draw(events: Iterable[Event], wrong: Iterable[str]) -> str:
    """
    The history from left to right, and under it what is wrong at its last event.

    `a2 ?k +k !e` is the act a2 that read k, wrote k and had the effect e.
    """
    placed = [_placed(event) for event in events]
    names = [*sorted({name for name, _ in placed} - {RUNTIME}, reverse=True), RUNTIME]
    widths = [max(len(mark), len(str(number))) for number, (_, mark) in enumerate(placed, start=1)]
    label = max(map(len, names))
    rows = [["event".ljust(label), *(str(n).ljust(w) for n, w in enumerate(widths, start=1))]]
    for name in names:
        marks = (mark if lane == name else "" for lane, mark in placed)
        rows.append([name.ljust(label), *(m.ljust(w) for m, w in zip(marks, widths, strict=True))])
    rows.append(["", *(" " * width for width in widths[:-1]), "^ " + ", ".join(wrong)])
    rows[-1][0] = " " * label
    return "\n".join("  ".join(row).rstrip() for row in rows)
