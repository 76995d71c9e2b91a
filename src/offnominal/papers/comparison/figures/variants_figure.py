"""Ranks of the variants of autoencoders, drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from offnominal.core.plot_style import GREY
from offnominal.core.types import FloatArray
from offnominal.papers.comparison.selection.ranks import table_ranks
from offnominal.reports.colours import HIGHLIGHTED, colours_in_order


def variants_figure(plt: Any, names: Sequence[str], values: FloatArray) -> Any:
    """Draw a box per variant: its ranks over tables, the best mean rank on top, the best few in colour.

    Args:
        plt: matplotlib's pyplot.
        names: Names of the variants.
        values: (tables, variants) to rank by.
    """
    ranks = table_ranks(values)
    order = np.argsort(-ranks.mean(axis=0), kind="stable")
    best = colours_in_order([names[index] for index in order[::-1][:HIGHLIGHTED]])
    figure, axes = plt.subplots(figsize=(6.4, 0.24 * len(names) + 0.9))
    boxes = axes.boxplot(
        ranks[:, order], orientation="horizontal", widths=0.6, showmeans=True, patch_artist=True, sym=""
    )
    for place, index in enumerate(order):
        shade = best.get(names[index], GREY)
        boxes["boxes"][place].set(facecolor=f"{shade}40", edgecolor=shade)
        boxes["medians"][place].set(color=shade, linewidth=2)
        boxes["means"][place].set(marker="D", markersize=4, markerfacecolor="white", markeredgecolor=shade)
        for part in ("whiskers", "caps"):
            for line in boxes[part][2 * place : 2 * place + 2]:
                line.set(color=shade)
    axes.set_yticks(range(1, len(names) + 1), [names[index] for index in order])
    axes.grid(visible=False, axis="y")
    axes.set_xlim(0.5, len(names) + 0.5)
    axes.set_xlabel("rank on a table (1 = best); box and line: quartiles, diamond: mean")
    return figure
