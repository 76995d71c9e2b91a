"""The methods of Table 3 and the numbers of Table 4."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast

from offnominal.studies.published_comparison import Flaw


@dataclass(frozen=True, slots=True)
class PublishedNumber:
    """A number of Table 4.

    Args:
        method: Name of the method.
        subset: Row: ``"default"``, ``"+norm"``, or a size.
        metric: Published name of the metric.
        value: Share from 0 to 1; the table has percentages.
        flaw: What is wrong with the number itself; empty if nothing is known.
    """

    method: str
    subset: str
    metric: str
    value: float
    flaw: Flaw


@cache
def published_numbers() -> tuple[PublishedNumber, ...]:
    """Return all numbers of Table 4.

    Example:
        >>> len(published_numbers())
        50
    """
    return tuple(
        PublishedNumber(
            row["method"], row["subset"], row["metric"], float(row["value"]) / 100.0, cast(Flaw, row["flaw"])
        )
        for row in _rows("published.csv")
    )


@cache
def published_methods() -> tuple[dict[str, str], ...]:
    """Return method, year, sensor and use of auxiliary anomalies of Table 3.

    Example:
        >>> published_methods()[1]
        {'method': 'APF', 'year': '2023', 'sensor': 'lidar', 'auxiliary_anomalies': 'no'}
    """
    return tuple(_rows("published_methods.csv"))


def _rows(file: str) -> Iterator[dict[str, str]]:
    text = files("offnominal.papers.anovox").joinpath(file).read_text(encoding="utf-8")
    return csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
