"""The published tables and figures of the comparison, and our results for them."""

from __future__ import annotations

from functools import cache

import numpy as np

from offnominal.evaluation.estimate import Estimate
from offnominal.papers.comparison.report.published_image_tables import table_6
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.ranks import mean_ranks
from offnominal.papers.paper import Published, PublishedFigure, PublishedTable
from offnominal.papers.printed_values import printed_values
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

IDENTIFIER = "the published results use the column with row numbers"
NOTES = {"glass": IDENTIFIER}
OTHER_NAMES = {"KDD99 (10%)": "kdd99_small", "PageBlocks": "page-blocks"}
"""Names of tables here where they are not those of the paper in lower case."""


def table_4(results: RunResults) -> list[PublishedComparison]:
    """Compare the test AUC of each method on each table, configuration selected by the mean protocol."""
    published = published_aucs()
    if not results.table.num_rows:
        return [
            PublishedComparison({"table": table, "method": method}, Estimate(None), value, note=NOTES.get(table, ""))
            for (table, method), value in published.items()
        ]
    outcomes = ComparisonResults.of(results.table)
    lines = []
    for (table, method), found in outcomes.chosen("mean").items():
        labels = {"table": table, "method": method}
        ours = Estimate(None if np.isnan(found.value) else found.value)
        lines.append(PublishedComparison(labels, ours, published.get((table, method)), note=NOTES.get(table, "")))
    return lines


def rank_table(results: RunResults) -> list[PublishedComparison]:
    """Report the mean rank of each method over the tables of the run; the paper has other methods and tables."""
    if not results.table.num_rows:
        return []
    outcomes = ComparisonResults.of(results.table)
    ranks = mean_ranks(outcomes.values("mean"), ties="min", decimals=2)
    order = np.argsort(ranks, kind="stable")
    return [PublishedComparison({"method": outcomes.methods[i]}, Estimate(float(ranks[i])), None) for i in order]


TABLES = [
    PublishedTable("IV", "test AUC on tables, mean protocol", "comparison", table_4),
    PublishedTable(
        "VI",
        "test AUC on images, one class left out, one configuration for all classes",
        "comparison-images",
        table_6,
        images=True,
    ),
    PublishedTable("ranks", "mean ranks on tables, mean protocol", "comparison", rank_table),
]
UNKNOWN_TABLES = {
    "V": "It has the columns of Table IV, but we know neither its metric nor its numbers. The report of "
    "`offnominal run comparison` has TPR at 5 % false alarms (tables/tpr5) and the max protocol (tables/auc_max).",
    "VII": "We know neither its content nor its numbers. The report of `offnominal run comparison` has ensembles, "
    "deviations and everything else of the protocol.",
    "VIII": "We know neither its content nor its numbers. The report of `offnominal run comparison` has ensembles, "
    "deviations and everything else of the protocol.",
}
FIGURES = [
    PublishedFigure(
        4, "effect of labels: mean AUC and mean rank by the selection of the configuration", "comparison", "knowledge"
    ),
    PublishedFigure(5, "ranks of the variants of autoencoders", "comparison-deep", "variants"),
    PublishedFigure(6, "rank against time to fit and to score", "comparison", "pareto"),
]
_DIAGRAMS = (
    "We do not know its content. The report of `offnominal run comparison` has a critical-difference diagram "
    "(figures/critical_difference)."
)
UNKNOWN_FIGURES = {
    "1": _DIAGRAMS,
    "2": _DIAGRAMS,
    "3": _DIAGRAMS,
}
"""Why other figures are not drawn; the numbers of no figure are known."""
PUBLISHED = Published(tuple(TABLES), tuple(FIGURES), UNKNOWN_TABLES, UNKNOWN_FIGURES)


@cache
def published_aucs() -> dict[tuple[str, str], float]:
    """Return the published AUC of Table IV by table and method.

    Example:
        >>> len(published_aucs()), published_aucs()["wine", "knn"]
        (920, 0.98)
    """
    names = {
        row["alias"]: OTHER_NAMES.get(row["dataset"], row["dataset"]) for row in printed_values("comparison", "table_I")
    }
    return {
        (names[row["dataset"]].lower().replace(" ", "-"), row["method"]): float(row["value"])
        for row in printed_values("comparison", "table_IV")
        if row["quantity"] == "mean_over_folds"
    }
