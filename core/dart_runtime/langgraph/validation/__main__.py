"""Print the tables: `python -m dart_runtime.langgraph.validation [seeds]`."""

from __future__ import annotations

import sys

from rich.console import Console

from dart_runtime.evaluation.writing import print_tables
from dart_runtime.langgraph.validation.tables import overhead_table, validation_tables

WIDTH = 160


def main(words: list[str]) -> int:
    """Measure and print; 1 where a count is not the paper's."""
    seeds = range(int(words[0])) if words else range(5)
    tables = (*validation_tables(seeds), overhead_table())
    # Where nobody looks at a terminal, no column is cut.
    console = Console(markup=False, width=None if sys.stdout.isatty() else WIDTH)
    print_tables(console, tables)
    differences = [text for table in tables for text in table.differences]
    for text in differences:
        print(text, file=sys.stderr)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
