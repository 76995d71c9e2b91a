"""Figure of the effect of labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.label_budgets import ALL, BUDGETS, CLEAN, RANDOM_CHOICE, by_label_budget
from offnominal.papers.comparison.selection.ranks import mean_ranks
from offnominal.reports.colours import colours

ENDS = {RANDOM_CHOICE: "drawn", CLEAN: "no\nanomalies", ALL: "all\nlabels"}
ABOUT = {"percents": "most suspicious share that is labelled", "numbers": "most suspicious points that are labelled"}
MARKERS = "os^Dv"


def label_budget_figure(plt: Any, outcomes: ComparisonResults) -> Any:
    """Draw the mean test AUC and the mean rank by the labels that select the configuration, from none to all.

    Args:
        plt: matplotlib's pyplot.
        outcomes: Of a run.
    """
    figure, grid = plt.subplots(2, len(BUDGETS), figsize=(9.2, 5.6), sharex="col", sharey="row")
    styles = line_styles(outcomes.methods)
    for column, budget in zip(grid.T, BUDGETS, strict=True):
        by = by_label_budget(outcomes, budget)
        # A mean over some tables only could not be compared with the others: a line has a gap there.
        means = np.array([found.mean(axis=0) for found in by.values()])
        ranks = np.array([np.where(np.isnan(found).any(axis=0), np.nan, mean_ranks(found)) for found in by.values()])
        for axes, lines in zip(column, (means, ranks), strict=True):
            for place, method in enumerate(outcomes.methods):
                axes.plot(range(len(by)), lines[:, place], ms=3.8, lw=1.3, label=method, **styles[method])
        column[1].set_xticks(range(len(by)), [ENDS.get(label, label) for label in by], fontsize=8)
        column[1].set_xlabel(ABOUT[budget])
    grid[1, 0].invert_yaxis()
    grid[0, 0].set_ylabel("mean test AUC")
    grid[1, 0].set_ylabel("mean rank")
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="center left", bbox_to_anchor=(0.91, 0.5), fontsize=8)
    figure.subplots_adjust(wspace=0.06, hspace=0.08)
    return figure


def line_styles(methods: list[str]) -> dict[str, dict[str, str]]:
    """Return colour and marker of each method: those that share a colour differ in their marker.

    Example:
        >>> line_styles(["knn"])["knn"]["marker"]
        'o'
    """
    shades, used, styles = colours(methods), dict[str, int](), {}
    for method in methods:
        shade = shades[method]
        styles[method] = {"color": shade, "marker": MARKERS[used.get(shade, 0) % len(MARKERS)]}
        used[shade] = used.get(shade, 0) + 1
    return styles
