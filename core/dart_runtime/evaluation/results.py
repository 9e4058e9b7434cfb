"""What was measured, and the cells and tables that it is shown in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from dart_runtime.evaluation.measure import Measured
from dart_runtime.evaluation.truth import Block

__all__ = ["Cell", "Results", "Table"]


@frozen
class Cell:
    """A measured figure, beside the one that the paper reports, where it does."""

    measured: float | str
    paper: float | None = None
    form: str = "g"

    def __str__(self) -> str:
        if isinstance(self.measured, str):
            return self.measured
        text = format(self.measured, self.form)
        if self.paper is None:
            return text
        return f"{text} ({format(self.paper, self.form)}{'!' if self.differs else ''})"

    @property
    def differs(self) -> bool:
        """Whether the two are not the same."""
        return self.paper is not None and self.measured != self.paper


@frozen(kw_only=True)
class Table:
    """A table; the first `labels` columns name the row."""

    name: str
    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def differences(self) -> list[str]:
        """The figures that are not the paper's, each with what the paper reports."""
        return [
            f"{self.title}: {row[0].measured}: {column} is {cell.measured}, not {cell.paper}"
            for row in self.rows
            for column, cell in zip(self.columns, row, strict=True)
            if cell.differs
        ]


@frozen
class Results:
    """All measurements, the blocked checkpoints of each row of `dart`, and a sweep of faults."""

    measured: Sequence[Measured]
    blocks: Mapping[str, tuple[Block, ...]] = {}
    swept: Sequence[Measured] = ()

    def of(self, strategy: str, rows: Iterable[str] | None = None) -> list[Measured]:
        """The measurements of the strategy, of the given rows or of all."""
        wanted = None if rows is None else set(rows)
        return [
            one
            for one in self.measured
            if one.strategy == strategy and (wanted is None or one.row in wanted)
        ]
