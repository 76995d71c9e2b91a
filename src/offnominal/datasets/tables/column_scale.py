"""Bring columns to one scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.types import FloatArray

RELATIVE_FLOOR = 1e-10
PAPER_FLOOR = 1e-15
PAPER_NOTHING = 1e-8


@dataclass(frozen=True, slots=True)
class ColumnScale:
    """A mean and a deviation per column.

    Attributes:
        mean: (d,) what becomes zero.
        deviation: (d,) what becomes one.
        min_deviation: Distances from the mean up to this are none.
    """

    mean: FloatArray
    deviation: FloatArray
    min_deviation: float = 0.0

    def apply(self, points: FloatArray) -> FloatArray:
        """Return points in deviations from the mean."""
        scaled: FloatArray = points - self.mean
        if self.min_deviation:
            scaled[np.abs(scaled) <= self.min_deviation] = 0.0
        scaled /= self.deviation
        return scaled


def training_scale(train: FloatArray) -> ColumnScale:
    """Return the scale of the training points, with the sample deviation (ddof 1).

    A column that is constant in training is moved to zero and not scaled: its entries keep their own unit, and one
    that differs there differs by as much as it did.

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
    """Return the scale of all rows of a table, as the paper had it.

    It lets the mean and the spread of the test rows and of the anomalies into training.
    """
    variance = points.var(axis=0, ddof=1)
    deviation = np.where(variance <= PAPER_FLOOR, 1.0, np.sqrt(variance))
    return ColumnScale(points.mean(axis=0), deviation, PAPER_NOTHING)
