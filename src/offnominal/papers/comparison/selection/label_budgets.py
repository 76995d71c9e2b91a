"""Results by the number of labels for the selection: none, those of a few high scores, or all."""

from __future__ import annotations

from typing import Literal

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.papers.comparison.search.metrics import NUMBERS, PERCENTS
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults

Budget = Literal["numbers", "percents"]
BUDGETS: dict[Budget, dict[str, str]] = {
    "percents": {f"{percent:g}%": f"pr_at_{percent:g}%" for percent in PERCENTS},
    "numbers": {f"{n:,}": f"pr_at_{n}" for n in NUMBERS},
}
"""Validation criteria by name: an analyst labels the most suspicious points of each configuration and
takes the one with the most hits. All normal points stay; the number is not one of anomalies that are known."""
RANDOM_CHOICE, CLEAN, ALL = "any", "none", "all"
"""A configuration drawn at random; one for which no anomaly was looked at; one chosen by every validation label."""


def by_label_budget(
    outcomes: ComparisonResults, budget: Budget = "percents", *, metric: str = "auc"
) -> dict[str, FloatArray]:
    """Return test metrics (tables, methods) by the labels that select the configuration, from none to all.

    A criterion without results for every method on some table is left out: means over other tables are not comparable.

    Args:
        outcomes: Of a run.
        budget: Whether the analyst labels a number of points or a percentage.
        metric: To report.
    """
    values = {RANDOM_CHOICE: outcomes.random_choice(metric), CLEAN: outcomes.clean(metric)}
    for label, criterion in BUDGETS[budget].items():
        values[label] = outcomes.values("mean", criterion=criterion, metric=metric)
    values[ALL] = outcomes.values("mean", metric=metric)
    return {label: found for label, found in values.items() if not np.isnan(found).all(axis=1).any()}
