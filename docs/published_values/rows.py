"""Rows of the files with published values and ours: one file per published table."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path

from offnominal.papers.shipped_results import ShippedValue
from offnominal.reports.published_comparison import cause_of
from offnominal.studies.published_comparison import PublishedComparison

MADE_BY = ("study", "scale", "cells", "date", "version")
COLUMNS = (
    "ours",
    "low",
    "high",
    "units",
    "published",
    "reach",
    "kind",
    "outcome",
    "verdict",
    "cause",
    "note",
    *MADE_BY,
)
"""Columns of a file after the labels of the published table."""
Row = dict[str, str]


def rows_of(lines: Iterable[PublishedComparison], run: Row) -> list[Row]:
    """Return a comparison as rows of text."""
    return [
        {
            **line.labels,
            "ours": _number(line.ours.value),
            "low": _number(line.ours.low),
            "high": _number(line.ours.high),
            "units": str(line.units) if line.units > 1 and line.ours.value is not None else "",
            "published": _number(line.published),
            "reach": _number(line.reach or None),
            "kind": "" if line.published is None else line.kind,
            "outcome": line.outcome or "",
            "verdict": line.verdict,
            "cause": cause_of(line),
            "note": line.note,
            **{name: run.get(name, "") for name in MADE_BY},
        }
        for line in lines
    ]


def rows_in(file: Path) -> list[Row]:
    """Return the rows of a file; none if it does not exist."""
    return list(csv.DictReader(read(file).splitlines()))


def csv_text(rows: list[Row]) -> str:
    """Return the text of the file of a table."""
    text = StringIO()
    writer = csv.DictWriter(text, [*labels_of(rows), *COLUMNS], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def labels_of(rows: Iterable[Row]) -> list[str]:
    """Return the columns that name the rows of a table."""
    return [name for name in dict.fromkeys(name for row in rows for name in row) if name not in COLUMNS]


def row_labels(row: Row) -> Row:
    """Return what names a row."""
    return {name: row[name] for name in labels_of([row])}


def shipped_value(row: Row) -> ShippedValue:
    """Return the value of ours of a row."""
    low, high, published = (float(row[name]) if row[name] else None for name in ("low", "high", "published"))
    units = int(row["units"] or 1)
    return ShippedValue(row_labels(row), float(row["ours"]), low, high, published, row["note"], units)


def rank(row: Row, scales: Sequence[str]) -> tuple[int, int]:
    """Return what is larger for more powerful runs: a later scale and, at the same scale, a mean over more tables."""
    return scales.index(row["scale"]) if row["scale"] in scales else -1, int(row.get("units") or 1)


def read(file: Path) -> str:
    """Return the text of a file; empty if there is none."""
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}" if abs(value) < 1e6 else f"{value:.10g}"
