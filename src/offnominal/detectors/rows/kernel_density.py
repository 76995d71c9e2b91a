"""Kernel density estimate with a Gaussian kernel (Parzen, 1962)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from offnominal.core.checks import positive_number
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.normaliser import Normaliser
from offnominal.detectors.rows.kernels import squared_distances
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor


class KernelDensity(RowDetector):
    """Negative log of a density that is the mean of Gaussian kernels around the nominal rows.

    Args:
        bandwidth: Standard deviation of the kernel in standard deviations of each column; ``"scott"`` for
            n^(-1 / (columns + 4)) with n nominal rows (Scott, 1992).

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(500, 2))
        >>> near, far = KernelDensity().fit(rows).score(np.array([[0.0, 0.0], [9.0, 9.0]]))
        >>> bool(near < far)
        True
    """

    def __init__(self, bandwidth: float | Literal["scott"] = "scott") -> None:
        if isinstance(bandwidth, str) and bandwidth != "scott":
            raise InvalidParameter(f"bandwidth is {bandwidth!r}; expected a positive number or 'scott'.")
        self.bandwidth: float | Literal["scott"] = (
            "scott" if isinstance(bandwidth, str) else float(positive_number("bandwidth", bandwidth))
        )

    def _fit(self, rows: FloatArray, seed: int) -> None:
        self.units_ = Normaliser.of(rows)
        self._place(self.units_(rows))

    def _place(self, points: FloatArray) -> None:
        """Place the kernels around points in units of the standard deviation."""
        n, width = points.shape
        deviation = n ** (-1.0 / (width + 4)) if isinstance(self.bandwidth, str) else self.bandwidth
        self.points_, self.columns_ = points, np.ascontiguousarray(points.T)
        self.gamma_ = 0.5 / deviation**2
        # Of one kernel at its centre, in the units of the rows.
        self.peak_ = -math.log(n) - width * math.log(deviation * math.sqrt(2.0 * math.pi))
        self.peak_ -= float(np.log(self.units_.scale).sum())

    def _score(self, rows: FloatArray) -> FloatArray:
        scores: FloatArray = -self.peak_ - _log_sums(self.units_(rows), self.columns_, self.gamma_)
        return scores

    def _torch_score(self, rows: Tensor) -> Tensor:
        import torch

        differences = self.units_.torch(rows)[:, None] - torch.from_numpy(self.points_)
        scores: Tensor = -self.peak_ - torch.logsumexp(-self.gamma_ * differences.square().sum(2), 1)
        return scores

    def _state_dict(self) -> dict[str, Array]:
        return {"points": self.points_, "mean": self.units_.mean, "scale": self.units_.scale}

    def _load_state_dict(self, state: StateArrays) -> None:
        points = state.points(1)
        self.units_ = Normaliser.restored(state, "mean", "scale", self.width_)
        self._place(points)


@compiled
def _log_sums(rows: FloatArray, columns: FloatArray, gamma: float) -> FloatArray:
    """Return the log of the sum over all points of exp(-gamma times the squared distance), without underflow."""
    out = np.empty(rows.shape[0])
    for i in range(rows.shape[0]):
        distances = squared_distances(rows[i], columns)
        nearest = distances.min()
        total = 0.0
        for distance in distances:
            total += math.exp(-gamma * (distance - nearest))
        out[i] = math.log(total) - gamma * nearest
    return out
