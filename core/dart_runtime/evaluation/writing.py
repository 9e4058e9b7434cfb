"""The tables as text: for a terminal, and as Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable

from dart_runtime.evaluation.results import Cell, Table

__all__ = ["as_csv", "as_json", "as_markdown", "print_tables", "write_tables"]

LEGEND = (
    "Counts as measured; in brackets what the paper reports (arXiv 2605.23311), `!` where it "
    "differs. A row of `ours` stands in no table of the paper."
)


def print_tables(console: Console, tables: Sequence[Table]) -> None:
    """Print the tables."""
    console.print(LEGEND)
    for table in tables:
        shown = RichTable(title=table.title, caption=table.note, title_justify="left")
        for column in table.columns:
            shown.add_column(column)
        for row in table.rows:
            shown.add_row(*map(str, row))
        console.print(shown)


def as_markdown(tables: Sequence[Table]) -> str:
    """The tables as one Markdown document."""
    parts = ["# Evaluation\n", LEGEND + "\n"]
    for table in tables:
        lines = [
            f"## {table.title}\n",
            table.note + "\n",
            "| " + " | ".join(table.columns) + " |",
            "|" + "---|" * len(table.columns),
            *("| " + " | ".join(map(str, row)) + " |" for row in table.rows),
        ]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def as_csv(table: Table) -> str:
    """The table as CSV; what the paper reports stands in columns of its own."""
    reported = [
        index
        for index, _ in enumerate(table.columns)
        if any(row[index].paper is not None for row in table.rows)
    ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*table.columns, *(f"{table.columns[index]} (paper)" for index in reported)])
    for row in table.rows:
        told = (row[index].paper for index in reported)
        writer.writerow([*(cell.measured for cell in row), *told])
    return text.getvalue()


def _cell(cell: Cell) -> Any:  # noqa: ANN401
    if cell.paper is None:
        return cell.measured
    return {"measured": cell.measured, "paper": cell.paper}


def as_json(tables: Sequence[Table]) -> str:
    """All tables as one JSON object, by name."""
    return (
        json.dumps(
            {
                table.name: {
                    "title": table.title,
                    "note": table.note,
                    "rows": [
                        dict(zip(table.columns, map(_cell, row), strict=True)) for row in table.rows
                    ],
                }
                for table in tables
            },
            indent=1,
        )
        + "\n"
    )


def write_tables(folder: Path, tables: Sequence[Table]) -> list[Path]:
    """Write Markdown, JSON, and one CSV a table; yields the files."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {
        "evaluation.md": as_markdown(tables),
        "evaluation.json": as_json(tables),
        **{f"{table.name}.csv": as_csv(table) for table in tables},
    }
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8", newline="\n")
    return [folder / name for name in contents]
