"""The dumped graphs of the small models, and changes to the core that must show in one of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

import dart_core as core
from dart_core import FrozenMap, History, InstanceId, admit, baselines, dart, history
from dart_tools.graphs import dumped
from dart_tools.model import Model
from models import SPEC

SLICES = (
    "MCRecurrence",
    "MCScope",
    "MCHandoffs",
    "MCCompensation",
    "MCDependencies",
    "MCSuspects",
    "MCEffects",
    "MCRerun",
    "MCIdentity",
)

JOBS = min(2, os.cpu_count() or 1)

Dumps = dict[str, tuple[Model, Path]]


@contextmanager
def dumps_of(models: tuple[str, ...]) -> Iterator[Dumps]:
    """Each model with TLC's dump of it."""
    with ExitStack() as stack, ThreadPoolExecutor(JOBS) as pool:
        opened = pool.map(lambda name: stack.enter_context(dumped(SPEC, name)), models)
        yield dict(zip(models, opened, strict=True))


@frozen
class Plant:
    """A change to a function of the core, and the model whose graph it must change."""

    model: str
    module: Any
    name: str
    change: Callable[[Any], Callable[..., Any]]


def _always(_: Any) -> Callable[..., Any]:
    return lambda *_: True


def _without_suspension(_: Any) -> Callable[..., Any]:
    return lambda *_: False


def _after(change: Callable[[History, Any, History], History]) -> Callable[[Any], Any]:
    """The action with its outcome changed."""
    return lambda action: lambda before, event: change(before, event, action(before, event))


def _some_candidate(right: Any) -> Callable[[History], InstanceId | None]:
    def identified(state: History) -> InstanceId | None:
        found = {one for failure in state.failures for one in failure.candidates}
        return right(state) or min(found, default=None)

    return identified


def _shorter_cut(_before: History, event: core.Save, after: History) -> History:
    saved = after.checkpoints[event.id]
    cut = FrozenMap((i, max(1, n - 1)) for i, n in saved.cut.items())
    return evolve(after, checkpoints=after.checkpoints.put(event.id, evolve(saved, cut=cut)))


def _reads_nothing(_before: History, event: core.Act, after: History) -> History:
    log = after.log[event.instance]
    return evolve(after, log=after.log.put(event.instance, (*log[:-1], evolve(log[-1], reads=()))))


GUARDS = {
    "stable": Plant("MCDependencies", admit, "stable", _always),
    "decidable": Plant("MCIdentity", admit, "decidable", _always),
    "closed": Plant("MCHandoffs", admit, "closed", _always),
    "separable": Plant("MCScope", admit, "separable", _always),
    "controllable": Plant("MCHandoffs", admit, "controllable", _always),
    "repairs": Plant("MCSuspects", admit, "repairs", _always),
    "no_committed_conflict": Plant("MCDependencies", admit, "no_committed_conflict", _always),
    "no_live_conflict": Plant("MCDependencies", admit, "no_live_conflict", _always),
    "effect_allowed": Plant("MCEffects", admit, "effect_allowed", _always),
    "identified": Plant("MCIdentity", baselines, "identified", _some_candidate),
    "suspended": Plant("MCIdentity", dart, "suspended", _without_suspension),
}

ACTIONS = {
    "enter": Plant(
        "MCIdentity",
        dart,
        "enter",
        _after(lambda _, event, after: evolve(after, attempt=after.attempt.put(event.instance, 2))),
    ),
    "act": Plant("MCRerun", dart, "act", _after(_reads_nothing)),
    "commit": Plant("MCRerun", dart, "commit", lambda _: dart.exit),
    "exit": Plant("MCIdentity", dart, "exit", lambda _: dart.commit),
    "save": Plant("MCRerun", dart, "save", _after(_shorter_cut)),
    "fail": Plant(
        "MCIdentity",
        dart,
        "fail",
        _after(
            lambda before, _, after: evolve(
                after,
                failures=(*before.failures, evolve(after.failures[-1], candidates=frozenset())),
            )
        ),
    ),
    "restore": Plant(
        "MCIdentity",
        dart,
        "restore",
        _after(lambda before, _, after: evolve(after, attempt=before.attempt)),
    ),
    "rerun": Plant(
        "MCRerun", dart, "rerun", _after(lambda _b, _e, after: evolve(after, world=frozenset()))
    ),
    "candidates": Plant(
        "MCIdentity",
        dart,
        "candidates",
        lambda right: lambda state, event: right(state, evolve(event, state=None)),
    ),
    "owners_of": Plant(
        "MCIdentity",
        dart,
        "owners_of",
        lambda _: (
            lambda state, event: frozenset(i for i in state.log if history.matches(event.tag, i))
        ),
    ),
    "gaps": Plant("MCRerun", dart, "gaps", lambda _: lambda *_: []),
}
