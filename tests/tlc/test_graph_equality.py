"""The specification and the core reach the same states by the same steps, and differences show."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import dart_core
from dart_tools import shared_search
from dart_tools.explore import explore
from dart_tools.graphs import Comparison, compare, compare_graphs
from dart_tools.shared_search import evened
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
def test_count_is_the_same_by_any_number_of_processes(
    jobs: int, dumps: Dumps, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = []

    def all_evened(sizes: list[int]) -> list[tuple[int, int, int]]:
        plans.append(evened(sizes, 0.0))
        return plans[-1]

    monkeypatch.setattr(shared_search, "evened", all_evened)
    model = dumps["MCRerun"][0]
    found = shared_search.count(model, jobs)
    assert found.states == manifest()["MCRerun"]["distinct"]
    assert found.steps == shared_search.count(model).steps
    assert any(plans) == (jobs > 1)


@pytest.mark.parametrize(
    ("sizes", "after"),
    [
        ([0, 0], [0, 0]),
        ([10, 11], [10, 11]),
        ([10, 20], [15, 15]),
        ([0, 1], [0, 1]),
        ([0, 300, 0], [100, 100, 100]),
        ([90, 0, 30, 240], [90, 90, 90, 90]),
    ],
)
def test_what_there_is_to_go_on_with_is_evened(sizes: list[int], after: list[int]) -> None:
    left = list(sizes)
    for giver, taker, number in evened(sizes):
        left[giver] -= number
        left[taker] += number
    assert left == after
