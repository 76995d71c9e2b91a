"""Figure of rank against time."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.core.types import FloatArray, IntArray
from offnominal.papers.comparison.figures.label_budget_figure import line_styles
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.ranks import mean_ranks

SHORTEST = 1e-5
"""Seconds at which the axis begins; shorter times are drawn there."""


def pareto_figure(plt: Any, outcomes: ComparisonResults, values: FloatArray) -> Any:
    """Draw the mean rank of each method against the time it takes to fit and to score.

    Args:
        plt: matplotlib's pyplot.
        outcomes: Of a run.
        values: (tables, methods) to rank by.
    """
    figure, both = plt.subplots(1, 2, figsize=(9.2, 3.8), sharey=True)
    ranks, styles = mean_ranks(values), line_styles(outcomes.methods)
    seconds = np.maximum(np.nanmean(outcomes.seconds(), axis=0), SHORTEST)
    for axes, spent, step in zip(both, seconds.T, ("fit", "score"), strict=True):
        for place, method in enumerate(outcomes.methods):
            axes.plot(spent[place], ranks[place], ms=6, ls="none", **styles[method])
            axes.annotate(method, (spent[place], ranks[place]), xytext=(6, 3), textcoords="offset points", fontsize=8)
        front = frontier(spent, ranks)
        axes.step(spent[front], ranks[front], where="post", color="#888888", lw=1.0, ls=(0, (4, 3)), zorder=0)
        axes.set_xscale("log")
        axes.set_xlim(*decades(spent))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.xaxis.set_minor_formatter(plt.NullFormatter())
        axes.set_xlabel(f"CPU seconds to {step} a configuration")
    both[0].invert_yaxis()
    both[0].set_ylabel("mean rank of the test AUC")
    figure.subplots_adjust(wspace=0.12)
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
