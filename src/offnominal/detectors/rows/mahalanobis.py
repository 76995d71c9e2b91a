"""Mahalanobis distance from the nominal mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.normaliser import Normaliser
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor


class Mahalanobis(RowDetector):
    """Mahalanobis distance, with a covariance shrunk towards a diagonal one (Ledoit and Wolf, 2004).

    The covariance of columns in units of their standard deviation is shrunk towards a multiple of the identity, so the
    units of the columns have no effect. As everywhere in this package, a column is constant if its standard deviation
    is at most 1e-6, or 1e-6 of its mean; it keeps its unit.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(2000, 2)) * [1.0, 10.0]
        >>> Mahalanobis().fit(rows).score(np.array([[5.0, 0.0], [0.0, 5.0]])).round()
        array([5., 1.])
    """

    def _fit(self, rows: FloatArray, seed: int) -> None:
        from sklearn.covariance import LedoitWolf

        units = Normaliser.of(rows)
        covariance = LedoitWolf().fit(units(rows))
        self.mean_: FloatArray = units.mean + units.scale * covariance.location_
        self.precision_: FloatArray = covariance.precision_ / np.outer(units.scale, units.scale)

    def _score(self, rows: FloatArray) -> FloatArray:
        return np.sqrt(np.maximum(_squared(rows - self.mean_, self.precision_), 0.0))

    def _contributions(self, rows: FloatArray) -> FloatArray:
        # The squared distance is a sum of deviation times weighted deviation; a term can be negative.
        deviation = rows - self.mean_
        scores = self._score(rows)[:, None]
        terms = deviation * (deviation[:, :, None] * self.precision_).sum(axis=1)
        return np.asarray(np.divide(terms, scores, out=np.zeros_like(terms), where=scores > 0.0))

    def _torch_score(self, rows: Tensor) -> Tensor:
        import torch

        deviation = rows - torch.from_numpy(self.mean_)
        squared = ((deviation @ torch.from_numpy(self.precision_)) * deviation).sum(1)
        return squared.clamp(min=0.0).sqrt()

    def _state_dict(self) -> dict[str, Array]:
        return {"mean": self.mean_, "precision": self.precision_}

    def _load_state_dict(self, state: StateArrays) -> None:
        self.mean_ = state.floats("mean", ("width",))
        self.precision_ = state.floats("precision", ("width", "width"))


@compiled
def _squared(deviation: FloatArray, precision: FloatArray) -> FloatArray:
    # One sum per row in a fixed order: a matrix product would round differently in batches of different size.
    total = np.zeros(deviation.shape[0])
    product = np.empty(deviation.shape[1])
    for i in range(deviation.shape[0]):
        product[:] = 0.0
        for j in range(deviation.shape[1]):
            for k in range(deviation.shape[1]):
                product[k] += deviation[i, j] * precision[j, k]
        for k in range(deviation.shape[1]):
            total[i] += product[k] * deviation[i, k]
    return total
