"""The report of a study whose page is made of tables and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from offnominal.reports.page import PageContent, write_page
from offnominal.reports.study_tables import StudyTable
from offnominal.reports.table_section import figure_section, table_section
from offnominal.studies.results import RunResults

FIGURES = "Figures"


def write_table_report(
    results: RunResults,
    headline: str,
    tables: Sequence[StudyTable],
    captions: Mapping[str, str],
    folder: Path,
    *,
    facts: Mapping[str, int] | None = None,
    explanation: str = "",
    leading: int = 1,
    headings: Mapping[str, str] | None = None,
) -> Path:
    """Write tables and page of a run; return the page.

    Args:
        results: The run.
        headline: The main result in one sentence.
        tables: All tables, the most important one first; those without rows are left out.
        captions: Captions of the figures by name; ``figures/<name>.png`` exists for each.
        folder: Folder of the report.
        facts: Sizes of the study by name, such as the number of detectors.
        explanation: How to read the page; empty if nothing has to be said.
        leading: Number of tables above the figures.
        headings: Titles of new sections by the name of their first figure; one section for all figures if None.
    """
    for table in tables:
        table.write(folder / "tables")
    shown = [table_section(table) for table in tables if table.rows]
    drawn = [
        figure_section(id, title, {name: captions[name] for name in names}, folder / "figures")
        for id, title, names in _figure_groups(list(captions), headings or {})
    ]
    sections = [*shown[:leading], *drawn, *shown[leading:]]
    content = PageContent(headline, sections, facts or {}, explanation)
    return write_page(results, content, folder / "page.html")


def _figure_groups(names: Sequence[str], headings: Mapping[str, str]) -> list[tuple[str, str, list[str]]]:
    """Return anchor, title and figures of each section with figures."""
    groups: list[tuple[str, str, list[str]]] = []
    for name in names:
        if not groups or name in headings:
            groups.append((f"figures-{name}" if groups else "figures", headings.get(name, FIGURES), []))
        groups[-1][2].append(name)
    return groups
