"""Figure of the effect of labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.core.plot_style import markers
from offnominal.core.types import FloatArray
from offnominal.papers.comparison.search.search_space import search_space_of
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.label_budgets import ALL, BUDGETS, CLEAN, RANDOM_CHOICE, by_label_budget
from offnominal.papers.comparison.selection.ranks import mean_ranks
from offnominal.reports.colours import colours
from offnominal.reports.direct_labels import label_ends

ENDS = {RANDOM_CHOICE: "drawn", CLEAN: "no\nanom.", ALL: "all\nlabels"}
ABOUT = {
    "percents": "most suspicious points that are labelled (%)",
    "numbers": "most suspicious points that are labelled (count)",
}


def label_budget_figure(plt: Any, outcomes: ComparisonResults) -> Any:
    """Draw the mean test AUC and the mean rank by the labels that select the configuration, from none to all.

    A line joins the numbers of labels; a configuration drawn at random, one without known anomalies, and one chosen by
    all labels are single marks. The best methods with all labels are in colour.

    Args:
        plt: matplotlib's pyplot.
        outcomes: Of a run.
    """
    figure, grid = plt.subplots(2, len(BUDGETS), figsize=(8.6, 6.4), sharex="col", sharey="row")
    figure.subplots_adjust(wspace=0.06, hspace=0.08, right=0.86)
    last = mean_ranks(outcomes.values("mean"))
    names = [outcomes.methods[place] for place in np.argsort(last, kind="stable")]
    shades, shapes = colours(names), markers(names)
    for column, budget in zip(grid.T, BUDGETS, strict=True):
        by = by_label_budget(outcomes, budget)
        # A mean over some tables only could not be compared with the others: a line has a gap there.
        means = np.array([found.mean(axis=0) for found in by.values()])
        ranks = np.array([np.where(np.isnan(found).any(axis=0), np.nan, mean_ranks(found)) for found in by.values()])
        for axes, values in zip(column, (means, ranks), strict=True):
            for name in reversed(names):
                line = values[:, outcomes.methods.index(name)]
                _draw(axes, list(by), line, color=shades[name], marker=shapes[name])
        column[1].set_xticks(range(len(by)), [ENDS.get(label, label.rstrip("%")) for label in by])
        column[1].set_xlabel(ABOUT[budget])
    grid[1, 0].invert_yaxis()
    grid[0, 0].set_ylabel("mean test AUC (0.5 = random)")
    grid[1, 0].set_ylabel("mean rank (1 = best)")
    for axes, values in zip(grid[:, -1], (means, ranks), strict=True):
        ends = {search_space_of(name).title: values[-1, outcomes.methods.index(name)] for name in names}
        label_ends(axes, ends, {search_space_of(name).title: shades[name] for name in names})
    return figure


def _draw(axes: Any, labels: list[str], values: FloatArray, **style: str) -> None:
    budgets = np.array([label not in ENDS for label in labels])
    places = np.arange(len(labels))
    axes.plot(places[budgets], values[budgets], ms=4.5, lw=1.3, **style)
    axes.plot(places[~budgets], values[~budgets], ms=4.5, ls="", **style)
