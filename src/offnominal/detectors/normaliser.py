"""Normalisation of channels by nominal data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from offnominal.core.checks import integer_in, numeric_array
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.observation_limits import MAX_READING
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor

CONSTANT = 1e-6
LARGEST = MAX_READING / CONSTANT
"""Largest mean or scale, also for channels that were normalised before."""


@dataclass(frozen=True, slots=True)
class Normaliser:
    """Subtracts the mean and divides by the standard deviation of each channel.

    A channel that is constant in the nominal data keeps its raw unit by default: division by almost zero would make any
    change of it infinite.

    Args:
        mean: Mean of each channel.
        scale: Divisor of each channel.

    Example:
        >>> data = np.array([[0.0, 5.0], [2.0, 5.0]])
        >>> Normaliser.of(data)(np.array([[4.0, 6.0]]))
        array([[3., 1.]])
    """

    mean: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, rows: Array, *, constant_scale: float = 1.0) -> Normaliser:
        """Return the normaliser of (n, channels) rows.

        Args:
            rows: Nominal data.
            constant_scale: Divisor of constant channels.
        """
        values = np.asarray(numeric_array("rows", rows), np.float64)
        if not values.ndim or not len(values):
            raise InvalidParameter(f"rows has shape {values.shape}; expected (n, channels) with at least one row.")
        mean, spread = values.mean(axis=0), values.std(axis=0)
        constant = spread <= CONSTANT * np.maximum(np.abs(mean), 1.0)
        return cls(mean, np.where(constant, constant_scale, spread))

    @classmethod
    def identity(cls, width: int) -> Normaliser:
        """Return the normaliser that changes nothing."""
        width = integer_in("width", width, 0)
        return cls(np.zeros(width), np.ones(width))

    @classmethod
    def restored(cls, state: StateArrays, mean: str, scale: str, width: int) -> Normaliser:
        """Return the normaliser from two named arrays of a state dict."""
        return cls(
            state.floats(mean, (width,), low=-LARGEST, high=LARGEST),
            state.floats(scale, (width,), low=CONSTANT, high=LARGEST),
        )

    def __call__(self, rows: Array) -> FloatArray:
        """Return the normalised rows."""
        values = np.asarray(rows, np.float64)
        if values.ndim < self.mean.ndim or values.shape[values.ndim - self.mean.ndim :] != self.mean.shape:
            raise InvalidParameter(f"rows has shape {values.shape}; expected the last sides to be {self.mean.shape}.")
        normalised: FloatArray = (values - self.mean) / self.scale
        return normalised

    def torch(self, rows: Tensor) -> Tensor:
        """Return the normalised rows by torch operators."""
        from torch import from_numpy

        return (rows - from_numpy(self.mean)) / from_numpy(self.scale)
