"""Sections of a page with a table that can be sorted and filtered, or with figures."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from offnominal.reports.auroc_scale import STEPS
from offnominal.reports.sections import PageSection
from offnominal.reports.study_tables import StudyTable
from offnominal.reports.tables import text, words_of
from offnominal.reports.templates import render

LONG = 10
"""Number of rows from which a table can be filtered."""
MOST_CHOICES = 12
"""Largest number of values of a column that are offered in a list."""
_ESTIMATE = re.compile(r"([+-]?[\d.]+) (\[.*\].*)")


def table_section(table: StudyTable) -> PageSection:
    """Return a section with a table; its numbers can be saved as CSV from the page.

    Args:
        table: A table with rows.

    Example:
        >>> rows = [{"method": "KNN", "AUROC": "0.71 [0.68, 0.74]"}]
        >>> found = table_section(StudyTable("methods", "Methods, best first", rows, rows, auroc=("AUROC",)))
        >>> found.id, "auroc-28" in found.content
        ('table-methods', True)
    """
    words = words_of(table.rows)
    content = render(
        "sections/table.html.j2",
        table=table,
        words=words,
        choices=_choices(table.rows, words),
        searchable=len(table.rows) >= LONG,
        shade={number: _shades(row, table.auroc) for number, row in enumerate(table.rows)},
        parts=cell_parts,
    )
    return PageSection(f"table-{table.name}", table.title, content, table.label, table)


def figure_section(id: str, title: str, captions: Mapping[str, str], folder: Path) -> PageSection:
    """Return a section with figures.

    Args:
        id: Anchor of the section.
        title: Heading.
        captions: Captions by name; ``<folder>/<name>.png`` exists for each.
        folder: Folder of the figures.
    """
    drawn = [
        render("figure.html.j2", name=name, source=_source(folder / f"{name}.png"), caption=caption)
        for name, caption in captions.items()
    ]
    return PageSection(id, title, Markup("\n").join(drawn))


def cell_parts(value: Any) -> tuple[str, str]:
    """Return the text of a cell in two parts: the value, and the interval that is shown small beside it.

    Example:
        >>> cell_parts("0.71 [0.68, 0.74]"), cell_parts(0.5)
        (('0.71', '[0.68, 0.74]'), ('0.5', ''))
    """
    shown = text(value)
    found = _ESTIMATE.fullmatch(shown)
    return (found[1], found[2]) if found else (shown, "")


def _choices(rows: Sequence[Mapping[str, Any]], words: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns by which a long table can be filtered, with their values."""
    if len(rows) < LONG:
        return {}
    values = {name: list(dict.fromkeys(text(row[name]) for row in rows)) for name in words}
    return {name: found for name, found in values.items() if 1 < len(found) <= MOST_CHOICES and len(found) < len(rows)}


def _shades(row: Mapping[str, Any], columns: Sequence[str]) -> dict[str, int]:
    """Return the step of the AUROC scale by column; see :func:`~offnominal.reports.auroc_scale.auroc_css`."""
    found = {}
    for name in columns:
        try:
            value = float(cell_parts(row.get(name))[0])
        except ValueError:
            continue
        found[name] = round(min(max(value, 0.0), 1.0) * (STEPS - 1))
    return found


def _source(path: Path) -> str:
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
