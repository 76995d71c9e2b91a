"""The published tables: the set and its normality, the methods of Table 3 and the numbers of Table 4."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

from offnominal.papers.printed_values import erratum_about, printed_values
from offnominal.studies.published_comparison import Flaw

PAPER = "anovox"
FLAWS: dict[str, Flaw] = {
    "RbA, +norm: F1 and PPV": "impossible",
    "REAL: F1 and PPV": "artefact",
    "all: FPR95": "artefact",
}
"""Kind of flaw of each erratum of Table 4, by the numbers that it is about."""
PUBLISHED_FORMS = {"RbA": "RbA-NoOutliers", "REAL": "REAL-NoObjects"}
"""Detectors of the study in the form of the published methods, without outliers and synthesised objects."""
SENSORS = {"Camera": "camera", "LiDAR": "lidar"}


@dataclass(frozen=True, slots=True)
class PublishedNumber:
    """A number of Table 4.

    Args:
        method: Name of the method.
        subset: Row: ``"default"``, ``"+norm"``, or a size.
        metric: Published name of the metric.
        value: Share from 0 to 1; the table has percentages.
        flaw: What is wrong with the number itself; empty if nothing is known.
        problem: The same in words.
    """

    method: str
    subset: str
    metric: str
    value: float
    flaw: Flaw = ""
    problem: str = ""


@cache
def published_numbers() -> tuple[PublishedNumber, ...]:
    """Return all numbers of Table 4, with what the errata say about them.

    Example:
        >>> len(published_numbers())
        50
    """
    return tuple(
        PublishedNumber(*place, float(row["value"]) / 100.0, *_flaw(place))
        for row in printed_values(PAPER, "table_4")
        for place in [(row["method"], row["subset"], row["metric"])]
    )


def _flaw(place: tuple[str, str, str]) -> tuple[Flaw, str]:
    """Return what is wrong with a number of Table 4."""
    method, subset, metric = place
    erratum = erratum_about(PAPER, "table_4", [method, f"{method}, {subset}"], metric)
    return ("", "") if erratum is None else (FLAWS[erratum.where], erratum.problem)


@cache
def published_methods() -> tuple[dict[str, str], ...]:
    """Return method, year, sensor and use of auxiliary anomalies of Table 3.

    Example:
        >>> published_methods()[1]
        {'method': 'APF', 'year': '2023', 'sensor': 'lidar', 'auxiliary anomalies': 'no'}
    """
    found: dict[str, dict[str, str]] = {}
    for row in printed_values(PAPER, "table_3"):
        found.setdefault(row["method"], {})[row["field"]] = row["value"]
    return tuple(
        {
            "method": method,
            "year": about["year"],
            "sensor": SENSORS[about["sensor"]],
            "auxiliary anomalies": about["auxiliary_anomaly_data"],
        }
        for method, about in found.items()
    )


def published_set() -> dict[str, float]:
    """Return the numbers of AnoVox in Table 1, by field.

    Example:
        >>> published_set()
        {'size': 245600.0, 'n_anomaly_classes': 178.0}
    """
    rows = [row for row in printed_values(PAPER, "table_1") if row["dataset"] == "AnoVox"]
    return {row["field"]: float(row["value"]) for row in rows if row["value"].isdecimal()}


def published_normality() -> dict[str, list[str]]:
    """Return the names of each part of normality in Table 2.

    Example:
        >>> published_normality()["sensor_configuration"]
        ['Mono', 'Stereo', 'Multi', 'Surround']
    """
    rows = printed_values(PAPER, "table_2")
    return {
        item: [row["value"] for row in rows if row["item"] == item] for item in Counter(row["item"] for row in rows)
    }
