"""Tables for the terminal, for spreadsheets and for documents, from the same rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from offnominal.core.files import write_text
from offnominal.core.printable import one_line, printable
from offnominal.core.rounding import fixed, grouped, significant
from offnominal.reports.escape import csv_cell, markdown_text

if TYPE_CHECKING:
    from rich.table import Table as RichTable

Rows = Sequence[Mapping[str, Any]]
MISSING = "–"
WIDEST_WORD = 24
"""Longest word that is not broken where a terminal is narrow, in characters."""


def terminal_table(title: str, rows: Rows) -> RichTable:
    """Return a table for the terminal; numbers are aligned right, and wide text is wrapped between its words."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    heading = Text(one_line(title), "bold")
    table = RichTable(title=heading, title_justify="left", header_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in rows[0] if rows else ():
        values = [row[name] for row in rows]
        numeric = _is_numeric(values)
        header = _wrapped(one_line(name), max(len(text(value)) for value in values)) if numeric else one_line(name)
        whole = numeric or not table.columns
        texts = [header, *(printable(text(value)) for value in values)]
        parts = [len(part) for each in texts for part in (each.splitlines() if whole else each.split())]
        widest = max(parts, default=1)
        table.add_column(
            Text(header),
            justify="right" if numeric else "left",
            vertical="top",
            no_wrap=whole,
            overflow="fold",
            min_width=widest if whole else min(widest, WIDEST_WORD),
        )
    for row in rows:
        table.add_row(*(Text(printable(text(value))) for value in row.values()))
    return table


def _is_numeric(values: Sequence[Any]) -> bool:
    """Whether a column holds numbers; some may have an interval, or be replaced by text."""
    return any(isinstance(value, float) for value in values) or all(
        value is None or isinstance(value, int | float) or value.lstrip("+-")[:1].isdigit() for value in values
    )


def _wrapped(header: str, width: int) -> str:
    """Return a header in lines that are no wider than the column, where its words allow it."""
    return "\n".join(wrap(header, max(width, *map(len, header.split()), 10), break_long_words=False))


def write_csv(path: Path, rows: Rows) -> None:
    """Write rows as CSV; see :func:`csv_text`."""
    write_text(path, csv_text(rows))


def csv_text(rows: Rows) -> str:
    """Return rows as CSV with full precision; text that a spreadsheet would take for a formula begins with ``'``.

    Example:
        >>> print(csv_text([{"detector": "KNN", "AUROC": 0.71}]), end="")
        detector,AUROC
        KNN,0.71
    """
    content = io.StringIO(newline="")
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow([csv_cell(name) for name in rows[0]])
    writer.writerows([csv_cell(row.get(name)) for name in rows[0]] for row in rows)
    return content.getvalue()


def words_of(rows: Rows) -> list[str]:
    """Return the columns of words, which are aligned left: the first one, and those without a number in any row.

    Example:
        >>> words_of([{"novelty": "fence", "method": "KNN", "delay": "3.0"}])
        ['novelty', 'method']
    """
    values = {name: [row[name] for row in rows if row[name] not in (None, "", MISSING)] for name in rows[0]}
    found = {name for name, column in values.items() if column and all(map(_is_word, column))}
    return [name for number, name in enumerate(values) if not number or name in found]


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and not value.lstrip("+-−<>≤≥~ ").replace(".", "0")[:1].isdigit()


def markdown(rows: Rows, *, escape: bool = True) -> str:
    """Return rows as a Markdown table.

    Args:
        rows: One mapping per row, all with the same keys.
        escape: Whether text in the cells is text. Without it, cells may hold Markdown of the caller's own.

    Example:
        >>> print(markdown([{"world": "SAP-Goal0-v0", "steps/s": 1.5e6}]))
        | world | steps/s |
        | --- | --- |
        | SAP-Goal0-v0 | 1,500,000 |
    """
    header = list(rows[0])
    plain = markdown_text if escape else str
    cells = [header, *([text(value) for value in row.values()] for row in rows)]
    first, *others = [[plain(cell) for cell in line] for line in cells]
    lines = [first, ["---"] * len(header), *others]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def text(value: Any) -> str:
    """Return a value for people: about three significant digits, thousands separated."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: MISSING}[value]
    if isinstance(value, float):
        if value != 0 and abs(value) >= 1000:
            return grouped(value)
        return significant(value) if abs(value) < 100 else fixed(value, 1)
    return f"{value:,}" if isinstance(value, int) else str(value)
