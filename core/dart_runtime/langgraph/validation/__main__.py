"""Print the tables: `python -m dart_runtime.langgraph.validation [seeds]`."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table as Printed

from dart_runtime.langgraph.validation.tables import Table, overhead_table, validation_tables


def _print(table: Table, console: Console) -> None:
    printed = Printed(*table.columns, title=table.title, title_justify="left")
    for row in table.rows:
        printed.add_row(*row)
    console.print(printed)
    for note in table.notes:
        console.print(f"  {note}", highlight=False)
    console.print()


def main(words: list[str]) -> None:
    """Measure, and print."""
    console = Console(width=None if sys.stdout.isatty() else 160)
    seeds = range(int(words[0])) if words else range(5)
    for table in (*validation_tables(seeds), overhead_table()):
        _print(table, console)


if __name__ == "__main__":
    main(sys.argv[1:])
