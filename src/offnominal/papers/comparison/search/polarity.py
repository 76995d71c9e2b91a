"""Polarity: whether the scores of a detector grow or fall with the distance to the training points."""

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
