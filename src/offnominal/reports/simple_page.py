"""The page of a comparison: a file that needs nothing but a browser."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from offnominal.reports.escape import html_text
from offnominal.reports.provenance import provenance
from offnominal.reports.study_tables import StudyTable
from offnominal.reports.tables import text
from offnominal.studies.results import RunResults


def simple_page(
    results: RunResults, summary: str, tables: Sequence[StudyTable], drawn: Mapping[str, str], folder: Path
) -> str:
    """Return the page as text: the first table, the figures, the other tables.

    Args:
        results: Of the run.
        summary: How much was run, in a sentence.
        tables: All of them.
        drawn: Captions of the figures by name.
        folder: Where the figures are.
    """
    style = files("offnominal.reports").joinpath("assets/page.css").read_text(encoding="utf-8")
    parts = [
        f"<h1>{html_text(results.title)}</h1>",
        f"<p>{html_text(results.summary)}</p>",
        f"<p>{html_text(summary)}</p>",
    ]
    parts += [_section(tables[0])]
    parts += [_figure(folder / f"{name}.png", caption) for name, caption in drawn.items()]
    parts += [_section(table) for table in tables[1:]]
    body = "\n".join(parts)
    head = [
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        f"<title>{html_text(results.title)}</title><style>{style}</style>",
    ]
    main = f'<main class="wrap">{body}</main>'
    footer = f'<footer class="wrap">{html_text(provenance(results.manifest))}</footer>'
    return f'<!doctype html>\n<html lang="en"><head>{"".join(head)}</head><body>{main}{footer}</body></html>\n'


def _figure(path: Path, caption: str) -> str:
    source = f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
    return (
        f'<figure><img style="max-width:100%" src="{source}" alt="{html_text(caption)}">'
        f"<figcaption>{html_text(caption)}</figcaption></figure>"
    )


def _section(table: StudyTable) -> str:
    if not table.rows:
        return ""
    head = _line("th", list(table.rows[0]))
    lines = "".join(_line("td", [text(value) for value in row.values()]) for row in table.rows)
    body = f"<table><thead>{head}</thead><tbody>{lines}</tbody></table>"
    return f'<section><h2>{html_text(table.title)}</h2><div style="overflow-x:auto">{body}</div></section>'


def _line(kind: str, cells: list[str]) -> str:
    """Return a row of a table; its first cell is words, the others are numbers."""
    first, *others = (html_text(cell) for cell in cells)
    rest = "".join(f"<{kind}>{cell}</{kind}>" for cell in others)
    return f'<tr><{kind} style="text-align:left">{first}</{kind}>{rest}</tr>'
