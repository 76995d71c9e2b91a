"""Standardisation of columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.types import FloatArray

RELATIVE_FLOOR = 1e-10
PAPER_FLOOR = 1e-15
PAPER_NOTHING = 1e-8


@dataclass(frozen=True, slots=True)
class ColumnScale:
    """Mean and standard deviation per column.

    Attributes:
        mean: (d,) mean.
        deviation: (d,) standard deviation.
        min_deviation: Deviations from the mean up to this are set to zero.
    """

    mean: FloatArray
    deviation: FloatArray
    min_deviation: float = 0.0

    def apply(self, points: FloatArray) -> FloatArray:
        """Return standardised points."""
        scaled: FloatArray = points - self.mean
        if self.min_deviation:
            scaled[np.abs(scaled) <= self.min_deviation] = 0.0
        scaled /= self.deviation
        return scaled


def training_scale(train: FloatArray) -> ColumnScale:
    """Return the scale of the training points, with the sample standard deviation (ddof 1).

    A column that is constant in the training points is centred and not scaled.

    Example:
        >>> scale = training_scale(np.array([[0.0, 7.0], [2.0, 7.0]]))
        >>> scale.apply(np.array([[0.0, 7.0], [4.0, 9.0]]))
        array([[-0.70710678,  0.        ],
               [ 2.12132034,  2.        ]])
    """
    mean, deviation = train.mean(axis=0), train.std(axis=0, ddof=1)
    varies = deviation > RELATIVE_FLOOR * np.maximum(np.abs(mean), RELATIVE_FLOOR)
    return ColumnScale(mean, np.where(varies, deviation, 1.0))


def paper_scale(points: FloatArray) -> ColumnScale:
    """Return the scale of all rows of a table, as in the paper.

    Mean and standard deviation include test rows and anomalies, which leaks information into the training.
    """
    variance = points.var(axis=0, ddof=1)
    deviation = np.where(variance <= PAPER_FLOOR, 1.0, np.sqrt(variance))
    return ColumnScale(points.mean(axis=0), deviation, PAPER_NOTHING)
