"""Dots with intervals: a panel per category, a row per method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from offnominal.core.plot_style import DOTTED, REFERENCE
from offnominal.evaluation.estimate import Estimate
from offnominal.reports.colours import colours, is_baseline

ACROSS = 4
"""Number of panels beside each other at most."""
WIDTH = 7.6
"""Width of the figure in inches."""


def dot_panels(
    plt: Any,
    names: Sequence[str],
    panels: Mapping[str, Callable[[str], Estimate]],
    *,
    label: str,
    random_value: float | None = None,
    limits: tuple[float, float] | None = None,
) -> Any:
    """Draw an estimate of every method in every panel, with its interval.

    Args:
        plt: matplotlib's pyplot.
        names: Methods, best first.
        panels: Estimate by method, for each title of a panel.
        label: Label of the axis, with its unit.
        random_value: Expected value of random scores, drawn as a dotted line.
        limits: Of the axis.
    """
    shades = colours(names)
    columns = min(ACROSS, max(len(panels), 1))
    rows = -(-len(panels) // columns)
    size = (WIDTH, rows * (0.2 * len(names) + 0.45) + 0.4)
    figure, grid = plt.subplots(
        rows, columns, figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained"
    )
    for axes, (title, estimate) in zip(grid.flat, panels.items(), strict=False):
        for place, name in enumerate(names):
            draw_estimate(axes, estimate(name), place, shades[name], hollow=is_baseline(name))
        if random_value is not None:
            axes.axvline(random_value, color=REFERENCE, lw=0.9, ls=DOTTED, zorder=0)
        axes.set_title(title)
        name_rows(axes, names)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for column in range(columns):
        last = max(row for row in range(rows) if row * columns + column < max(len(panels), 1))
        grid[last, column].tick_params(labelbottom=True)
    if limits is not None:
        grid[0, 0].set_xlim(*limits)
    figure.supxlabel(label, fontsize=9.5)
    return figure


def draw_estimate(axes: Any, value: Estimate, place: float, shade: str, *, hollow: bool = False) -> None:
    """Draw a value as a dot at a height, and its interval as a bar; nothing if there is no value."""
    if value.value is None or not np.isfinite(value.value):
        return
    if value.low is not None and value.high is not None:
        axes.plot([value.low, value.high], [place, place], color=shade, lw=4, alpha=0.4, solid_capstyle="butt")
    axes.plot(value.value, place, "o", ms=5.5, color=shade, mfc="white" if hollow else shade, mew=1.4, zorder=3)


def name_rows(axes: Any, names: Sequence[str]) -> None:
    """Write the names of rows at the left of axes; the first name is on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
