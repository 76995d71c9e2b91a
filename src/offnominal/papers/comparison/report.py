"""What people look at after a comparison: tables, figures and one page."""

from __future__ import annotations

from pathlib import Path

from offnominal.core.files import write_text
from offnominal.papers.comparison.figures import draw_figures
from offnominal.papers.comparison.report_tables import method_leaderboard, report_tables
from offnominal.papers.comparison.results import ComparisonResults
from offnominal.reports.kinds import ReportKind
from offnominal.reports.simple_page import simple_page
from offnominal.studies.results import RunResults


def write_comparison_report(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figures of a comparison; return the page."""
    outcomes = ComparisonResults.of(results.table)
    tables = report_tables(outcomes)
    for table in tables:
        table.write(folder / "tables")
    drawn = draw_figures(outcomes, folder / "figures")
    details = f"{len(outcomes.tables)} tables, {len(outcomes.methods)} methods, {results.cells} searches."
    page = folder / "page.html"
    write_text(page, simple_page(results, details, tables, drawn, folder / "figures"))
    return page


REPORT = ReportKind(write_comparison_report, lambda results: method_leaderboard(ComparisonResults.of(results.table)))
