"""The numbers of Tables 3, 4 and E.1 and of the table in Figure 4."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from offnominal.core.types import IntArray

BASIC, PLUS = "NovelCraft", "NovelCraft+"
"""Training data of the methods in Table E.1; those of Table 3 have NovelCraft+."""
LABELLED_CLASSES = 5
"""Number of classes of the released confusion matrix that are labelled, the first ones."""


@dataclass(frozen=True, slots=True)
class PublishedNumber:
    """A published number.

    Args:
        table: ``"E1"``, ``"4"`` or ``"fig4"``.
        method: Name of the method.
        variant: Training data (E1), context steps (4; empty for the visual model), or features (fig4).
        metric: Published name of the metric, with its operating point.
        value: Share from 0 to 1, or delay in frames; the tables have percentages.
        flaw: Short name of what is wrong with the number itself; empty if nothing is known.
    """

    table: str
    method: str
    variant: str
    metric: str
    value: float
    flaw: str

    @property
    def is_delay(self) -> bool:
        """Whether the number is a delay in frames."""
        return self.metric.startswith("delay")


@cache
def published_numbers(table: str) -> tuple[PublishedNumber, ...]:
    """Return the numbers of a table.

    Args:
        table: ``"3"``, ``"4"``, ``"E1"`` or ``"fig4"``. Table 3 is the part of Table E.1 about NovelCraft+.

    Example:
        >>> [len(published_numbers(table)) for table in ("3", "4", "E1", "fig4")]
        [30, 40, 60, 12]
    """
    stored = "E1" if table == "3" else table
    numbers = (_number(row) for row in _rows("published.csv") if row["table"] == stored)
    return tuple(number for number in numbers if table != "3" or number.variant == PLUS)


@cache
def released_confusion() -> tuple[tuple[str, ...], IntArray]:
    """Return the classes and the confusion matrix in the public code: true classes are rows, predicted ones columns.

    It is of a fit of GCD features with SSKM, though not of those that were published.

    Example:
        >>> classes, confusion = released_confusion()
        >>> classes[:2], int(confusion.sum())
        (('standard', 'fence'), 1205)
    """
    rows = list(_rows("released_confusion.csv"))
    classes = tuple(row["true"] for row in rows)
    return classes, np.array([[int(row[name]) for name in classes] for row in rows])


def _number(row: dict[str, str]) -> PublishedNumber:
    value = float(row["value"]) / (1.0 if row["metric"].startswith("delay") else 100.0)
    return PublishedNumber(row["table"], row["method"], row["variant"], row["metric"], value, row["flaw"])


def _rows(file: str) -> Iterator[dict[str, str]]:
    text = files("offnominal.papers.novelcraft").joinpath(file).read_text(encoding="utf-8")
    return csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
