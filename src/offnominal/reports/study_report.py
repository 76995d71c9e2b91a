"""The report of a study of detectors on faults: page, tables and figures."""

from __future__ import annotations

from pathlib import Path

from offnominal.reports.kinds import ReportKind
from offnominal.reports.leaderboard import leaderboard_rows
from offnominal.reports.page import write_page
from offnominal.reports.study_figures import write_figures
from offnominal.reports.study_tables import study_tables
from offnominal.studies.results import RunResults


def write_study(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figures of a run; return the page."""
    for table in study_tables(results):
        table.write(folder / "tables")
    write_figures(results, folder / "figures")
    return write_page(results, folder / "page.html")


REPORT = ReportKind(write_study, leaderboard_rows)
