"""The page section with the comparison with published results."""

from __future__ import annotations

from offnominal.papers.catalogue import tables_from
from offnominal.reports.published_comparison import comparison_html, verdict_line
from offnominal.reports.sections import PageSection
from offnominal.reports.templates import render
from offnominal.studies.results import RunResults

PACKAGE = "offnominal.papers"


def published_section(results: RunResults) -> PageSection | None:
    """Return the published tables that are compared with a run, or None if there are none."""
    compared = [(table, lines) for table in tables_from(results.name) if (lines := table.lines(results))]
    if not compared:
        return None
    tables = [
        {
            "name": table.name,
            "title": table.title,
            "verdict": verdict_line(lines),
            "content": comparison_html(table.name, lines),
        }
        for table, lines in compared
    ]
    content = render("published.html.j2", package=PACKAGE, tables=tables)
    return PageSection("published", "Comparison with published results", content)
