"""One trace, judged as it is read: memory holds what the monitor keeps, and one block of lines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import msgspec
from attrs import define, field

from dart_core import Decision, Event, Refusal, Rerun, Restore
from dart_core.monitor import Monitor, Ruling
from dart_core.tape import Tape
from dart_core.verify import due, objections
from dart_tools.blocks import Source, blocks, opened
from dart_tools.codec import (
    Header,
    MalformedError,
    decision_to_wire,
    decode_event,
    decode_header,
    trace_lines,
)
from dart_tools.errors import TraceError
from dart_tools.fast import feed, is_plain
from dart_tools.judge import Recovery, differences, judgement, refusal_text

__all__ = ["Advance", "Stream", "judged", "judged_from"]

D = TypeVar("D", Decision, Ruling)
Advance = Callable[[int, int], None]


@define
class Stream(Generic[D]):
    """
    The trace as far as it has been read.

    `decide` is the form of the decisions: `Monitor.decide` with the evidence, `Monitor.rule`
    without; `checked` has each confirmed by the checker, which needs the evidence.
    Of a trace with an error anywhere, nothing is decided; an error of form goes before a refusal,
    wherever they stand.
    """

    path: str
    decide: Callable[[Monitor], D | None]
    checked: bool = False
    lines: int = field(init=False, default=0)
    decided: int = field(init=False, default=0)
    _header: Header | None = field(init=False, default=None)
    _monitor: Monitor = field(init=False)
    _tape: Tape | None = field(init=False, default=None)
    _expected: list[Any] | None = field(init=False, default=None)
    _found: list[Recovery[D]] = field(init=False, factory=list)
    _refused: TraceError | None = field(init=False, default=None)

    def read(self, block: bytes) -> list[Recovery[D]]:
        """The recoveries that the block ends."""
        if self._header is None:
            line, _, block = block.partition(b"\n")
            self._begin(line)
        if block:
            self._read_events(block)
        found, self._found = self._found, []
        return found

    def end(self) -> list[Recovery[D]]:
        """The recovery that is due at the end, if one is."""
        if self._header is None:
            self._begin(b"")
        if self._refused is not None:
            raise self._refused
        if self._monitor.failures:
            self._due(None)
        return self._found

    @property
    def unmatched(self) -> int:
        """The number of decisions that are expected and not there."""
        return max(0, len(self._expected or ()) - self.decided)

    def _begin(self, line: bytes) -> None:
        self.lines = 1
        try:
            self._header = header = decode_header(line)
        except MalformedError as error:
            raise TraceError(self.path, 1, str(error)) from None
        self._monitor = Monitor(header.contract)
        self._tape = Tape(header.contract) if self.checked else None
        if header.expect is not None:
            self._expected = [msgspec.to_builtins(one) for one in header.expect]

    def _read_events(self, block: bytes) -> None:
        lines = trace_lines(block)
        if self._tape is not None or self._refused is not None:
            for event in self._decoded(lines):
                self._take(event)
        elif self._fed(block, lines):
            self.lines += len(lines)
        else:
            # Where form is in doubt, the codec has the last word.
            for _ in self._decoded(lines):
                pass

    def _fed(self, block: bytes, lines: list[bytes]) -> bool:
        """Take the lines the fast way; yields whether that leaves no doubt about their form."""
        try:
            refusal, names = feed(self._monitor, lines, self._due)
        except (msgspec.DecodeError, RecursionError):
            for _ in self._decoded(lines):
                pass
            raise
        if refusal is not None:
            self._refuse(refusal)
            return False
        return is_plain(block, names)

    def _decoded(self, lines: list[bytes]) -> Iterator[Event]:
        for line in lines:
            self.lines += 1
            try:
                yield decode_event(line)
            except MalformedError as error:
                raise TraceError(self.path, self.lines, str(error)) from None

    def _take(self, event: Event) -> None:
        if self._refused is not None:
            return
        if isinstance(event, Restore | Rerun) and self._monitor.failures:
            self._due(event)
        refusal = self._monitor.observe(event)
        if refusal is not None:
            self._refuse(refusal)
        elif self._tape is not None:
            self._tape.take(event)

    def _refuse(self, refusal: Refusal) -> None:
        self._refused = TraceError(self.path, refusal.at + 1, refusal_text(refusal))

    def _due(self, recorded: Restore | Rerun | None) -> None:
        monitor = self._monitor
        decision = self.decide(monitor)
        assert decision is not None  # noqa: S101 (a failure is pending)
        if self._tape is not None:
            self._confirm(self._tape)
        found, breaks = judgement(decision, recorded, monitor.judge)
        self._found.append(
            Recovery(
                trace=self.path,
                decision=decision,
                recorded=recorded,
                at=None if recorded is None else monitor.clock + 1,
                judgement=found,
                breaks=breaks,
                differs=self._differs(),
            )
        )
        self.decided += 1

    def _differs(self) -> tuple[str, ...]:
        if self._expected is None:
            return ()
        if self.decided >= len(self._expected):
            return ("not expected",)
        decision = self._monitor.decide()
        assert decision is not None  # noqa: S101 (a failure is pending)
        actual = msgspec.to_builtins(decision_to_wire(self.path, decision))
        return differences(self._expected[self.decided], actual)

    def _confirm(self, tape: Tape) -> None:
        complaints = objections(due(tape), self._monitor.decide())
        if complaints:
            cause = f"a decision is not what the checker finds: {complaints[0]}"
            raise TraceError(self.path, 0, cause)


def judged(
    stream: Stream[D],
    *,
    follow: threading.Event | None = None,
    advance: Advance = lambda _bytes, _events: None,
) -> Iterator[Recovery[D]]:
    """
    The recoveries of the stream's trace; TraceError where it cannot be read or is none.

    `follow` waits for what is added, until that is set; `advance` is told of each block how many
    bytes and events it had.
    """
    with opened(stream.path) as source:
        yield from judged_from(source, stream, follow=follow, advance=advance)


def judged_from(
    source: Source,
    stream: Stream[D],
    *,
    follow: threading.Event | None = None,
    advance: Advance = lambda _bytes, _events: None,
) -> Iterator[Recovery[D]]:
    """The same of a trace that is open already."""
    for block in blocks(stream.path, source, follow=follow):
        before = stream.lines
        yield from stream.read(block)
        advance(len(block), stream.lines - before)
    yield from stream.end()
