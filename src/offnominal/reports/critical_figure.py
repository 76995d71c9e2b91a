"""The critical-difference diagram of Demšar (2006)."""

from __future__ import annotations

import math
from typing import Any

from offnominal.core.plot_style import INK
from offnominal.core.rounding import fixed
from offnominal.reports.colours import colours, is_baseline
from offnominal.studies.friedman import RankComparison

STEP = 0.22
MOST_NUMBERS = 24
"""Largest number of ranks that all have a number; of more, the first and every fifth."""


def critical_figure(plt: Any, compared: RankComparison) -> Any:
    """Draw average ranks on a line, and bars over those that Nemenyi's test cannot tell apart.

    Args:
        plt: matplotlib's pyplot.
        compared: Ranks and critical difference.
    """
    k, bars = len(compared.names), compared.bars()
    half = math.ceil(k / 2)
    below = 0.25 + 0.12 * len(bars)
    height = below + STEP * half
    figure = plt.figure(figsize=(7.4, height + 0.85))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(1 - 0.42 * (k - 1), k + 0.42 * (k - 1))
    axes.set_ylim(-height - 0.1, 0.75)
    axes.plot([1, k], [0, 0], color=INK, lw=1.2)
    for tick in range(1, k + 1):
        axes.plot([tick, tick], [0, 0.06], color=INK, lw=1.0)
        if k <= MOST_NUMBERS or tick == 1 or tick % 5 == 0:
            axes.text(tick, 0.1, str(tick), ha="center", va="bottom", fontsize=9)
    axes.text(k + 0.04 * (k - 1), 0, "mean rank\n(1 = best)", va="center", fontsize=8.5)
    _ruler(axes, compared.critical_difference, k)
    shades = colours(compared.names)
    for place, (name, rank) in enumerate(zip(compared.names, compared.ranks, strict=True)):
        left = place < half
        y = -below - STEP * (place if left else k - 1 - place)
        edge = 1 - 0.04 * (k - 1) if left else k + 0.04 * (k - 1)
        style = (0, (4, 2)) if is_baseline(name) else "-"
        axes.plot([rank, rank, edge], [0, y, y], color=shades[name], lw=1.4, ls=style)
        axes.plot(rank, 0, "o", ms=4, color=shades[name])
        label = f"{name}  {fixed(rank, 2)} " if left else f" {fixed(rank, 2)}  {name}"
        axes.text(edge, y, label, ha="right" if left else "left", va="center", fontsize=9.5)
    for number, (first, last) in enumerate(bars):
        ends = [compared.ranks[first] - 0.08, compared.ranks[last] + 0.08]
        axes.plot(ends, [-0.12 - 0.12 * number] * 2, color=INK, lw=3.2, solid_capstyle="round")
    return figure


def _ruler(axes: Any, difference: float, k: int) -> None:
    end = min(1.0 + difference, float(k))
    axes.plot([1, end], [0.42, 0.42], color=INK, lw=1.2)
    for x in (1.0, end):
        axes.plot([x, x], [0.37, 0.47], color=INK, lw=1.2)
    axes.text((1 + end) / 2, 0.5, f"critical difference {fixed(difference, 2)}", ha="center", va="bottom", fontsize=9)
