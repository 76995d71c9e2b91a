"""Data of figures that travel with the package, for those who have not computed the run.

`docs/scoreboard.py` writes them from stores with results, as the values beside published ones.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path

import pyarrow as pa

from offnominal.papers.drawn_figure import drawn_figure
from offnominal.papers.paper import FigureData, PublishedFigure
from offnominal.papers.shipped_results import RUN, ShippedRun, read_shipped, run_of_row

FILE = "figures.parquet"
SCHEMA = pa.schema([pa.field(name, pa.string()) for name in ("paper", "figure", *RUN, "data")])
"""Columns of the file. `data` is a JSON object."""
MARK = "Shipped results, not computed here: "


@dataclass(frozen=True, slots=True)
class ShippedFigure:
    """Data of a figure, and the run that they come from.

    Args:
        data: The data, see :attr:`~offnominal.papers.paper.PublishedFigure.data`.
        run: The run.
    """

    data: FigureData
    run: ShippedRun


def shipped_figure(paper: str, figure: PublishedFigure, scales: Collection[str]) -> ShippedFigure | None:
    """Return the data of a figure that travel with the package; None if they do not.

    Args:
        paper: Short name of the paper.
        figure: The figure.
        scales: Scales whose results count.

    Example:
        >>> from offnominal.papers.catalogue import figures_of
        >>> (figure,) = figures_of("ood-rl", [5])
        >>> found = shipped_figure("ood-rl", figure, [figure.scale])
        >>> found.run.name, sorted(found.data)
        ('ood-rl@figures', ['series', 'threshold', 'world'])
    """
    found = _figures().get((paper, str(figure.number)))
    return found if found is not None and found.run.scale in scales else None


def figure_table(folder: Traversable | None = None) -> pa.Table:
    """Return the rows of the file.

    Args:
        folder: Its folder; that of the package if None.

    Raises:
        DamagedFile: It is not the file that the manifest names.
    """
    return read_shipped(FILE, folder)


def draw_shipped(figure: PublishedFigure, found: ShippedFigure, file: Path) -> Path:
    """Draw a figure from shipped data as PNG and SVG, marked as such, and return the PNG.

    Args:
        figure: The figure.
        found: Its data.
        file: The PNG.
    """
    return drawn_figure(figure, found.data, file, f"{MARK}{found.run.name}, {found.run.date}")


@cache
def _figures() -> dict[tuple[str, str], ShippedFigure]:
    """Return the data of all figures by paper and number."""
    return {
        (row["paper"], row["figure"]): ShippedFigure(json.loads(row["data"]), run_of_row(row))
        for row in figure_table().to_pylist()
    }
