"""Figure of a dataset's card: mean normalised score under each fault."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from offnominal.core.errors import MissingDependency
from offnominal.datasets.recipe import Recipe, rank

NOMINAL = "#0072B2"
STYLE: Any = {
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "legend.frameon": False,
    "ytick.left": False,
}


def draw_score_figure(path: Path, recipe: Recipe, scores: Mapping[str, float]) -> None:
    """Draw a row per anomaly with a dot per strength; the vertical line is the nominal score.

    Args:
        path: File to write.
        recipe: Recipe of the dataset.
        scores: Normalised scores by split.
    """
    try:
        from matplotlib import colormaps, rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependency("figures need matplotlib; install it with `pip install offnominal[plot]`.") from None

    anomalies = sorted({cell.anomaly for cell in recipe.cells}, reverse=True)
    levels = sorted({cell.level for cell in recipe.cells}, key=rank)
    colours = {level: colormaps["YlOrRd"](0.2 + 0.8 * (i + 1) / len(levels)) for i, level in enumerate(levels)}
    with rc_context(STYLE):
        figure = Figure(figsize=(6.6, 1.1 + 0.23 * len(anomalies)), dpi=150, layout="constrained")
        axes = figure.subplots()
        axes.axvline(scores["test"], color=NOMINAL, lw=1.2, label="nominal", zorder=1)
        lowest = [min(scores[cell.name] for cell in recipe.cells if cell.anomaly == anomaly) for anomaly in anomalies]
        axes.hlines(range(len(anomalies)), lowest, scores["test"], color="#dddddd", lw=1.0, zorder=0)
        for level, colour in colours.items():
            cells = [cell for cell in recipe.cells if cell.level == level]
            rows = [anomalies.index(cell.anomaly) for cell in cells]
            axes.scatter([scores[cell.name] for cell in cells], rows, s=26, color=colour, label=level, zorder=2)
        axes.set_yticks(range(len(anomalies)), anomalies)
        axes.set_title(f"{recipe.world}: score under each fault", fontsize=9.5)
        axes.set_xlabel("mean normalised score")
        figure.legend(loc="outside lower center", ncols=len(levels) + 1, fontsize=8)
        figure.savefig(path)
