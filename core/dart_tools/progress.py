"""Progress for a person who waits: on a terminal only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    ProgressColumn,
    Task,
    TimeRemainingColumn,
)
from rich.text import Text

from dart_tools.stream import Advance

__all__ = ["progress"]


class Rate(ProgressColumn):
    """The events judged a second."""

    def render(self, task: Task) -> Text:
        """The rate in words."""
        events = int(task.fields["events"])
        return Text(f"{events / task.elapsed:,.0f} events/s" if task.elapsed else "")


def _size(paths: list[str]) -> int:
    return sum(Path(path).stat().st_size for path in paths if Path(path).is_file())


@contextmanager
def progress(paths: list[str], console: Console) -> Iterator[Advance]:
    """What is to be told of each block that has been judged."""
    if not console.is_terminal:
        yield lambda _bytes, _events: None
        return
    columns = (BarColumn(), DownloadColumn(), Rate(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as shown:
        task = shown.add_task("", total=_size(paths) or None, events=0)

        def advance(size: int, events: int) -> None:
            total = int(shown.tasks[0].fields["events"]) + events
            shown.update(task, advance=size, events=total)

        yield advance
