"""Tables for the terminal, for spreadsheets and for documents, from the same rows."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table as RichTable

Rows = Sequence[Mapping[str, Any]]


def terminal_table(title: str, rows: Rows) -> RichTable:
    """Return a table for the terminal; numbers are aligned right, and what is too wide goes on in another line."""
    from rich.table import Table as RichTable
    from rich.text import Text

    table = RichTable(title=title, title_justify="left", header_style="bold", row_styles=("", "dim"))
    for name in rows[0] if rows else ():
        numeric = all(isinstance(row[name], int | float | None) for row in rows)
        table.add_column(name, justify="right" if numeric else "left", no_wrap=not table.columns, overflow="fold")
    for row in rows:
        table.add_row(*(Text(text(value)) for value in row.values()))
    return table


def write_csv(path: Path, rows: Rows) -> None:
    """Write rows as CSV with full precision."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def markdown(rows: Rows) -> str:
    """Return rows as a Markdown table.

    Example:
        >>> print(markdown([{"world": "SAP-Goal0-v0", "steps/s": 1.5e6}]))
        | world | steps/s |
        | --- | --- |
        | SAP-Goal0-v0 | 1,500,000 |
    """
    header = list(rows[0])
    lines = [header, ["---"] * len(header), *([text(value) for value in row.values()] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def text(value: Any) -> str:
    """Return a value as people read it: three or so significant digits, thousands separated."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, float):
        if value != 0 and abs(value) >= 1000:
            return f"{value:,.0f}"
        return f"{value:.3g}" if abs(value) < 100 else f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
