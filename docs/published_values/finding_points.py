"""Points of the figures of the page on what was learned, from the rows of files with measured values."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from published_values.point_figure import Point
from published_values.rows import Row

MEASURED = Path(__file__).parents[1] / "measured"
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
OURS, PUBLISHED = "ours", "published"
BESIDE = {OURS: "with its 95 % interval", PUBLISHED: "as printed"}


def table(name: str) -> list[Row]:
    """Return the rows of the file of a published table beside ours.

    Args:
        name: Name of the file without its ending.
    """
    return rows_of_file(MEASURED / "published" / f"{name}.csv")


def rows_of_file(file: Path) -> list[Row]:
    """Return the rows of a file; lines that begin with # are comments.

    Args:
        file: The file.
    """
    return rows_of_text(file.read_text(encoding="utf-8"))


def rows_of_text(text: str) -> list[Row]:
    """Return the rows of the text of a file; lines that begin with # are comments.

    Args:
        text: The text.
    """
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def grouped(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    """Return rows by the value of a column.

    Args:
        rows: The rows.
        column: The column.
    """
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row[column], []).append(row)
    return found


def beside(rows: Iterable[Row], label: str) -> dict[str, Sequence[Point]]:
    """Return ours and the published value of each row that has both, by the value of a column.

    Args:
        rows: The rows.
        label: The column.
    """
    return {row[label]: both(row) for row in rows if row["ours"]}


def both(row: Row) -> list[Point]:
    """Return ours with its interval, and the published value.

    Args:
        row: The row.
    """
    ends = (float(row[name]) if row[name] else None for name in ("low", "high"))
    return [Point(OURS, float(row["ours"]), *ends), Point(PUBLISHED, float(row["published"]))]
