"""The replay comparison as a chart; the same bytes for the same counts."""

from __future__ import annotations

from pathlib import Path

from dart_runtime.evaluation import paper
from dart_runtime.evaluation.results import Table
from dart_tools.errors import DartError

__all__ = ["MissingPlottingError", "draw"]


class MissingPlottingError(DartError):
    """The plotting library is not installed."""

    def __str__(self) -> str:
        return "a chart needs the extra `evaluate`: pip install 'dart-core[evaluate]'"


def _heights(cases: Table, strategy: str) -> list[float | None]:
    columns = {name: index for index, name in enumerate(cases.columns)}
    heights: list[float | None] = []
    for row in cases.rows:
        if row[columns["strategy"]].measured == strategy:
            replay = row[columns["replay"]].measured
            succeeds = row[columns["success"]].measured == 1
            heights.append(replay if succeeds and not isinstance(replay, str) else None)
    return heights


def draw(cases: Table, path: Path) -> None:
    """
    Draw what each strategy runs again in the commitment-sensitive cases; SVG or PNG by the name.

    A strategy that does not succeed has a cross instead of a bar.
    """
    try:
        import matplotlib as mpl  # noqa: PLC0415 (an extra)
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError:
        raise MissingPlottingError from None
    # A fixed salt and no date keep the SVG the same from run to run.
    with mpl.rc_context({"svg.hashsalt": "dart-core", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9, 4), layout="constrained")
        axes = figure.subplots()
        domains = list(dict.fromkeys(str(row[0].measured) for row in cases.rows))
        width = 0.8 / len(paper.NAMES)
        for place, label in enumerate(paper.NAMES.values()):
            at = [index + (place - 2) * width for index in range(len(domains))]
            heights = _heights(cases, label)
            bars = axes.bar(at, [height or 0 for height in heights], width, label=label)
            axes.bar_label(
                bars,
                ["×" if height is None else f"{height:g}" for height in heights],  # noqa: RUF001
                fontsize=7,
            )
        axes.set_xticks(range(len(domains)), domains)
        axes.set_ylabel("acts that run again")
        axes.set_title("Commitment-sensitive cases: replay of one recovery (×: no success)")  # noqa: RUF001
        axes.legend(fontsize=8)
        metadata = {"Date": None} if path.suffix == ".svg" else {"Software": None}
        figure.savefig(path, metadata=metadata)
