"""The tables of a run, as Markdown, LaTeX and CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from offnominal.alarms.guarantee_check import GuaranteeCheck
from offnominal.core.files import write_text
from offnominal.core.rounding import fixed
from offnominal.evaluation.metrics import METRICS
from offnominal.reports.budget_text import budget_sentence
from offnominal.reports.escape import markdown_text
from offnominal.reports.guarantees import NOTE, TITLE, guarantee_rows
from offnominal.reports.latex import latex
from offnominal.reports.leaderboard import leaderboard_rows, metrics_of
from offnominal.reports.payload import KIND_ORDER, LEVEL_ORDER, in_order
from offnominal.reports.tables import markdown, write_csv
from offnominal.reports.timings import for_files, readable, timing_rows
from offnominal.studies.friedman import friedman
from offnominal.studies.guarantees import Place, guarantees
from offnominal.studies.leaderboards import leaderboard, pivot
from offnominal.studies.metric_table import MetricTable
from offnominal.studies.results import RunResults

Row = dict[str, Any]
TIMING_TITLE = "Timing per alarm: median of the median delays of all faults, mean of all else"


@dataclass(frozen=True, slots=True)
class StudyTable:
    """A table of a run.

    Args:
        name: Name of its files.
        title: Its content, in one line.
        rows: Rounded values for documents and pages.
        numbers: The same with full precision, and the ends of intervals in separate columns.
        note: How to read it, for pages and Markdown; empty if the title says all.
        label: Short name for the navigation of a page; the title if empty.
        auroc: Columns with values of AUROC, which pages shade from orange (0) over neutral (0.5) to blue (1).
    """

    name: str
    title: str
    rows: list[Row]
    numbers: list[Row]
    note: str = ""
    label: str = ""
    auroc: tuple[str, ...] = ()

    def write(self, folder: Path) -> None:
        """Write it as Markdown, LaTeX and CSV."""
        if not self.rows:
            return
        title = markdown_text(self.title)
        note = f"\n{markdown_text(self.note)}\n" if self.note else ""
        write_text(folder / f"{self.name}.md", f"## {title}\n\n{markdown(self.rows)}\n{note}")
        write_text(folder / f"{self.name}.tex", latex(self.rows, self.title) + "\n")
        write_csv(folder / f"{self.name}.csv", self.numbers)


def study_tables(results: RunResults) -> list[StudyTable]:
    """Return every table of a run."""
    metrics = metrics_of(results)
    if not metrics:
        return []
    measured = MetricTable.of(results.table, metrics[0])
    names = [each.name for each in leaderboard(measured, metrics[0])]
    timing = sorted(timing_rows(results.table), key=lambda row: (row["alarm"], names.index(row["detector"])))
    return [
        StudyTable(
            "leaderboard",
            "Leaderboard",
            leaderboard_rows(results),
            _standings(results, metrics),
            note=budget_sentence(results.table),
        ),
        _worlds(measured, metrics[0]),
        _levels(measured, metrics[0]),
        _ranks(measured, metrics[0]),
        StudyTable("timing", TIMING_TITLE, [readable(row) for row in timing], [for_files(row) for row in timing]),
        guarantee_table(guarantees(results.table), names),
    ]


def guarantee_table(found: Mapping[Place, GuaranteeCheck], names: Sequence[str]) -> StudyTable:
    """Return the guarantees of alarms, what was measured, and the verdicts; see :func:`.guarantee_rows`."""
    return StudyTable("guarantees", TITLE, *guarantee_rows(found, names), note=NOTE)


def _standings(results: RunResults, metrics: Iterable[str]) -> list[Row]:
    return [
        {
            "metric": metric,
            "rank": each.rank,
            "detector": each.name,
            "ties": each.tie,
            "value": each.estimate.value,
            "low": each.estimate.low,
            "high": each.estimate.high,
            "faults": each.blocks,
            "runs": each.runs,
        }
        for metric in metrics
        for each in leaderboard(results.table, metric)
    ]


def _worlds(measured: MetricTable, metric: str) -> StudyTable:
    found = pivot(measured, metric, "name", "world")
    worlds = list(dict.fromkeys(measured.world.tolist()))
    names = [each.name for each in leaderboard(measured, metric)]
    rows: list[Row] = []
    for name in names:
        shown = {world: str(found[name, world]) if (name, world) in found else None for world in worlds}
        rows.append({"detector": name, **shown})
    numbers = [
        {"detector": name, "world": world, "value": each.value, "low": each.low, "high": each.high}
        for (name, world), each in found.items()
    ]
    return StudyTable("worlds", f"{METRICS[metric].label} by world", rows, numbers)


def _levels(measured: MetricTable, metric: str) -> StudyTable:
    rows: list[Row] = []
    numbers: list[Row] = []
    names = [each.name for each in leaderboard(measured, metric)]
    for kind in in_order(set(measured.kind.tolist()), KIND_ORDER):
        for level in in_order(set(measured.level.tolist()), LEVEL_ORDER):
            entries = {each.name: each.estimate for each in leaderboard(measured, metric, kind=kind, level=level)}
            if not entries:
                continue
            values = {name: entries[name].value if name in entries else None for name in names}
            shown = {name: None if value is None else fixed(value, 3) for name, value in values.items()}
            rows.append({"kind": kind, "level": level, **shown})
            numbers += [
                {"kind": kind, "level": level, "detector": n, "value": e.value, "low": e.low, "high": e.high}
                for n, e in entries.items()
            ]
    return StudyTable("levels", f"{METRICS[metric].label} by kind of fault and level", rows, numbers)


def _ranks(measured: MetricTable, metric: str) -> StudyTable:
    compared = friedman(measured, metric)
    if compared is None:
        return StudyTable("ranks", "", [], [])
    title = (
        f"Average ranks by {METRICS[metric].label} over {compared.blocks} faults; "
        f"critical difference {fixed(compared.critical_difference, 2)}"
    )
    rows: list[Row] = [
        {"detector": name, "average rank": rank} for name, rank in zip(compared.names, compared.ranks, strict=True)
    ]
    return StudyTable("ranks", title, rows, rows)
