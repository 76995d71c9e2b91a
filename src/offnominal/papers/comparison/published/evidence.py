"""Causes of differences from published values, each measured on the results of the run itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from offnominal.papers.comparison.selection.pools import Select, repeated_searches, smaller_searches
from offnominal.papers.comparison.selection.protocols import Row
from offnominal.studies.published_comparison import MATCH, Cause

FEWEST_SPLITS = 3
"""For a standard error."""
SHARE = 4
"""A smaller search has one configuration in this many."""
FEWER = 0.75
"""A search is smaller than the published one if it has at most this share of its configurations."""
STEP = 0.005
"""By how much a larger search must be nearer to the published value; it is printed with two decimals."""
DEFECTS = {
    "dsvd": "the public code never trains the hypersphere; with this error ours is {:.3f}",
    "loda": "PyOD reads the wrong bins; with this error ours is {:.3f}",
    "mgal": "PyOD's score has the wrong sign; with this error ours is {:.3f}",
}
"""What is wrong in the original of a method, with our value if ours is wrong in the same way."""


def defect_note(method: str, ours: float, defective: float, published: float) -> str:
    """Return what the error of the original does to a value; empty if it does not come nearer to the published one.

    Args:
        method: Short name of the method.
        ours: Our value.
        defective: Our value with the error; NaN if it was not run.
        published: The published value.

    Example:
        >>> defect_note("mgal", 0.8, 0.2, 0.3)
        "PyOD's score has the wrong sign; with this error ours is 0.200"
        >>> defect_note("mgal", 0.8, 0.2, 0.7)
        ''
    """
    nearer = abs(defective - published) + STEP < abs(ours - published)
    return DEFECTS[method].format(defective) if nearer else ""


def cause_of(
    rows: Sequence[Row], select: Select, published: float, *, searched: float, point_error: float = math.nan
) -> Cause:
    """Return the cause of a difference; empty if there is none, or if no cause can be shown.

    ``chance``: the difference is at most two standard errors of the difference between two runs with other splits and
    other random configurations; see :func:`standard_error`.
    ``scale``: fewer configurations were searched than in the paper, and a quarter of ours gives a larger difference.

    Args:
        rows: Rows of one method on one table or image set.
        select: Returns the value of the configuration that is selected from rows.
        published: The published value.
        searched: Number of configurations in the paper.
        point_error: Standard error of the value on the test points of one split; see :func:`point_error_of`.
    """
    ours = select(rows)
    if math.isnan(ours) or abs(ours - published) <= MATCH:
        return ""
    error = standard_error(rows, select, point_error)
    if abs(ours - published) <= 2.0 * math.sqrt(2.0) * error:
        return "chance"
    count = len({row["configuration"] for row in rows})
    if count > FEWER * searched:
        return ""
    fewer = np.array(smaller_searches(rows, math.ceil(count / SHARE), select))
    return "scale" if np.nanmean(np.abs(fewer - published)) > abs(ours - published) + STEP else ""


def standard_error(rows: Sequence[Row], select: Select, point_error: float = math.nan) -> float:
    """Return the standard error of a value over splits and over the configurations that a random search tries.

    With few splits their spread may by luck be smaller than the error on the test points alone; then the latter counts.

    Args:
        rows: Rows of one method on one table or image set.
        select: Returns the value of the configuration that is selected from rows.
        point_error: Standard error of the value on the test points; NaN if it is not known.

    Example:
        >>> rows = [{"seed": 1, "configuration": name, "test": value} for name, value in (("A", 0.7), ("B", 0.9))]
        >>> round(standard_error(rows, lambda some: max(row["test"] for row in some)), 2)
        0.09
    """
    known = [error for error in (split_error(rows, select), point_error) if not math.isnan(error)]
    return math.hypot(max(known, default=0.0), search_error(rows, select))


def search_error(rows: Sequence[Row], select: Select) -> float:
    """Return the standard error of a value over random searches, by the bootstrap over configurations.

    Args:
        rows: Rows of one method on one table or image set.
        select: Returns the value of the configuration that is selected from rows.
    """
    draws = [value for value in repeated_searches(rows, select) if not math.isnan(value)]
    return float(np.std(draws, ddof=1)) if len(draws) > 1 else 0.0


def split_error(rows: Sequence[Row], select: Select) -> float:
    """Return the standard error of a value over splits, by the jackknife; NaN with fewer than three splits.

    The selection is repeated without each split, so that its luck counts too. Classes of images are not splits.

    Args:
        rows: Rows of one method on one table or image set.
        select: Returns the value of the configuration that is selected from rows.

    Example:
        >>> rows = [{"seed": seed, "test": value} for seed, value in ((1, 0.7), (2, 0.8), (3, 0.9))]
        >>> round(split_error(rows, lambda some: float(np.mean([row["test"] for row in some]))), 4)
        0.0577
    """
    splits = {row["seed"] for row in rows if not row.get("variant")}
    if len(splits) < FEWEST_SPLITS:
        return math.nan
    return jackknife_error([select([row for row in rows if row["seed"] != split]) for split in splits])


def point_error_of(value: float, metric: str, *, normal: int, anomalous: int) -> float:
    """Return the standard error of a metric on a finite number of test points.

    That of a TPR is binomial; that of an AUC is by Hanley and McNeil (1982).

    Args:
        value: The metric.
        metric: ``"auc"`` or ``"tpr5"``.
        normal: Number of normal test points.
        anomalous: Number of anomalous test points.

    Example:
        >>> round(point_error_of(0.5, "tpr5", normal=100, anomalous=25), 3)
        0.1
        >>> round(point_error_of(0.9, "auc", normal=100, anomalous=25), 3)
        0.042
    """
    own = max(value * (1.0 - value), 0.0)
    if metric == "tpr5":
        return math.sqrt(own / anomalous)
    two_anomalous, two_normal = value / (2.0 - value), 2.0 * value**2 / (1.0 + value)
    pairs = (anomalous - 1) * (two_anomalous - value**2) + (normal - 1) * (two_normal - value**2)
    return math.sqrt(max(own + pairs, 0.0) / (normal * anomalous))


def jackknife_error(without: Sequence[float]) -> float:
    """Return the standard error of a value from the values without each split; NaN with fewer than three splits.

    Example:
        >>> round(jackknife_error([0.85, 0.8, 0.75]), 4)
        0.0577
    """
    count = len(without)
    return math.nan if count < FEWEST_SPLITS else math.sqrt((count - 1) * float(np.var(without)))
