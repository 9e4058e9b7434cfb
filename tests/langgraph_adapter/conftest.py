"""Every trace that a guarded graph writes in any of these tests has to pass the strict audit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dart_tools.cli import main
from langgraph_adapter.graphs import KINDS, MADE, THREAD, Driver, driver


@pytest.fixture(autouse=True)
def audited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[None]:
    MADE.clear()
    yield
    traces = tmp_path / "traces"
    traces.mkdir()
    for number, graph in enumerate(MADE):
        (traces / f"{number}.jsonl").write_bytes(graph.trace(THREAD))
        graph.close()
    if MADE:
        status = main(["audit", "--strict", str(traces)])
        assert status == 0, capsys.readouterr().out


@pytest.fixture(params=KINDS)
def drive(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Driver]:
    with driver(request.param, tmp_path) as opened:
        yield opened


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Driver]:
    with driver("memory", tmp_path) as opened:
        yield opened
