"""Scaling of signals to a common size, learned from nominal data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.types import Array, FloatArray
from offnominal.detectors.observation_limits import MAX_READING
from offnominal.detectors.state_arrays import StateArrays

CONSTANT = 1e-6
LARGEST = MAX_READING / CONSTANT
"""Means and scales that can be learned, those of signals that are normalised already included."""


@dataclass(frozen=True, slots=True)
class Normaliser:
    """Subtracts the mean and divides by the standard deviation of each channel.

    A channel that never varies in the nominal data is left in its raw unit: dividing by almost nothing would make any
    change of it infinitely strange.

    Args:
        mean: Of each channel.
        scale: What each channel is divided by.

    Example:
        >>> data = np.array([[0.0, 5.0], [2.0, 5.0]])
        >>> Normaliser.of(data)(np.array([[4.0, 6.0]]))
        array([[3., 1.]])
    """

    mean: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, rows: Array) -> Normaliser:
        """Learn from rows of channels."""
        values = np.asarray(rows, np.float64)
        mean, spread = values.mean(axis=0), values.std(axis=0)
        constant = spread <= CONSTANT * np.maximum(np.abs(mean), 1.0)
        return cls(mean, np.where(constant, 1.0, spread))

    @classmethod
    def restored(cls, state: StateArrays, mean: str, scale: str, width: int) -> Normaliser:
        """Read one of a width from arrays of these names."""
        return cls(
            state.floats(mean, (width,), low=-LARGEST, high=LARGEST),
            state.floats(scale, (width,), low=CONSTANT, high=LARGEST),
        )

    def __call__(self, rows: Array) -> FloatArray:
        """Return the rows, normalised."""
        normalised: FloatArray = (np.asarray(rows, np.float64) - self.mean) / self.scale
        return normalised
