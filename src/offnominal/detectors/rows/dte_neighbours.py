"""DTE-NP: the diffusion time of a row, estimated by its neighbours (Livernoche et al., 2024)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.detectors.rows.knn import KNN, Algorithm
from offnominal.detectors.rows.neighbour_search import torch_nearest

if TYPE_CHECKING:
    from torch import Tensor


class DTENonParametric(KNN):
    """Most probable variance of the noise by which a row has diffused away from its nearest nominal rows.

    If a row is a nominal row with Gaussian noise, the variance of the noise given the row has an inverse Gamma
    distribution, with the shape d/2 - 1 for d columns and half the squared distance as scale. Its mode, for the mean
    squared distance to the k nearest nominal rows, is that mean divided by d. So the ranks are those of k-nearest
    neighbours with the mean of *squared* distances.

    Args:
        n_neighbors: Number of neighbours k.
        algorithm: Search; see :class:`KNN`.

    Example:
        >>> rows = np.array([[0.0, 0.0], [2.0, 0.0], [9.0, 0.0]])
        >>> DTENonParametric(2).fit(rows).score(np.array([[1.0, 0.0], [1.0, 3.0]]))
        array([0.5, 5. ])
    """

    def __init__(self, n_neighbors: int = 5, *, algorithm: Algorithm = "kd_tree") -> None:
        super().__init__(n_neighbors, algorithm=algorithm)

    def _score(self, rows: FloatArray) -> FloatArray:
        distances, _ = self.search_.nearest(rows, self.n_neighbors)
        return _variances(distances, self.width_)

    def _score_row(self, row: FloatArray) -> FloatArray:
        distances, _ = self.search_.of_row.nearest(row, self.n_neighbors)
        return _variances(distances, self.width_)

    def _contributions(self, rows: FloatArray) -> FloatArray:
        _, places = self.search_.nearest(rows, self.n_neighbors)
        neighbours = self.search_.points[places]
        return np.asarray(np.square(rows[:, None] - neighbours).mean(axis=1) / self.width_)

    def _torch_score(self, rows: Tensor) -> Tensor:
        distances, _ = torch_nearest(rows, self.search_.points, self.n_neighbors)
        variances: Tensor = distances.square().mean(1) / self.width_
        return variances


def _variances(distances: FloatArray, columns: int) -> FloatArray:
    """Return the modes for (n, k) distances."""
    return np.asarray(np.square(distances).mean(axis=1) / columns)
