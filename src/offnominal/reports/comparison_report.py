"""What people look at after a comparison: tables, figures and one page."""

from __future__ import annotations

from pathlib import Path

from offnominal.reports.comparison_figures import draw_comparison
from offnominal.reports.comparison_page import comparison_page
from offnominal.reports.comparison_tables import comparison_tables
from offnominal.studies.detector_comparison.outcomes import Outcomes
from offnominal.studies.results import RunResults


def write_comparison(results: RunResults, folder: Path) -> Path:
    """Write the report of a comparison; return its page.

    Args:
        results: Of the run.
        folder: Gets ``page.html``, ``tables/*`` and ``figures/*``.
    """
    for part in ("tables", "figures"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    outcomes = Outcomes.of(results.table)
    tables = comparison_tables(outcomes)
    for table in tables:
        table.write(folder / "tables")
    drawn = draw_comparison(outcomes, folder / "figures")
    told = f"{len(outcomes.tables)} tables, {len(outcomes.methods)} methods, {results.cells} searches."
    page = folder / "page.html"
    page.write_text(comparison_page(results, told, tables, drawn, folder / "figures"), encoding="utf-8")
    return page
