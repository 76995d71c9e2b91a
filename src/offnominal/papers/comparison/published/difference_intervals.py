"""Intervals of the difference between a value of ours and the published one, by the rules of the protocol.

Each function returns half the width of a 95 % interval, or NaN if there are too few splits, tables or classes for one.
`tools/measure_comparison_coverage.py` measures how often the intervals contain the true difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri, stdtrit

from offnominal.core.types import FloatArray
from offnominal.papers.comparison.protocols import Row
from offnominal.papers.comparison.smaller_searches import Select, repeated_searches

TAIL = 0.025
"""Probability beyond each end of an interval."""
NORMAL = float(ndtri(1.0 - TAIL))
FEWEST_SPLITS = 3
FEWEST_UNITS = 5
"""Tables or classes; ranks on fewer are often equal by chance, and their interval has no width then."""
PUBLISHED_SPLITS = 5
PUBLISHED_UNITS = 40
"""Tables of the paper; also classes of its four image sets."""


def of_value(rows: Sequence[Row], select: Select, point_error: float = math.nan) -> float:
    """Return half the interval of the difference of a value on one table, a mean over splits.

    Both runs have other splits and other random configurations; that of the paper has five splits. The deviation over
    splits is by the jackknife, with the quantile of Student's distribution: the selection is repeated without each
    split, so that its luck counts too. Few splits may agree by luck; so the error is at least that of the test points
    of one split.

    Args:
        rows: Rows of one method on one table. Classes of images are no splits.
        select: Returns the value of the configuration that is selected from rows.
        point_error: Standard error of the value on the test points of one split; see :func:`point_error_of`.

    Example:
        >>> rows = [
        ...     {"seed": seed, "configuration": "A", "test": value} for seed, value in ((1, 0.7), (2, 0.8), (3, 0.9))
        ... ]
        >>> round(of_value(rows, lambda some: float(np.mean([row["test"] for row in some]))), 3)
        0.314
    """
    splits = {row["seed"] for row in rows if not row.get("variant")}
    count = len(splits)
    if count < FEWEST_SPLITS:
        return math.nan
    without = [select([row for row in rows if row["seed"] != split]) for split in splits]
    of_splits = _student(count) * math.sqrt(count * (count - 1)) * float(np.std(without))
    of_points = 0.0 if math.isnan(point_error) else NORMAL * point_error
    of_search = NORMAL * math.sqrt(2.0) * search_error(rows, select)
    return math.hypot(math.sqrt(1.0 / count + 1.0 / PUBLISHED_SPLITS) * max(of_splits, of_points), of_search)


def _student(count: int, tail: float = TAIL) -> float:
    """Return the quantile of Student's distribution for a mean over some values."""
    return float(stdtrit(count - 1, 1.0 - tail))


def search_error(rows: Sequence[Row], select: Select) -> float:
    """Return the standard error of a value over random searches, by the bootstrap over configurations.

    Args:
        rows: Rows of one method on one table or image set.
        select: Returns the value of the configuration that is selected from rows.

    Example:
        >>> rows = [{"seed": 1, "configuration": name, "test": value} for name, value in (("A", 0.7), ("B", 0.9))]
        >>> round(search_error(rows, lambda some: max(row["test"] for row in some)), 2)
        0.09
    """
    draws = [value for value in repeated_searches(rows, select) if not math.isnan(value)]
    return float(np.std(draws, ddof=1)) if len(draws) > 1 else 0.0


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


def of_paired_mean(differences: Sequence[float]) -> float:
    """Return half the interval of a mean difference over tables or classes of which both values are known.

    The deviation of the differences has the noise of both runs in it.

    Args:
        differences: Ours minus the published value of each table or class.

    Example:
        >>> round(of_paired_mean([0.1, -0.1, 0.0, 0.1, -0.1]), 3), of_paired_mean([0.1] * 4)
        (0.124, nan)
    """
    count = len(differences)
    if count < FEWEST_UNITS:
        return math.nan
    return _student(count) * float(np.std(differences, ddof=1)) / math.sqrt(count)


def of_mean(units: Sequence[Sequence[float]]) -> float:
    """Return half the interval of the difference of our mean over some units and the published one over all.

    Published values of single units are not known. Units that were run are no other ones in the paper, so that with all
    of them only the noise within units remains: ``V (1 - n / N) + 2 W n / N`` with the variance V of our mean over n of
    N units, and the part W of it that is due to splits. If a unit has fewer than three splits, W may be all of V.

    Args:
        units: Values of each table or class, one per split.

    Example:
        >>> [round(of_mean(units), 3) for units in ([[0.1], [0.2], [0.3]] * 2, [[0.5]] * 40, [[0.1]] * 4)]
        [0.101, 0.0, nan]
    """
    count = len(units)
    if count < FEWEST_UNITS:
        return math.nan
    share = min(count / PUBLISHED_UNITS, 1.0)
    whole = float(np.var([np.mean(values) for values in units], ddof=1)) / count
    within = [np.var(values, ddof=1) / len(values) for values in units if len(values) >= FEWEST_SPLITS]
    of_splits = min(float(np.sum(within)) / count**2, whole) if len(within) == count else whole
    return _student(count) * math.sqrt(whole * (1.0 - share) + 2.0 * of_splits * share)


def place_ranges(ranks: FloatArray) -> list[tuple[int, int]] | None:
    """Return the best and the worst place of each method that our ranks allow for the mean over all published units.

    Another method is certainly better if its mean rank is lower by more than half an interval of the difference. These
    hold together for all other methods (Bonferroni). The noise within a unit is not known, so it may be all.

    Args:
        ranks: (units, methods) on the tables or classes of the run.

    Returns:
        None with fewer than five units.

    Example:
        >>> place_ranges(np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [1.0, 2.0, 3.0]] * 2))
        [(1, 2), (1, 2), (3, 3)]
    """
    count, methods = ranks.shape
    if count < FEWEST_UNITS:
        return None
    behind = ranks[:, :, None] - ranks[:, None, :]
    share = min(count / PUBLISHED_UNITS, 1.0)
    half = _student(count, TAIL / max(methods - 1, 1)) * np.sqrt(np.var(behind, axis=0, ddof=1) / count * (1.0 + share))
    certain = behind.mean(axis=0) > half
    return [(1 + int(certain[each].sum()), methods - int(certain[:, each].sum())) for each in range(methods)]
