"""The report of a comparison: its tables and the page."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from offnominal.core.rounding import fixed
from offnominal.core.types import FloatArray
from offnominal.papers.comparison.comparison_results import BUDGETS, ComparisonResults, by_label_budget, class_rows
from offnominal.papers.comparison.configuration_results import ENSEMBLES, Ensemble
from offnominal.papers.comparison.figures import draw_figures
from offnominal.papers.comparison.ranks import mean_ranks
from offnominal.papers.comparison.search_spaces import search_space_of
from offnominal.papers.comparison.smaller_searches import SIZES, by_search_size
from offnominal.reports.page_numbers import rounded
from offnominal.reports.study_tables import Row, StudyTable
from offnominal.reports.table_report import write_table_report
from offnominal.studies.results import RunResults

LABELS = {
    "methods": "Methods",
    "classes": "Classes",
    "labels": "Labels",
    "flagged": "Inverted",
    "ensembles": "Ensembles",
    "search": "Search size",
    "auc": "AUC",
    "auc_max": "AUC, best per seed",
    "tpr5": "TPR@5",
    "polarity": "Correlation",
}
"""Names in the navigation of the page."""


def method_leaderboard(outcomes: ComparisonResults) -> list[Row]:
    """Return one row per method, best mean rank first."""
    values = outcomes.values("mean")
    ranks, paper = mean_ranks(values), mean_ranks(values, ties="min", decimals=2)
    highest, tpr = outcomes.values("max"), outcomes.values("mean", criterion="tpr5", metric="tpr5")
    polarity, seconds = outcomes.polarity(), outcomes.seconds()
    chosen = outcomes.chosen("mean")
    rows: list[Row] = []
    for place in np.argsort(ranks, kind="stable"):
        method = outcomes.methods[place]
        found = [chosen[table, method] for table in outcomes.tables if (table, method) in chosen]
        rows.append(
            {
                "method": method,
                "name": search_space_of(method).title,
                "mean rank": _round(ranks[place], 2),
                "rank as printed": _round(paper[place], 1),
                "AUC": _mean(values[:, place]),
                "AUC, best per seed": _mean(highest[:, place]),
                "TPR@5": _mean(tpr[:, place]),
                "sigma 1": _mean(np.array([each.sigma_1 for each in found])),
                "sigma 10": _mean(np.array([each.sigma_10 for each in found])),
                "inverted": int((polarity[:, place] < 0.0).sum()),
                "fit s": _mean(seconds[:, place, 0]),
                "score s": _mean(seconds[:, place, 1]),
                "failed": sum(each.failed for each in found),
            }
        )
    return rows


Titled = tuple[str, str, list[Row]]
"""Name, title and rows of a table."""


def selection_tables(outcomes: ComparisonResults) -> list[Titled]:
    """Return what labels, ensembles and the size of the search make of each method."""
    return [
        ("labels", "Mean test AUC by which labels choose the configuration", _labels(outcomes)),
        (
            "ensembles",
            "Mean test AUC of ensembles: how many, the best by which validation metric, and what is averaged",
            _ensembles(outcomes),
        ),
        ("search", "Mean test AUC by the number of configurations, the best of each seed", _search(outcomes)),
    ]


def report_tables(outcomes: ComparisonResults) -> list[StudyTable]:
    """Return every table of a comparison, the most important one first."""
    auc, best = outcomes.values("mean"), outcomes.values("max")
    tpr = outcomes.values("mean", criterion="tpr5", metric="tpr5")
    labels, *others = selection_tables(outcomes)
    tables = [
        ("methods", "Methods, best mean rank first", method_leaderboard(outcomes)),
        labels,
        ("flagged", "Inverted: selected detectors with higher scores near the training points", _flagged(outcomes)),
        *others,
        ("auc", "Test AUC, mean protocol", _matrix(outcomes, auc)),
        ("auc_max", "Test AUC, best configuration of each seed", _matrix(outcomes, best)),
        ("tpr5", "TPR at 5 % false alarms", _matrix(outcomes, tpr)),
        (
            "polarity",
            "Correlation of the chosen detector's scores with distance",
            _matrix(outcomes, outcomes.polarity()),
        ),
    ]
    if classes := class_rows(outcomes):
        tables.insert(1, ("classes", "Test AUC by class, one configuration for all classes of a set", classes))
    matrices = dict.fromkeys(("auc", "auc_max"), tuple(outcomes.methods))
    shaded = {"methods": ("AUC", "AUC, best per seed"), **matrices}
    return [
        StudyTable(name, title, rows, rows, label=LABELS[name], auroc=shaded.get(name, ()))
        for name, title, rows in tables
    ]


def _labels(outcomes: ComparisonResults) -> list[Row]:
    """Return a row per method, from a configuration drawn at random to one chosen by all labels."""
    by = {label: found for budget in BUDGETS for label, found in by_label_budget(outcomes, budget).items()}
    ordered = sorted(by.items(), key=lambda pair: _place(pair[0]))
    return [
        {"method": method, **{_label(name): _mean(found[:, place]) for name, found in ordered}}
        for place, method in enumerate(outcomes.methods)
    ]


def _place(label: str) -> tuple[int, float]:
    """Order columns: nothing known, numbers, percentages, everything."""
    ends = {"any": 0, "none": 1, "all": 4}
    if label in ends:
        return ends[label], 0.0
    return 3 if label.endswith("%") else 2, float(label.rstrip("%").replace(",", ""))


def _label(name: str) -> str:
    return {"any": "drawn", "none": "no anomalies", "all": "all labels"}.get(name, f"top {name}")


def _flagged(outcomes: ComparisonResults) -> list[Row]:
    """Return a row per inverted detector, beside the best on its table that is not; the most inverted first."""
    polarity, auc = outcomes.polarity(), outcomes.values("mean")
    rows = []
    for i, j in zip(*np.nonzero(polarity < 0.0), strict=True):
        upright = np.where(polarity[i] >= 0.0, auc[i], -math.inf)
        other = int(np.argmax(upright))
        there = np.isfinite(upright[other])
        rows.append(
            {
                "table": outcomes.tables[i],
                "method": outcomes.methods[j],
                "correlation": _round(polarity[i, j], 2),
                "AUC": _round(auc[i, j], 3),
                "best upright": outcomes.methods[other] if there else None,
                "its AUC": _round(auc[i, other], 3) if there else None,
            }
        )
    return sorted(rows, key=lambda row: row["correlation"])


def _ensembles(outcomes: ComparisonResults) -> list[Row]:
    """Return a row per method; the columns are ensembles that the run has."""
    single = outcomes.values("max")
    tried = {each for _, _, each in outcomes.ensemble_rows}
    found = {_ensemble_name(each): outcomes.ensembles(each) for each in ENSEMBLES if each in tried}
    return [
        {
            "method": method,
            "best of each seed": _mean(single[:, place]),
            **{name: _mean(values[:, place]) for name, values in found.items()},
        }
        for place, method in enumerate(outcomes.methods)
    ]


def _ensemble_name(each: Ensemble) -> str:
    """Return what an ensemble is, in the heading of a column."""
    by = {"auc": "AUC", "tpr5": "TPR@5"}[each.criterion]
    return f"{each.size} by {by}, {'ranks' if each.normalise == 'rank' else 'scores'}"


def _search(outcomes: ComparisonResults) -> list[Row]:
    """Return a row per method; empty where a table has fewer configurations."""
    best = outcomes.values("max")
    by = {size: _over_all_tables(by_search_size(outcomes, size), best) for size in SIZES}
    sizes = [size for size, values in by.items() if any(value is not None for value in values)]
    return [
        {"method": method, **{f"best of {size}": by[size][place] for size in sizes}, "best": _mean(best[:, place])}
        for place, method in enumerate(outcomes.methods)
    ]


def _over_all_tables(values: FloatArray, known: FloatArray) -> list[float | None]:
    """Return the mean of each method, or None if a table with a known value has none."""
    missing = np.isnan(values) & ~np.isnan(known)
    return [None if lost.any() else _mean(column) for column, lost in zip(values.T, missing.T, strict=True)]


def _matrix(outcomes: ComparisonResults, values: FloatArray) -> list[Row]:
    return [
        {"table": table, **{method: _round(values[i, j], 3) for j, method in enumerate(outcomes.methods)}}
        for i, table in enumerate(outcomes.tables)
    ]


def _mean(values: FloatArray) -> float | None:
    known = values[~np.isnan(values)]
    return rounded(float(known.mean())) if len(known) else None


def _round(value: float, digits: int) -> float | None:
    return None if math.isnan(value) else float(fixed(value, digits))


def write_comparison_report(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figures of a comparison; return the page."""
    outcomes = ComparisonResults.of(results.table)
    captions = draw_figures(outcomes, folder / "figures")
    facts = {"tables": len(outcomes.tables), "methods": len(outcomes.methods)}
    return write_table_report(results, _headline(outcomes), report_tables(outcomes), captions, folder, facts=facts)


def _headline(outcomes: ComparisonResults) -> str:
    """Return the method with the best mean rank."""
    rows = [row for row in method_leaderboard(outcomes) if row["mean rank"] is not None]
    if not rows:
        return "No search has finished."
    best = rows[0]
    rank = fixed(best["mean rank"], 2)
    return f"{best['name']} ({best['method']}) has the best mean rank, {rank} of {len(rows)} methods."
