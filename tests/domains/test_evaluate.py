from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from dart_runtime.domain import Domain
from dart_runtime.evaluation import paper
from dart_runtime.evaluation.chart import MissingPlottingError, draw
from dart_runtime.evaluation.results import Results
from dart_runtime.evaluation.tables import cases_table, tables
from dart_runtime.evaluation.writing import as_csv, as_json, as_markdown
from dart_tools.cli import main
from dart_tools.commands import evaluate


def test_evaluate_prints_and_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], results: Results
) -> None:
    chart = tmp_path / "replay.svg"
    assert main(["evaluate", "--out", str(tmp_path / "out"), "--chart", str(chart)]) == 0
    printed = capsys.readouterr().out
    shown = tables(results)
    assert all(table.title in printed for table in shown)
    assert "slot[m1]#1@entry" in printed
    assert (tmp_path / "out" / "evaluation.md").read_text() == as_markdown(shown)
    assert (tmp_path / "out" / "evaluation.json").read_text() == as_json(shown)
    for table in shown:
        assert (tmp_path / "out" / f"{table.name}.csv").read_text() == as_csv(table)


def test_evaluate_fails_where_a_figure_differs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], results: Results
) -> None:
    monkeypatch.setitem(paper.AUDIT, "admitted", 34)
    monkeypatch.setattr(evaluate, "_scripted", lambda _: tables(results))
    assert main(["evaluate"]) == 1
    assert "Safety audit: total: admitted is 35, not 34" in capsys.readouterr().err


def test_evaluate_writes_traces(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], domains: Mapping[str, Domain]
) -> None:
    assert main(["evaluate", "--traces", str(tmp_path)]) == 0
    assert capsys.readouterr().out == ""
    assert len(list(tmp_path.rglob("*.jsonl"))) == sum(len(one.rows) for one in domains.values())


def test_markdown_marks_what_is_ours(results: Results) -> None:
    lines = as_markdown(tables(results)).splitlines()
    assert "| navigation | Retry-Only | paper | 1.00 (1.00) | 18 (18) | 14 (14) | 0 |  |" in lines
    assert any(line.startswith("| etl | Retry-Only | ours | 1.00 | 15 | 10 |") for line in lines)


def test_csv_has_the_papers_figures_in_columns_of_their_own(results: Results) -> None:
    rows = list(csv.DictReader(as_csv(cases_table(results)).splitlines()))
    dart = next(row for row in rows if row["strategy"] == "Comp-Frozen (DART)")
    assert (dart["preserved"], dart["preserved (paper)"]) == ("2", "2")
    assert "what fails (paper)" not in dart


def test_json_holds_every_table(results: Results) -> None:
    shown = tables(results)
    found = json.loads(as_json(shown))
    assert list(found) == [table.name for table in shown]
    assert found["audit"]["rows"][-1]["blocked"] == {"measured": 12, "paper": 12}


def test_chart_has_the_same_bytes_again(tmp_path: Path, results: Results) -> None:
    pytest.importorskip("matplotlib")
    for name in ("one.svg", "two.svg", "one.png", "two.png"):
        draw(cases_table(results), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()
    drawn = (tmp_path / "one.svg").read_text()
    assert ">16.5</text>" in drawn
    assert drawn.count(">×</text>") == 7  # noqa: RUF001
    assert "dc:date" not in drawn


def test_chart_without_the_library_names_the_extra(
    tmp_path: Path, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPlottingError, match=r"dart-core\[evaluate\]"):
        draw(cases_table(results), tmp_path / "chart.svg")
