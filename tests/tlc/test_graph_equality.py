"""The specification and the core reach the same states by the same steps, and differences show."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import dart_core
from dart_tools.explore import explore
from dart_tools.graphs import Comparison, compare, compare_graphs
from dart_tools.shared_search import count
from graphs_of import ACTIONS, GUARDS, SLICES, Dumps, Plant, dumps_of
from models import SPEC, manifest

pytestmark = pytest.mark.graphs

PLANTS = GUARDS | ACTIONS


@pytest.fixture(scope="module")
def dumps() -> Iterator[Dumps]:
    with dumps_of(SLICES) as found:
        yield found


def compared(dumps: Dumps, name: str) -> Comparison:
    model, path = dumps[name]
    return compare_graphs(name, explore(model), path)


def test_graphs_are_equal_and_large(dumps: Dumps) -> None:
    found = [compared(dumps, name) for name in SLICES]
    assert [one.model for one in found if not one.equal] == []
    assert {one.model: one.states for one in found} == {
        name: manifest()[name]["distinct"] for name in SLICES
    }
    total = sum(one.states for one in found)
    print(f"{total} states and {sum(one.edges for one in found)} edges are equal")
    assert total >= 200_000


@pytest.mark.deep
def test_graph_of_a_million_states_is_equal() -> None:
    found = compare(SPEC, "MCWide", workers=2)
    print(f"{found.states} states and {found.edges} edges are equal")
    assert found.equal
    assert found.states == manifest()["MCWide"]["distinct"] >= 1_000_000


def test_every_guard_is_planted() -> None:
    assert set(dart_core.GUARDS) < set(GUARDS)


@pytest.mark.parametrize("name", PLANTS)
def test_planted_difference_in_the_core_is_seen(
    name: str, dumps: Dumps, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant: Plant = PLANTS[name]
    monkeypatch.setattr(plant.module, plant.name, plant.change(getattr(plant.module, plant.name)))
    found = compared(dumps, plant.model)
    assert not found.equal
    assert found.differences
    assert "only the " in found.differences[0]


@pytest.mark.parametrize(
    ("module", "before", "after"),
    [
        ("Certify", "Decidable(c, i) == c.owners = {i}", r"Decidable(c, i) == i \in c.owners"),
        ("DART", r"CanStep(i) == Live(i) /\ ~Suspended(i)", "CanStep(i) == Live(i)"),
    ],
)
def test_planted_difference_in_the_specification_is_seen(
    module: str, before: str, after: str, tmp_path: Path
) -> None:
    shutil.copytree(SPEC, tmp_path / "spec")
    path = tmp_path / "spec" / f"{module}.tla"
    text = path.read_text()
    assert text.count(before) == 1
    path.write_text(text.replace(before, after))
    found = compare(tmp_path / "spec", "MCIdentity")
    assert not found.equal
    assert found.only_specification > 0


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_count_is_the_same_by_any_number_of_processes(jobs: int, dumps: Dumps) -> None:
    found = count(dumps["MCRerun"][0], jobs)
    assert found.states == manifest()["MCRerun"]["distinct"]
