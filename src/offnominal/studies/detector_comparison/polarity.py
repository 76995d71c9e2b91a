"""Does a chosen detector find dense places strange?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.datasets.tables import TableSplit
from offnominal.detectors.points.search import Search

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


def polarity(scores: FloatArray, split: TableSplit) -> Polarity:
    """Compare the test scores of a chosen detector with the plainest density there is.

    Args:
        scores: (n,) of the test points.
        split: On which it was fitted.

    Example:
        >>> from offnominal.datasets.tables import Table, split
        >>> rows = np.random.default_rng(0).normal(size=(60, 2))
        >>> parts = split(Table("mine", rows[:50], rows[50:] + 9.0), seed=1)
        >>> centre = np.linalg.norm(parts.test.points, axis=1)
        >>> polarity(centre, parts).inverted, polarity(-centre, parts).inverted
        (False, True)
    """
    from scipy.stats import spearmanr

    train = split.train.points
    distances, _ = Search(train).nearest(split.test.points, min(NEIGHBOURS, len(train)))
    there = ~np.isnan(scores)
    distance = distances[there, -1]
    if there.sum() < 2 or np.ptp(scores[there]) == 0.0 or np.ptp(distance) == 0.0:
        return Polarity(math.nan)
    return Polarity(float(spearmanr(scores[there], distance).statistic))
