"""
Simulation: random behaviours of the specification, which TLC makes, as traces of format 1.

The core takes each step again, and must come to the same state.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen

from dart_core import History
from dart_tools.codec import Header, Trace
from dart_tools.errors import DartError
from dart_tools.model import Model, data_of_model, model_of
from dart_tools.tla_states import StateReader
from dart_tools.tla_trace import events_of
from dart_tools.tlc import java_command

__all__ = ["Simulation", "simulate"]

# TLC heads each state so.
_STATE = re.compile(r"^STATE_\d+ == *\n", re.MULTILINE)


@frozen(kw_only=True)
class Simulation:
    """What is simulated: how many behaviours of so many events, from a seed."""

    model: str = "SIM"
    number: int = 1000
    events: int = 30
    seed: int = 1


def simulate(specification: Path, simulation: Simulation, jobs: int = 1) -> list[Trace]:
    """The traces of random behaviours; with so many processes, and for them the same ones."""
    model = model_of(simulation.model, data_of_model(specification, simulation.model))
    share = -(-simulation.number // jobs)
    with TemporaryDirectory(prefix="dart-") as place:
        folders = [Path(place, str(job)) for job in range(jobs)]
        seeds = range(simulation.seed, simulation.seed + jobs)
        with ThreadPoolExecutor(jobs) as pool:
            runs = zip(folders, seeds, strict=True)
            list(pool.map(lambda run: _run(specification, simulation, share, *run), runs))
        paths = [path for folder in folders for path in _paths(folder)]
        return list(_traces(model, paths[: simulation.number]))


def _paths(folder: Path) -> list[Path]:
    return sorted(
        folder.glob("behaviour_*"), key=lambda path: [*map(int, path.name.split("_")[1:])]
    )


def _run(specification: Path, simulation: Simulation, number: int, folder: Path, seed: int) -> None:
    folder.mkdir()
    command = [
        *java_command(folder),
        "tlc2.TLC",
        "-deadlock",
        *("-simulate", f"num={number},file={folder / 'behaviour'}"),
        *("-depth", str(simulation.events + 1), "-seed", str(seed), "-aril", "0"),
        *("-metadir", str(folder / "states"), "-config", f"{simulation.model}.cfg"),
        f"{simulation.model}.tla",
    ]
    done = subprocess.run(  # noqa: S603 (our own command, no shell)
        command, cwd=specification, capture_output=True, text=True, check=False
    )
    if done.returncode:
        message = f"TLC does not simulate {simulation.model}: {done.stdout[-1000:]}"
        raise DartError(message)


def _traces(model: Model, paths: list[Path]) -> Iterator[Trace]:
    reader = StateReader(model.contract)
    for number, path in enumerate(paths):
        states = _STATE.split(path.read_text(encoding="utf-8"))[1:]
        histories = [reader.state(_texts(state)) for state in states]
        steps = pairwise(histories)
        actions = [_action(before, after) for before, after in steps]
        name = f"{model.name}-{number}"
        events = events_of(model, actions, histories)
        yield Trace(name, Header(name=name, contract=model.contract), tuple(events))


def _texts(state: str) -> list[str]:
    """The texts of the variables of a state, of which the last may be followed by a rule."""
    body = state.partition("\n\n")[0].strip()
    return [text.strip() for text in re.split(r"^/\\ ", body, flags=re.MULTILINE)[1:]]


def _action(before: History, after: History) -> str:
    """The action that led from a state to the next: TLC's files do not tell it."""
    if len(after.failures) > len(before.failures):
        return "Fails"
    if before.failures and not after.failures:
        return "Rerun" if after.epoch > before.epoch else "Restores"
    return "Saves" if after.checkpoints != before.checkpoints else "Extends"
