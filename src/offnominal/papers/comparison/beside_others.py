"""A method of a run beside those of other studies on the same splits, of which nothing is computed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.core.plot_style import pyplot
from offnominal.core.rounding import fixed
from offnominal.core.types import FloatArray
from offnominal.papers.catalogue import paper
from offnominal.papers.comparison.comparison_results import ComparisonResults
from offnominal.papers.comparison.own_methods import own_title
from offnominal.papers.comparison.published.printed_cells import table_names
from offnominal.papers.comparison.ranks import compare_methods, mean_ranks
from offnominal.papers.comparison.report import LABELS, selection_tables
from offnominal.papers.comparison.search_spaces import search_space_of, space_names
from offnominal.papers.result_sources import ResultSources, SourcedTable, scales_of
from offnominal.reports.critical_figure import critical_figure
from offnominal.reports.save_figures import save_figures
from offnominal.reports.study_tables import Row, StudyTable
from offnominal.reports.table_report import write_table_report
from offnominal.studies.results import RunResults

PAPER = "comparison"
ITEMS = {"auc": "IV", "tpr5": "B1"}
"""The published table with the values of other methods, by the metric."""
TITLES = {"auc": "Test AUC, mean protocol", "tpr5": "TPR at 5 % false alarms, mean protocol"}
HERE, YOURS = "this run", "(yours)"
Cells = dict[tuple[str, str], float]


@dataclass(frozen=True, slots=True, eq=False)
class BesideOthers:
    """Values of the methods of a run and of other studies, by table and method, and where each method is from.

    Args:
        values: By metric, table and method; other methods have only tables that the run has.
        sources: Where the values of each method are from.
        own: Names of the methods of the run.
    """

    values: Mapping[str, Cells]
    sources: Mapping[str, str]
    own: Sequence[str]

    @classmethod
    def of(cls, results: RunResults) -> BesideOthers:
        """Read the values of a run and, from its store or the package, those of the studies of its configuration."""
        outcomes = ComparisonResults.of(results.table)
        own = [own_title(method) for method in outcomes.methods]
        known = ResultSources(Path(str(results.manifest.get("store", ""))))
        values: dict[str, Cells] = {}
        sources = dict.fromkeys(own, HERE)
        for metric, item in ITEMS.items():
            chosen = outcomes.chosen("mean", criterion=metric, metric=metric)
            cells = {(table, own_title(method)): found.value for (table, method), found in chosen.items()}
            for study in results.manifest["config"]["beside"]:
                found, where = _others(known, item, study)
                cells |= {place: value for place, value in found.items() if place[0] in outcomes.tables}
                sources |= {method: where for _, method in found}
            values[metric] = {place: value for place, value in cells.items() if not math.isnan(value)}
        return cls(values, sources, own)

    def complete(self, metric: str = "auc") -> tuple[list[str], list[str], FloatArray]:
        """Return tables, methods, and values (tables, methods), without gaps.

        Tables are those of the run. Other methods with values on fewer than half of them are left out, then tables on
        which one of the remaining methods has none.
        """
        cells = self.values[metric]
        tables = list(dict.fromkeys(table for table, method in cells if method in self.own))
        counts = {method: sum((table, method) in cells for table in tables) for method in self.sources}
        methods = [method for method, count in counts.items() if method in self.own or 2 * count >= len(tables)]
        whole = [table for table in tables if all((table, method) in cells for method in methods)]
        found = np.array([[cells[table, method] for method in methods] for table in whole])
        return whole, methods, found.reshape(len(whole), len(methods))

    def leaderboard(self) -> list[Row]:
        """Return a row per method, best mean rank first; ranks are over the tables that all methods have."""
        tables, methods, auc = self.complete()
        tpr = self.values["tpr5"]
        ranks = mean_ranks(auc) if tables else np.full(len(methods), math.nan)
        rows: list[Row] = []
        for place in np.argsort(ranks, kind="stable"):
            method = methods[place]
            known = [tpr[table, method] for table in tables if (table, method) in tpr]
            rows.append(
                {
                    "method": method,
                    "name": search_space_of(method).title if method in space_names() else YOURS,
                    "mean rank": _rounded(float(ranks[place]), 2),
                    "AUC": _rounded(float(auc[:, place].mean()) if tables else math.nan, 3),
                    "TPR@5": _rounded(float(np.mean(known)) if len(known) == len(tables) and known else math.nan, 3),
                    "tables": len(tables),
                    "from": self.sources[method],
                }
            )
        return rows

    def matrix(self, metric: str) -> list[Row]:
        """Return a row per table of the run with the values of all methods; empty where there is none."""
        cells = self.values[metric]
        tables = dict.fromkeys(table for table, method in cells if method in self.own)
        return [
            {"table": table, **{each: _rounded(cells.get((table, each), math.nan), 3) for each in self.sources}}
            for table in tables
        ]


def _others(known: ResultSources, item: str, study: str) -> tuple[Cells, str]:
    """Return the values of a study by table and method, and the runs that they are from."""
    published = paper(PAPER).load_published()
    (table,) = [each for each in published.tables if str(each.number) == item and each.study == study]
    found = known.table(PAPER, table, scales_of(published, table))
    tables = set(table_names().values())
    cells = {
        (line.labels["table"], line.labels["method"]): line.ours.value
        for line in found.lines
        if line.ours.value is not None and line.labels["table"] in tables
    }
    return cells, _where(found)


def _where(found: SourcedTable) -> str:
    if found.shipped:
        return "shipped " + ", ".join(dict.fromkeys(run.name for run in found.shipped))
    return ", ".join(f"{run.results.name}@{run.results.scale}" for run in found.runs)


def _rounded(value: float, digits: int) -> float | None:
    return None if math.isnan(value) else float(fixed(value, digits))


def write_beside_report(results: RunResults, folder: Path) -> Path:
    """Write page, tables and the diagram of critical differences; return the page."""
    found = BesideOthers.of(results)
    tables, methods, values = found.complete()
    compared = compare_methods(methods, values) if len(tables) > 1 else None
    captions: dict[str, str] = {}
    if compared is not None:
        save_figures(pyplot(), {"critical_difference": partial(critical_figure, compared=compared)}, folder / "figures")
        captions["critical_difference"] = (
            f"Mean ranks of the test AUC on {len(tables)} tables; methods under one bar do not differ significantly "
            "(Nemenyi, 10 %)"
        )
    own = selection_tables(ComparisonResults.of(results.table))
    shown = [
        StudyTable("methods", "Methods, best mean rank first", rows := found.leaderboard(), rows, label="Methods"),
        *(_matrix(found, metric) for metric in ITEMS),
        *(StudyTable(name, title, each, each, label=LABELS[name]) for name, title, each in own),
    ]
    facts = {"tables": len(found.matrix("auc")), "methods": len(found.sources)}
    return write_table_report(results, _headline(found), shown, captions, folder, facts=facts)


def _matrix(found: BesideOthers, metric: str) -> StudyTable:
    rows = found.matrix(metric)
    return StudyTable(metric, TITLES[metric], rows, rows, label=LABELS[metric])


def _headline(found: BesideOthers) -> str:
    """Return the mean rank of the methods of the run."""
    rows: list[dict[str, Any]] = found.leaderboard()
    own = [row for row in rows if row["method"] in found.own and row["mean rank"] is not None]
    if not own:
        return "There is no table on which this method and others have values."
    said = [f"{row['method']} has the mean rank {fixed(row['mean rank'], 2)}" for row in own]
    return f"{'; '.join(said)} of {len(rows)} methods on {own[0]['tables']} tables."
