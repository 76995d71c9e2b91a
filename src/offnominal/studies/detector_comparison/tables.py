"""The tables of the paper on the comparison of anomaly detectors: ours, and what is printed."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

import numpy as np

from offnominal.evaluation.estimate import Estimate
from offnominal.studies.comparison import Comparison
from offnominal.studies.detector_comparison.image_tables import table_6
from offnominal.studies.detector_comparison.outcomes import Outcomes
from offnominal.studies.detector_comparison.ranks import mean_ranks
from offnominal.studies.papers import Printed, PrintedFigure
from offnominal.studies.results import RunResults

IDENTIFIER = "print keeps the column that numbers the rows"
NOTES = {"glass": IDENTIFIER}


def table_4(results: RunResults) -> list[Comparison]:
    """Compare the test AUC of each method on each table, configuration chosen by the mean protocol."""
    outcomes = Outcomes.of(results.table)
    printed = _printed()
    lines = []
    for (table, method), found in outcomes.chosen("mean").items():
        labels = {"table": table, "method": method}
        ours = Estimate(None if np.isnan(found.value) else found.value)
        lines.append(Comparison(labels, ours, printed.get((table, method)), note=NOTES.get(table, "")))
    return lines


def rank_table(results: RunResults) -> list[Comparison]:
    """Give the mean rank of each method over the tables that were run; print has other methods and tables."""
    outcomes = Outcomes.of(results.table)
    ranks = mean_ranks(outcomes.values("mean"), ties="min", decimals=2)
    order = np.argsort(ranks, kind="stable")
    return [Comparison({"method": outcomes.methods[i]}, Estimate(float(ranks[i])), None) for i in order]


TABLES = [
    Printed("IV", "test AUC on tables, mean protocol", "comparison", table_4),
    Printed(
        "VI",
        "test AUC on images, one class left out; the printed numbers are not known here",
        "comparison-images",
        table_6,
        images=True,
    ),
    Printed("ranks", "mean ranks on tables, mean protocol", "comparison", rank_table),
]
UNKNOWN_TABLES = {
    "V": "Of print we know that it has the columns of Table IV, but neither its metric nor its numbers. The report of "
    "`offnominal run comparison` has TPR at 5 % false alarms (tables/tpr5) and the max protocol (tables/auc_max).",
    "VII": "We know neither what it shows nor its numbers. The report of `offnominal run comparison` has ensembles, "
    "deviations and everything else of the protocol.",
    "VIII": "We know neither what it shows nor its numbers. The report of `offnominal run comparison` has ensembles, "
    "deviations and everything else of the protocol.",
}
FIGURES = [
    PrintedFigure(4, "what labels are worth: mean AUC and mean rank by what chooses", "comparison", "knowledge"),
    PrintedFigure(5, "ranks of the variants of autoencoders", "comparison-deep", "variants"),
    PrintedFigure(6, "rank against time to fit and to score", "comparison", "pareto"),
]
_DIAGRAMS = (
    "We do not know what it shows. The report of `offnominal run comparison` has a critical-difference diagram "
    "(figures/critical_difference)."
)
UNKNOWN_FIGURES = {
    "1": _DIAGRAMS,
    "2": _DIAGRAMS,
    "3": _DIAGRAMS,
}
"""What is known of figures that we do not draw; no number of any figure is."""


@cache
def _printed() -> dict[tuple[str, str], float]:
    """Return the printed AUCs that are known to us, by table and method."""
    text = files("offnominal.studies.detector_comparison").joinpath("printed.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return {(row["table"], method): float(row[method]) for row in rows for method in row if method != "table"}
