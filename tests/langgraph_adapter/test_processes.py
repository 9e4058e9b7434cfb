"""A process that goes on where another one left off, or died."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dart_runtime.errors import OtherContractError
from dart_runtime.langgraph import RestoreRefusedError
from dart_tools.judge import Judgement
from langgraph_adapter.dying import DYING, GRAPHS, world_in
from langgraph_adapter.graphs import (
    MADE,
    MEETING,
    MEETING_NODES,
    THREAD,
    Driver,
    World,
    contract,
    driver,
    guarded,
    judgements,
    meeting,
)
from langgraph_adapter.test_concurrent import NESTED, NESTED_NODES, nested


@pytest.fixture
def files(tmp_path: Path) -> Iterator[Driver]:
    with driver("sqlite", tmp_path) as opened:
        yield opened


def test_another_process_goes_on_where_the_first_left_off(files: Driver, tmp_path: Path) -> None:
    world = World(confirm=1)
    first = guarded(meeting(world), files, MEETING, MEETING_NODES, folder=tmp_path)
    files.fails(first, {"meeting": "m1"}, THREAD)
    first.close()
    MADE.remove(first)
    second = guarded(meeting(world), files, MEETING, MEETING_NODES, folder=tmp_path)
    before = files.before(second, "propose")
    assert "read by invite" in str(files.fails(second, None, before))
    assert second.invoke(None, THREAD)["form"] == "slot 1"
    assert world.ran == ["propose", "commit", "invite", "confirm", "confirm"]
    assert world.ledger == ["slot 1"]


def test_record_answers_after_another_process_has_taken_over(files: Driver, tmp_path: Path) -> None:
    world = World(doubt=1)
    first = guarded(nested(world), files, NESTED, NESTED_NODES, folder=tmp_path)
    files.fails(first, {"order": "o1"}, THREAD)
    first.close()
    MADE.remove(first)
    second = guarded(nested(world), files, NESTED, NESTED_NODES, folder=tmp_path)
    assert second.invoke(None, THREAD)["whole"] == "whole of part 2"
    assert world.ledger == ["o1"]


def test_record_under_another_contract_is_refused(files: Driver, tmp_path: Path) -> None:
    first = guarded(meeting(World()), files, MEETING, MEETING_NODES, folder=tmp_path)
    first.invoke({"meeting": "m1"}, THREAD)
    first.close()
    MADE.remove(first)
    second = guarded(meeting(World()), files, contract(), MEETING_NODES, folder=tmp_path)
    MADE.remove(second)
    with pytest.raises(OtherContractError):
        second.invoke(None, THREAD)


def died(graph: str, where: str, folder: Path) -> list[str]:
    """What a process did that died there."""
    words = [sys.executable, "-m", "langgraph_adapter.dying", graph, where, str(folder)]
    ended = subprocess.run(words, check=False, env={"PYTHONPATH": ":".join(sys.path)})  # noqa: S603
    assert ended.returncode == DYING
    return world_in(folder).ran


@pytest.mark.parametrize(
    ("graph", "where", "before"),
    [
        ("acts", "send", ["send"]),
        ("meeting", "invite", ["propose", "commit", "invite"]),
    ],
)
def test_effect_in_which_a_process_died_is_not_repeated(
    graph: str, where: str, before: list[str], tmp_path: Path
) -> None:
    assert died(graph, where, tmp_path) == before
    with driver("sqlite", tmp_path) as drive:
        builder, terms, nodes = GRAPHS[graph](world_in(tmp_path))
        second = guarded(builder, drive, terms, nodes, folder=tmp_path)
        with pytest.raises(RestoreRefusedError, match="send was performed"):
            second.invoke(None, THREAD)
        assert world_in(tmp_path).ran == before
        assert judgements(second) == [Judgement.PENDING]


@pytest.mark.parametrize(
    ("graph", "where", "all_told"),
    [
        ("acts", "between", ["send", "between", "between", "book"]),
        ("acts", "book", ["send", "between", "book", "between", "book"]),
        ("meeting", "propose", ["propose", "propose", "commit", "invite", "confirm"]),
        ("meeting", "commit", ["propose", "commit", "commit", "invite", "confirm"]),
        ("meeting", "confirm", ["propose", "commit", "invite", "confirm", "confirm"]),
    ],
)
def test_task_goes_on_where_a_process_died(
    graph: str, where: str, all_told: list[str], tmp_path: Path
) -> None:
    died(graph, where, tmp_path)
    with driver("sqlite", tmp_path) as drive:
        builder, terms, nodes = GRAPHS[graph](world_in(tmp_path))
        second = guarded(builder, drive, terms, nodes, folder=tmp_path)
        second.invoke(None, THREAD)
        assert world_in(tmp_path).ran == all_told
        assert second.decision(THREAD) is None
