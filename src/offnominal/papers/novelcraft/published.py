"""The published numbers of detection and discovery: Tables 3, 4 and E.1 and the table in Figure 4."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

import numpy as np

from offnominal.core.types import IntArray
from offnominal.papers.printed_values import Erratum, Row, erratum_about, printed_values

PAPER = "novelcraft"
BASIC, PLUS = "NovelCraft", "NovelCraft+"
"""Training data of the methods in Table E.1; those of Table 3 have NovelCraft+."""
CLASSES = {"all": "All", "labeled": "Labelled", "new": "New"}
LABELLED_CLASSES = 5
"""Number of classes of the released confusion matrix that are labelled, the first ones."""


@dataclass(frozen=True, slots=True)
class PublishedNumber:
    """A published number.

    Args:
        table: ``"3"``, ``"4"``, ``"E1"`` or ``"fig4"``.
        method: Name of the method.
        variant: Training data (3 and E.1), context steps (4; empty for the visual model), or features (fig4).
        metric: Published name of the metric, with its operating point.
        value: Share from 0 to 1, or delay in frames; the tables have percentages.
    """

    table: str
    method: str
    variant: str
    metric: str
    value: float

    @property
    def is_delay(self) -> bool:
        """Whether the number is a delay in frames."""
        return self.metric.startswith("delay")

    @property
    def erratum(self) -> Erratum | None:
        """What is wrong with the number itself; None if nothing is known. Table 3 is a part of Table E.1."""
        item = {"3": "table_E1", "E1": "table_E1", "4": "table_4"}.get(self.table)
        rows = [self.method, f"{self.method}, {self.variant}"]
        return None if item is None else erratum_about(PAPER, item, rows, self.metric)


def _of_frames(row: Row) -> tuple[str, str, str]:
    method = row["method"].removesuffix("+")
    return method, row.get("training_data", PLUS), _metric(row)


def _of_episodes(row: Row) -> tuple[str, str, str]:
    return row["model"].capitalize(), row["context_steps"], _metric(row)


def _of_discovery(row: Row) -> tuple[str, str, str]:
    return row["clustering"], row["features"], CLASSES[row["classes"]]


def _metric(row: Row) -> str:
    return row["metric"] if row["regime"] == "none" else f"{row['metric']} at {row['regime']}"


SOURCES: dict[str, tuple[str, Callable[[Row], tuple[str, str, str]]]] = {
    "3": ("table_3", _of_frames),
    "4": ("table_4", _of_episodes),
    "E1": ("table_E1", _of_frames),
    "fig4": ("figure_4", _of_discovery),
}
"""The printed item of each table, and how its rows are named."""


@cache
def published_numbers(table: str) -> tuple[PublishedNumber, ...]:
    """Return the numbers of a table.

    Args:
        table: ``"3"``, ``"4"``, ``"E1"`` or ``"fig4"``.

    Example:
        >>> [len(published_numbers(table)) for table in ("3", "4", "E1", "fig4")]
        [30, 40, 60, 12]
    """
    item, named = SOURCES[table]
    numbers = (PublishedNumber(table, *named(row), float(row["value"])) for row in printed_values(PAPER, item))
    return tuple(number if number.is_delay else replace(number, value=number.value / 100.0) for number in numbers)


@cache
def released_confusion() -> tuple[tuple[str, ...], IntArray]:
    """Return the classes and the confusion matrix in the public code: true classes are rows, predicted ones columns.

    It is of a fit of GCD features with SSKM, though not of those that were published.

    Example:
        >>> classes, confusion = released_confusion()
        >>> classes[:2], int(confusion.sum())
        (('standard', 'fence'), 1205)
    """
    rows = list(commented_rows("released_confusion.csv"))
    classes = tuple(row["true"] for row in rows)
    return classes, np.array([[int(row[name]) for name in classes] for row in rows])


def commented_rows(file: str) -> Iterator[dict[str, str]]:
    """Return the rows of a CSV file of this folder, whose first lines are comments."""
    text = files("offnominal.papers.novelcraft").joinpath(file).read_text(encoding="utf-8")
    return csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
