"""Figure of rank against time."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.core.plot_style import DOTTED, REFERENCE
from offnominal.core.types import FloatArray, IntArray
from offnominal.papers.comparison.search.search_space import search_space_of
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.ranks import mean_ranks
from offnominal.reports.colours import colours
from offnominal.reports.direct_labels import label_points

SHORTEST = 1e-5
"""Seconds at which the axis begins; shorter times are drawn there."""


def pareto_figure(plt: Any, outcomes: ComparisonResults, values: FloatArray) -> Any:
    """Draw the mean rank of each method against the time it takes to fit and to score.

    Args:
        plt: matplotlib's pyplot.
        outcomes: Of a run.
        values: (tables, methods) to rank by.
    """
    figure, both = plt.subplots(1, 2, figsize=(8.6, 4.2), sharey=True)
    figure.subplots_adjust(wspace=0.08)
    ranks = mean_ranks(values)
    names = [outcomes.methods[place] for place in np.argsort(ranks, kind="stable")]
    shades = colours(names)
    both[0].set_ylim(np.nanmax(ranks) + 0.6, np.nanmin(ranks) - 0.6)
    both[0].set_ylabel("mean rank of the test AUC (1 = best)")
    seconds = np.maximum(np.nanmean(outcomes.seconds(), axis=0), SHORTEST)
    for axes, spent, step in zip(both, seconds.T, ("fit", "score"), strict=True):
        front = frontier(spent, ranks)
        axes.step(spent[front], ranks[front], where="post", color=REFERENCE, lw=1.0, ls=DOTTED, zorder=0)
        axes.set_xscale("log")
        axes.set_xlim(*decades(spent))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.xaxis.set_minor_formatter(plt.NullFormatter())
        axes.set_xlabel(f"CPU time to {step} a configuration (s)")
        places = [outcomes.methods.index(name) for name in names]
        points = [
            (search_space_of(name).title, spent[at], ranks[at], shades[name])
            for name, at in zip(names, places, strict=True)
        ]
        for _, x, y, shade in points:
            axes.plot(x, y, "o", ms=6, color=shade)
        label_points(axes, points)
    return figure


def decades(seconds: FloatArray) -> tuple[float, float]:
    """Return the powers of ten between which times lie, with room for a name on the right.

    Example:
        >>> decades(np.array([0.02, 0.3]))
        (0.01, 1.0)
    """
    first, last = np.log10(np.nanmin(seconds) / 1.2), np.log10(np.nanmax(seconds) * 2.0)
    return float(10.0 ** np.floor(first)), float(10.0 ** np.ceil(last))


def frontier(cost: FloatArray, rank: FloatArray) -> IntArray:
    """Return the places that no other beats in both cost and rank, by rising cost.

    Example:
        >>> frontier(np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 1.0])).tolist()
        [0, 2]
    """
    order: IntArray = np.lexsort((rank, cost))
    best = np.minimum.accumulate(rank[order])
    beaten = np.concatenate([[False], rank[order][1:] >= best[:-1]])
    return np.asarray(order[~beaten])
