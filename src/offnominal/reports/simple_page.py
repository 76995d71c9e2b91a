"""A page of tables and figures in one HTML file, without scripts."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path

from offnominal.core.files import write_text
from offnominal.reports.provenance import provenance
from offnominal.reports.sections import sections_of
from offnominal.reports.study_tables import StudyTable
from offnominal.reports.templates import asset, render
from offnominal.studies.results import RunResults


def write_simple_report(
    results: RunResults,
    summary: str,
    tables: Sequence[StudyTable],
    captions: Mapping[str, str],
    folder: Path,
    *,
    leading: int = 1,
) -> Path:
    """Write tables and a page of a run; return the page.

    Args:
        results: The run.
        summary: Size of the run, in one sentence.
        tables: All tables; the most important one first.
        captions: Captions of the figures by name; ``figures/<name>.png`` exists for each.
        folder: Folder of the report.
        leading: Number of tables above the figures.
    """
    for table in tables:
        table.write(folder / "tables")
    page = folder / "page.html"
    write_text(page, simple_page(results, summary, tables, captions, folder / "figures", leading=leading))
    return page


def simple_page(
    results: RunResults,
    summary: str,
    tables: Sequence[StudyTable],
    captions: Mapping[str, str],
    figures: Path,
    *,
    leading: int = 1,
) -> str:
    """Return the page as HTML: the first tables, the figures, the other tables, and added sections.

    Args:
        results: The run.
        summary: Size of the run, in one sentence.
        tables: All tables; those without rows are left out.
        captions: Captions of the figures by name.
        figures: Folder of the figures.
        leading: Number of tables above the figures.
    """
    drawn = [
        render("figure.html.j2", source=_source(figures / f"{name}.png"), caption=captions[name]) for name in captions
    ]
    return render(
        "simple_page.html.j2",
        results=results,
        summary=summary,
        tables=[table for table in tables if table.rows],
        figures=drawn,
        leading=leading,
        sections=sections_of(results),
        style=asset("page.css"),
        provenance=provenance(results.manifest),
    )


def _source(path: Path) -> str:
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
