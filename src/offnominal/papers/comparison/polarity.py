"""Does a chosen detector find dense places strange?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.datasets.tables import TableSplit
from offnominal.detectors.rows.neighbour_search import NeighbourSearch

NEIGHBOURS = 5


@dataclass(frozen=True, slots=True)
class Polarity:
    """How a detector's scores go with distance from the training points.

    Attributes:
        correlation: Spearman's, of the test scores with the distance to the fifth nearest training point; NaN if scores
            are constant.
    """

    correlation: float

    @property
    def inverted(self) -> bool:
        """Whether the detector ranks points near the training points as the stranger ones.

        It may still do well on this table: labelled validation points chose it *because* anomalies are dense there. It
        tells about these anomalies, and will miss those that lie far out.
        """
        return self.correlation < 0.0


def measure_polarity(scores: FloatArray, split: TableSplit) -> Polarity:
    """Compare the test scores of a chosen detector with the plainest density there is.

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
    """Return how far each test point is from its fifth nearest training point."""
    train = split.train.points
    distances, _ = NeighbourSearch(train).nearest(split.test.points, min(NEIGHBOURS, len(train)))
    return np.asarray(distances[:, -1])


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
