"""The report of a comparison: tables, figures and one page."""

from __future__ import annotations

from pathlib import Path

from offnominal.papers.comparison.figures.draw_figures import draw_figures
from offnominal.papers.comparison.report.report_tables import report_tables
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.reports.simple_page import write_simple_report
from offnominal.studies.results import RunResults


def write_comparison_report(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figures of a comparison; return the page."""
    outcomes = ComparisonResults.of(results.table)
    captions = draw_figures(outcomes, folder / "figures")
    details = f"{len(outcomes.tables)} tables, {len(outcomes.methods)} methods, {results.cells} searches."
    return write_simple_report(results, details, report_tables(outcomes), captions, folder)
