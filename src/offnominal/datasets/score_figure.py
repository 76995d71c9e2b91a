"""Figure of a dataset's card: mean normalised score under each fault."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from offnominal.core.plot_style import NOMINAL, RULE, STYLE, markers, matplotlib
from offnominal.datasets.recipe import Recipe, rank

LEVELS = ("#e9b872", "#d98c33", "#c34b0f", "#8a2f06", "#4d1a03")
"""Colours of strengths, from weak to strong; lighter to darker with any colour vision."""


def draw_score_figure(path: Path, recipe: Recipe, scores: Mapping[str, float]) -> None:
    """Draw a row per anomaly with a dot per strength; the vertical line is the nominal score.

    Args:
        path: File to write.
        recipe: Recipe of the dataset.
        scores: Normalised scores by split.
    """
    rc_context = matplotlib().rc_context
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

    anomalies = sorted({cell.anomaly for cell in recipe.cells}, reverse=True)
    levels = sorted({cell.level for cell in recipe.cells}, key=rank)
    scale = LinearSegmentedColormap.from_list("strengths", LEVELS)
    styles: dict[str, dict[str, Any]] = {
        level: {"color": scale(number / max(len(levels) - 1, 1)), "marker": mark}
        for (number, level), mark in zip(enumerate(levels), markers(levels).values(), strict=True)
    }
    with rc_context(STYLE | {"axes.spines.left": False, "ytick.left": False}):
        figure = Figure(figsize=(6.6, 1.1 + 0.23 * len(anomalies)), dpi=150, layout="constrained")
        axes = figure.subplots()
        axes.grid(visible=False, axis="y")
        axes.axvline(scores["test"], color=NOMINAL, lw=1.2, label="nominal", zorder=1)
        lowest = [min(scores[cell.name] for cell in recipe.cells if cell.anomaly == anomaly) for anomaly in anomalies]
        axes.hlines(range(len(anomalies)), lowest, scores["test"], color=RULE, lw=1.0, zorder=0)
        for level, style in styles.items():
            cells = [cell for cell in recipe.cells if cell.level == level]
            rows = [anomalies.index(cell.anomaly) for cell in cells]
            axes.scatter([scores[cell.name] for cell in cells], rows, s=28, label=level, zorder=2, **style)
        axes.set_yticks(range(len(anomalies)), anomalies)
        axes.set_title(f"{recipe.world}: score under each fault")
        axes.set_xlabel("mean normalised score (1 = expert, 0 = random policy)")
        figure.legend(loc="outside lower center", ncols=len(levels) + 1)
        figure.savefig(path)
