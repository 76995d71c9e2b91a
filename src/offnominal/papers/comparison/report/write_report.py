"""The report of a comparison: tables, figures and one page."""

from __future__ import annotations

from pathlib import Path

from offnominal.papers.comparison.figures.draw_figures import draw_figures
from offnominal.papers.comparison.report.report_tables import method_leaderboard, report_tables
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.reports.table_report import write_table_report
from offnominal.studies.results import RunResults


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
    return f"{best['name']} ({best['method']}) has the best mean rank, {best['mean rank']:.2f} of {len(rows)} methods."
