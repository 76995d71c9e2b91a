"""What people look at after a comparison: tables, figures and one page."""

from __future__ import annotations

from pathlib import Path

from offnominal.core.files import write_text
from offnominal.reports.comparison_figures import draw_comparison
from offnominal.reports.comparison_page import comparison_page
from offnominal.reports.comparison_tables import comparison_tables, leading_methods
from offnominal.reports.kinds import ReportKind
from offnominal.studies.detector_comparison.outcomes import Outcomes
from offnominal.studies.results import RunResults


def write_comparison(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figures of a comparison; return the page."""
    outcomes = Outcomes.of(results.table)
    tables = comparison_tables(outcomes)
    for table in tables:
        table.write(folder / "tables")
    drawn = draw_comparison(outcomes, folder / "figures")
    told = f"{len(outcomes.tables)} tables, {len(outcomes.methods)} methods, {results.cells} searches."
    page = folder / "page.html"
    write_text(page, comparison_page(results, told, tables, drawn, folder / "figures"))
    return page


REPORT = ReportKind(write_comparison, lambda results: leading_methods(Outcomes.of(results.table)))
