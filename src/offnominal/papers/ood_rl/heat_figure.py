"""Heat maps: AUC of a method in every setting of every world."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.papers.ood_rl.detection_results import DetectionResults
from offnominal.papers.ood_rl.results import OODResults
from offnominal.papers.ood_rl.settings import PONG, OODSetting
from offnominal.reports.heat_cells import draw_heat_cells

MARK = "✕"


def heat_figure(plt: Any, outcomes: OODResults, label: str) -> Any:
    """Draw the mean AUC of a method: a panel per world, a row per quantity, a column per multiple of its default.

    Neutral is an AUC of 0.5; in orange settings scores are lower than in the unmodified world. A cross marks
    settings in which agents fail.

    Args:
        plt: matplotlib's pyplot.
        outcomes: Of a run.
        label: Name of the method.
    """
    found = outcomes.by_label(label)
    grids = [_grid(detections) for detections in found]
    heights = [len(rows) for rows, _, _ in grids]
    figure, panels = plt.subplots(
        len(found),
        1,
        figsize=(9.2, 0.42 * sum(heights) + 1.05 * len(found) + 0.3),
        squeeze=False,
        height_ratios=heights,
        layout="constrained",
    )
    for axes, detections, grid in zip(panels[:, 0], found, grids, strict=True):
        image = _panel(axes, outcomes, detections, grid)
    figure.colorbar(image, ax=panels[:, 0].tolist(), fraction=0.025, pad=0.01, label="mean AUC (0.5 = random)")
    figure.suptitle(label, fontweight="bold", x=0.01, ha="left", fontsize=11)
    return figure


Grid = tuple[list[str], list[str], dict[OODSetting, tuple[int, int]]]


def _grid(detections: DetectionResults) -> Grid:
    """Return the names of rows and columns, and where each setting is."""
    rows = list(dict.fromkeys(each.quantity.name for each in detections.settings))
    keys = [_column(each) for each in detections.settings]
    columns = sorted(set(keys))
    where = {
        each: (rows.index(each.quantity.name), columns.index(key))
        for each, key in zip(detections.settings, keys, strict=True)
    }
    return rows, [_setting_row(detections.world, each) for each in columns], where


def _column(setting: OODSetting) -> float:
    """Return the multiple of the default that is meant, before rounding; of a corruption, its level."""
    if setting.world == PONG:
        return setting.parameter
    multiple = setting.parameter / setting.quantity.default
    return float(round(multiple)) if multiple > 1.0 else 1.0 / round(1.0 / multiple)


def _setting_row(world: str, column: float) -> str:
    if world == PONG:
        return f"{column:g}"
    return f"×{column:g}" if column > 1.0 else f"÷{round(1.0 / column)}"


def _panel(axes: Any, outcomes: OODResults, detections: DetectionResults, grid: Grid) -> Any:
    rows, columns, where = grid
    values, texts = np.full((len(rows), len(columns)), np.nan), np.full((len(rows), len(columns)), "", object)
    mean, failed = detections.mean("auc"), outcomes.failed(detections)
    for place, setting in enumerate(detections.settings):
        values[where[setting]] = mean[place]
        texts[where[setting]] = f"{mean[place]:.2f}" + (f"\n{MARK}" if failed[place] else "")
    axes.set_title(f"{detections.world}   {MARK} agents fail")
    axes.set_xlabel("severity" if detections.world == PONG else "multiple of the default (×, ÷)")
    return draw_heat_cells(axes, values, rows, columns, texts=texts)
