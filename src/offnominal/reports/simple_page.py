"""A page of tables and figures in one HTML file, without scripts."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from offnominal.core.files import write_text
from offnominal.reports.provenance import provenance
from offnominal.reports.sections import sections_of
from offnominal.reports.study_tables import StudyTable
from offnominal.reports.templates import asset, render
from offnominal.studies.results import RunResults

MISSING = "–"


def write_simple_report(
    results: RunResults,
    summary: str,
    tables: Sequence[StudyTable],
    captions: Mapping[str, str],
    folder: Path,
    *,
    leading: int = 1,
    headings: Mapping[str, str] | None = None,
) -> Path:
    """Write tables and a page of a run; return the page.

    Args:
        results: The run.
        summary: Size of the run, in one sentence.
        tables: All tables; the most important one first.
        captions: Captions of the figures by name; ``figures/<name>.png`` exists for each.
        folder: Folder of the report.
        leading: Number of tables above the figures.
        headings: Headings above figures by name; none if None.
    """
    for table in tables:
        table.write(folder / "tables")
    page, figures = folder / "page.html", folder / "figures"
    write_text(page, simple_page(results, summary, tables, captions, figures, leading=leading, headings=headings))
    return page


def simple_page(
    results: RunResults,
    summary: str,
    tables: Sequence[StudyTable],
    captions: Mapping[str, str],
    figures: Path,
    *,
    leading: int = 1,
    headings: Mapping[str, str] | None = None,
) -> str:
    """Return the page as HTML: the first tables, the figures, the other tables, and added sections.

    Args:
        results: The run.
        summary: Size of the run, in one sentence.
        tables: All tables; those without rows are left out.
        captions: Captions of the figures by name.
        figures: Folder of the figures.
        leading: Number of tables above the figures.
        headings: Headings above figures by name; none if None.
    """
    drawn = [
        {
            "heading": (headings or {}).get(name, ""),
            "content": render("figure.html.j2", source=_source(figures / f"{name}.png"), caption=caption),
        }
        for name, caption in captions.items()
    ]
    shown = [table for table in tables if table.rows]
    return render(
        "simple_page.html.j2",
        results=results,
        summary=summary,
        tables=shown,
        words={table.name: words_of(table.rows) for table in shown},
        figures=drawn,
        leading=leading,
        sections=sections_of(results),
        style=asset("page.css"),
        provenance=provenance(results.manifest),
    )


def words_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns of words, which are aligned left: the first one, and those without a number in any row.

    Example:
        >>> words_of([{"novelty": "fence", "method": "KNN", "delay": "3.0"}])
        ['novelty', 'method']
    """
    values = {name: [row[name] for row in rows if row[name] not in (None, "", MISSING)] for name in rows[0]}
    found = {name for name, column in values.items() if column and all(map(_is_word, column))}
    return [name for number, name in enumerate(values) if not number or name in found]


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and not value.lstrip("+-−<>≤≥~").replace(".", "0")[:1].isdigit()


def _source(path: Path) -> str:
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
