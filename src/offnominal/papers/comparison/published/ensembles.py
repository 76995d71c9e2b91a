"""Tables D.1 to D.4: ensembles of the best configurations of each split or class."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.papers.comparison.published.comparison_lines import DEVIATIONS, compared, outcomes_of
from offnominal.papers.comparison.published.printed_cells import is_classical, rows_of
from offnominal.papers.comparison.published.rank_rows import complete, paper_ranks, place_lines
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

METRICS = {"table_D1": "auc", "table_D2": "tpr5", "table_D3": "auc", "table_D4": "tpr5"}
CRITERION = "AUC_val"
BASELINE = "baseline"
CHANGE = "ours average ranks of scores, published ones average scores"
NOT_RUN = "our ensembles are of the best configurations by validation AUC, of 5 and of 10"


def ensemble_table(results: RunResults, *, item: str, classical: bool | None = None) -> list[PublishedComparison]:
    """Compare the places of ensembles among methods, and how much an ensemble changes the metric.

    Args:
        results: Of a run, or without rows.
        item: The published table.
        classical: Whether the run is that of classical methods; None if it has all methods.
    """
    outcomes, metric = outcomes_of(results), METRICS[item]
    baseline = outcomes.values("max", criterion=metric, metric=metric)
    lines: list[PublishedComparison] = []
    for criterion, size in dict.fromkeys((row["criterion"], row["ensemble_size"]) for row in rows_of(item)):
        values = baseline if criterion == BASELINE else _ensembles(outcomes, criterion, size, metric)
        for quantity in ("mean_rank", "mean_change"):
            rows = rows_of(item, criterion=criterion, ensemble_size=size, quantity=quantity)
            printed = {row["method"]: float(row["value"]) for row in rows if _in_run(row["method"], classical)}
            labels = {"selection": criterion, "size": size or "–", "quantity": quantity.replace("_", " ")}
            if quantity == "mean_rank":
                lines += _places(outcomes, labels, printed, values)
            else:
                lines += _changes(outcomes, labels, printed, values, baseline)
    return lines


def _in_run(method: str, classical: bool | None) -> bool:
    return classical is None or is_classical(method) == classical


def _ensembles(outcomes: ComparisonResults, criterion: str, size: str, metric: str) -> FloatArray | None:
    """Return our values by (table, method); None if we have no such ensembles."""
    return outcomes.ensembles(int(size), metric) if criterion == CRITERION and size else None


def _places(
    outcomes: ComparisonResults, labels: Mapping[str, str], printed: Mapping[str, float], values: FloatArray | None
) -> list[PublishedComparison]:
    if values is None:
        return _not_run(labels, printed, NOT_RUN)
    cells = {
        (table, method): values[i, j]
        for i, table in enumerate(outcomes.tables)
        for j, method in enumerate(outcomes.methods)
        if method in printed
    }
    tables, methods = complete(cells, cells)
    return place_lines(paper_ranks(cells, tables, methods), printed, labels) if tables else _not_run(labels, printed)


def _changes(
    outcomes: ComparisonResults,
    labels: Mapping[str, str],
    printed: Mapping[str, float],
    values: FloatArray | None,
    baseline: FloatArray,
) -> list[PublishedComparison]:
    if values is None:
        return _not_run(labels, printed, NOT_RUN)
    changes = dict(zip(outcomes.methods, _column_means(values - baseline), strict=True))
    return [
        compared({**labels, "method": method}, changes.get(method), value, note=CHANGE, within=DEVIATIONS)
        for method, value in printed.items()
    ]


def _not_run(labels: Mapping[str, str], printed: Mapping[str, float], note: str = "") -> list[PublishedComparison]:
    return [compared({**labels, "method": method}, None, value, note=note) for method, value in printed.items()]


def _column_means(values: FloatArray) -> list[float]:
    """Return the mean of each column over its known values; NaN if it has none."""
    return [float(np.mean(known)) if len(known := column[~np.isnan(column)]) else np.nan for column in values.T]
