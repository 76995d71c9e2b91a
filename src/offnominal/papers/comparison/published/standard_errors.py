"""Standard errors: of our values, and of means over some of the published tables or classes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.papers.comparison.protocols import Row
from offnominal.papers.comparison.smaller_searches import Select, repeated_searches

FEWEST_SPLITS = 3
"""For a standard error."""


def difference_error(rows: Sequence[Row], select: Select, point_error: float = math.nan) -> float:
    """Return the standard error of the difference between two runs with other splits and other configurations.

    Args:
        rows: Rows of one method on one table.
        select: Returns the value of the configuration that is selected from rows.
        point_error: Standard error of the value on the test points of one split; see :func:`point_error_of`.

    Returns:
        NaN with fewer than three splits.
    """
    splits = {row["seed"] for row in rows if not row.get("variant")}
    if len(splits) < FEWEST_SPLITS:
        return math.nan
    return math.sqrt(2.0) * standard_error(rows, select, point_error / math.sqrt(len(splits)))


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


PUBLISHED_UNITS = 40
"""Tables of the paper; also classes of its four image sets."""
FEWEST_UNITS = 3
"""For a standard error."""


def sampling_error(units: Sequence[Sequence[float]]) -> float:
    """Return the standard error of the difference between our mean over some units and the published one over all.

    Units that were run are no other ones in the paper, so that with all of them only the noise within a unit remains:
    ``V (1 - n / N) + 2 W n / N`` with the variance V of our mean over n of N units, and the part W of it that is due
    to splits. W counts as zero where a unit has fewer than three splits.

    Args:
        units: Values of each table or class, one per split.

    Returns:
        NaN with fewer than three units.

    Example:
        >>> round(sampling_error([[0.1], [0.2], [0.3]]), 4), sampling_error([[0.5]] * 40)
        (0.0555, 0.0)
    """
    count = len(units)
    if count < FEWEST_UNITS:
        return math.nan
    share = min(count / PUBLISHED_UNITS, 1.0)
    of_mean = float(np.var([np.mean(values) for values in units], ddof=1)) / count
    within = [np.var(values, ddof=1) / len(values) for values in units if len(values) >= FEWEST_UNITS]
    return math.sqrt(of_mean * (1.0 - share) + 2.0 * float(np.sum(within)) / count**2 * share)


def place_ranges(ranks: FloatArray) -> list[tuple[int, int]] | None:
    """Return the best and the worst place of each method that the ranks allow for the mean over all published units.

    Another method is certainly better if its mean rank is lower by more than two standard errors of the difference.

    Args:
        ranks: (units, methods) on the tables or classes of the run.

    Returns:
        None with fewer than three units.

    Example:
        >>> place_ranges(np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [1.0, 2.0, 3.0]]))
        [(1, 2), (1, 2), (3, 3)]
    """
    count, methods = ranks.shape
    if count < FEWEST_UNITS:
        return None
    behind = ranks[:, :, None] - ranks[:, None, :]
    share = min(count / PUBLISHED_UNITS, 1.0)
    error = np.sqrt(np.var(behind, axis=0, ddof=1) / count * (1.0 - share))
    certain = behind.mean(axis=0) > 2.0 * error
    return [(1 + int(certain[each].sum()), methods - int(certain[:, each].sum())) for each in range(methods)]
