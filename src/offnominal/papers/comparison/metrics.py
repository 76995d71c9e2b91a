"""Metrics of scores: separation of anomalous and normal points, and polarity, the correlation with distance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import BoolArray, FloatArray
from offnominal.datasets.tables import TableSplit
from offnominal.detectors.rows.neighbour_search import NeighbourSearch
from offnominal.evaluation.ranking import rank

PERCENTS = (0.01, 0.1, 1.0, 5.0, 10.0, 20.0)
NUMBERS = (5, 10, 50, 100, 500, 1000)
MOST = 0.2
"""Share of the points that an analyst labels at most."""
MISSING = 0.5
"""Share of scores that may be missing."""


def auc(scores: FloatArray, anomalous: BoolArray) -> float:
    """Return the area under the ROC curve; ties count half.

    Example:
        >>> auc(np.array([0.1, 0.4, 0.4, 0.9]), np.array([False, False, True, True]))
        0.875
    """
    high, low = _parted(scores, anomalous)
    return float(rank(high, low)[0]) if len(high) and len(low) else math.nan


def average_precision(scores: FloatArray, anomalous: BoolArray) -> float:
    """Return the average precision: the step-wise area under the precision-recall curve."""
    high, low = _parted(scores, anomalous)
    return float(rank(high, low)[1]) if len(high) and len(low) else math.nan


def auprc(scores: FloatArray, anomalous: BoolArray) -> float:
    """Return the area under the precision-recall curve by the trapezoid rule, as in the paper.

    Too kind between distant thresholds; see :func:`average_precision`.
    """
    found, alarmed = _curve(scores, anomalous)
    if not len(found) or not found[-1] or not alarmed[-1]:
        return math.nan
    recall = np.concatenate([[0.0], found / found[-1]])
    precision = found / (found + alarmed)
    return float(np.trapezoid(np.concatenate([precision[:1], precision]), recall))


def tpr_at_5(scores: FloatArray, anomalous: BoolArray) -> float:
    """Return the share of anomalies found while at most 5 % of the normal points are called anomalous.

    With fewer than twenty normal points no false alarm is allowed.

    Example:
        >>> tpr_at_5(np.array([0.1, 0.2, 0.3, 0.9]), np.array([False, True, False, True]))
        0.5
    """
    found, alarmed = _curve(scores, anomalous)
    if not len(found) or not found[-1] or not alarmed[-1]:
        return math.nan
    allowed = 20 * alarmed <= alarmed[-1]
    return float((found[allowed] / found[-1]).max(initial=0.0))


def precision_at_number(scores: FloatArray, anomalous: BoolArray, n: int) -> float:
    """Return the share of anomalies among the n highest anomaly scores, as seen by an analyst who labels n points.

    Never more than a fifth of the points are labelled. Points tied at the border count by their share.
    """
    if n < 1:
        raise InvalidParameter(f"n is {n}; expected a positive number of points.")
    return _precision(scores, anomalous, min(n, int(MOST * len(scores))))


def precision_at_percent(scores: FloatArray, anomalous: BoolArray, percent: float) -> float:
    """Return the share of anomalies among the most suspicious percent of the points; NaN if that is no point."""
    if not 0.0 < percent <= 100.0:
        raise InvalidParameter(f"percent is {percent}; expected a number above 0 and up to 100.")
    return _precision(scores, anomalous, int(percent / 100.0 * len(scores) + 1e-9))


def _precision(scores: FloatArray, anomalous: BoolArray, n: int) -> float:
    found, alarmed = _curve(scores, anomalous)
    if n < 1 or not len(found) or found[-1] + alarmed[-1] < n:
        return math.nan
    called = found + alarmed
    last = int(np.searchsorted(called, n))
    before = called[last - 1] if last else 0.0
    share = (n - before) / (called[last] - before)
    gained = found[last] - (found[last - 1] if last else 0.0)
    return float(((found[last - 1] if last else 0.0) + share * gained) / n)


Metric = Callable[[FloatArray, BoolArray], float]
METRICS: dict[str, Metric] = {
    "auc": auc,
    "ap": average_precision,
    "auprc": auprc,
    "tpr5": tpr_at_5,
    **{f"pr_at_{n}": partial(precision_at_number, n=n) for n in NUMBERS},
    **{f"pr_at_{percent:g}%": partial(precision_at_percent, percent=percent) for percent in PERCENTS},
}
"""By name. ``pr_at_50`` uses the 50 highest scores, ``pr_at_5%`` the highest 5 %."""


def measure(scores: FloatArray | None, anomalous: BoolArray) -> dict[str, float]:
    """Return every metric; NaN without scores, or if more than half of them are missing.

    Points without a score are left out otherwise.
    """
    if scores is None or np.isnan(scores).mean() > MISSING:
        return dict.fromkeys(METRICS, math.nan)
    there = ~np.isnan(scores)
    return {name: metric(scores[there], anomalous[there]) for name, metric in METRICS.items()}


def _parted(scores: FloatArray, anomalous: BoolArray) -> tuple[FloatArray, FloatArray]:
    if scores.shape != anomalous.shape:
        raise InvalidParameter(f"{len(scores)} scores for {len(anomalous)} labels; expected one for each.")
    there = ~np.isnan(scores)
    return np.sort(scores[there & anomalous]), np.sort(scores[there & ~anomalous])


def _curve(scores: FloatArray, anomalous: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return how many anomalies and how many normal points score at least each threshold, thresholds falling."""
    high, low = _parted(scores, anomalous)
    thresholds = np.unique(np.concatenate([high, low]))[::-1]
    found = len(high) - np.searchsorted(high, thresholds)
    alarmed = len(low) - np.searchsorted(low, thresholds)
    return found.astype(np.float64), alarmed.astype(np.float64)


NEIGHBOURS = 5


@dataclass(frozen=True, slots=True)
class Polarity:
    """Correlation of the scores of a detector with the distance to the training points.

    Attributes:
        correlation: Spearman's, of the test scores with the distance to the fifth nearest training point; NaN if scores
            are constant.
    """

    correlation: float

    @property
    def inverted(self) -> bool:
        """Whether points near the training points get the higher anomaly scores.

        Such a detector can still have a high AUC on this table: it was selected by labelled anomalies in dense regions.
        It will miss anomalies far from the training points.
        """
        return self.correlation < 0.0


def measure_polarity(scores: FloatArray, split: TableSplit) -> Polarity:
    """Correlate the test scores of a detector with the distance to the training points.

    Args:
        scores: (n,) of the test points.
        split: On which it was fitted.

    Example:
        >>> from offnominal.datasets.tables import Table, split_table
        >>> rows = np.random.default_rng(0).normal(size=(60, 2))
        >>> parts = split_table(Table("mine", rows[:50], rows[50:] + 9.0), seed=1)
        >>> centre = np.linalg.norm(parts.test.points, axis=1)
        >>> measure_polarity(centre, parts).inverted, measure_polarity(-centre, parts).inverted
        (False, True)
    """
    return Polarity(rank_correlation(scores, distances_of(split)))


def distances_of(split: TableSplit) -> FloatArray:
    """Return the distance of each test point to its fifth nearest training point."""
    train = split.train.points
    distances, _ = NeighbourSearch(train).nearest(split.test.points, min(NEIGHBOURS, len(train)))
    return np.asarray(distances[:, -1])


def image_distances(split: TableSplit) -> FloatArray:
    """Return the distance of each test image to its fifth nearest training image."""
    from offnominal.detectors.rows.matrix_search import MatrixSearch

    train, test = (part.points.reshape(len(part), -1) for part in (split.train, split.test))
    distances, _ = MatrixSearch(train).nearest(test, min(NEIGHBOURS, len(train)))
    return distances[:, -1]


def rank_correlation(scores: FloatArray, distances: FloatArray) -> float:
    """Return Spearman's correlation of scores and distances; NaN if one of them is constant.

    Example:
        >>> rank_correlation(np.array([1.0, 2.0, 4.0]), np.array([3.0, 2.0, 1.0]))
        -1.0
    """
    from scipy.stats import spearmanr

    there = ~np.isnan(scores)
    scores, distances = scores[there], distances[there]
    if len(scores) < 2 or np.ptp(scores) == 0.0 or np.ptp(distances) == 0.0:
        return math.nan
    return round(float(spearmanr(scores, distances).statistic), 12)
