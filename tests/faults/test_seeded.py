"""Each promise that the kill tests check is broken once: they have to see it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from attrs import evolve

import dart_core
from dart_core import Act, Decision, Fallback, History
from dart_runtime.observer import Draft
from dart_runtime.sidecar import Sidecar
from faults.checking import check
from faults.killing import KILLED, PointedStore, fresh, points, run
from faults.tasks import task_of

Patch = pytest.MonkeyPatch


class LazyStore(PointedStore):
    """A store that acknowledges before it commits."""

    @contextmanager
    def transaction(self) -> Iterator[None]:
        if not self._database.in_transaction:
            self._run("BEGIN IMMEDIATE")
        yield
        if len(self.records()) % 3 == 0:
            self._run("COMMIT")


def commits_late(patch: Patch) -> type[PointedStore]:
    del patch
    return LazyStore


def announces_nothing(patch: Patch) -> type[PointedStore]:
    patch.setattr(Draft, "announce", lambda _self, _act: None)
    return PointedStore


def announces_without_effects(patch: Patch) -> type[PointedStore]:
    announce = Draft.announce
    patch.setattr(
        Draft, "announce", lambda self, act: announce(self, evolve(act, effects=frozenset()))
    )
    return PointedStore


def forgets_what_was_announced(patch: Patch) -> type[PointedStore]:
    def doubt(self: Sidecar) -> None:
        with self._writing(recovers=True) as draft:
            for act in draft.ledger.announced.values():
                draft.event(evolve(act, effects=frozenset()))

    patch.setattr(Sidecar, "_doubt", doubt)
    return PointedStore


def announces_after_the_act(patch: Patch) -> type[PointedStore]:
    """The announcement is made where the act is recorded: too late for a kill in between."""
    event = Draft.event
    announce = Draft.announce

    def late(self: Draft, told: object, **options: object) -> None:
        if isinstance(told, Act):
            announce(self, told)
        event(self, told, **options)  # type: ignore[arg-type]

    patch.setattr(Draft, "announce", lambda _self, _act: None)
    patch.setattr(Draft, "event", late)
    return PointedStore


SENDS = task_of("schedule_form/sch-cs", Fallback.ESCALATE)


def kills_until_found(folder: Path, kind: type[PointedStore]) -> str:
    """What the checks say once they find something, near to the first effect of the task."""
    task, (_, effect) = SENDS, points(SENDS, folder, kind)
    for point in range(effect - 20, effect + 20):
        place = fresh(folder, str(point))
        assert run(task, place, kind, point) == KILLED
        run(task, place, kind)
        try:
            check(task, place)
        except AssertionError as error:
            return str(error)
    return ""


def decides_something_else(patch: Patch) -> type[PointedStore]:
    decide = dart_core.decide

    def careless(history: History) -> Decision | None:
        decision = decide(history)
        return None if decision is None else evolve(decision, hazards=())

    patch.setattr(dart_core, "decide", careless)
    return PointedStore


@pytest.mark.parametrize(
    ("bug", "finding"),
    [
        (commits_late, "acknowledged, and lost"),
        (announces_nothing, "repeated by a local restore"),
        (announces_without_effects, "repeated by a local restore"),
        (announces_after_the_act, "repeated by a local restore"),
        (forgets_what_was_announced, "repeated by a local restore"),
        (decides_something_else, "another decision"),
    ],
)
def test_kills_find_a_broken_promise(
    bug: Callable[[Patch], type[PointedStore]], finding: str, folder: Path, monkeypatch: Patch
) -> None:
    kind = bug(monkeypatch)
    assert finding in kills_until_found(folder, kind)


def test_a_kill_finds_an_effect_that_is_forgotten(folder: Path, monkeypatch: Patch) -> None:
    kind = announces_nothing(monkeypatch)
    _, effect = points(SENDS, folder, kind)
    run(SENDS, folder, kind, effect + 1)
    with pytest.raises(AssertionError, match="happened, and is not in the history"):
        check(SENDS, folder)


def test_the_process_of_a_run_ends_as_it_says(folder: Path) -> None:
    place = fresh(folder, "wrong")
    assert run(SENDS, place, PointedStore, 50) == KILLED
    os.truncate(place / "task", 100)
    assert run(SENDS, place, PointedStore) == 1
