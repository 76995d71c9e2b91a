"""Local outlier factor (Breunig et al., 2000): strange is what lies more thinly than its neighbours do."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.core.checks import positive_integer
from offnominal.core.compiled import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.learned_arrays import LearnedArrays
from offnominal.detectors.points.point import PointDetector
from offnominal.detectors.points.search import Search

SMALL = 1e-10


class LOF(PointDetector):
    """How much denser the neighbours of a row lie than the row itself: about one inside, more outside.

    The numbers are those of scikit-learn's `LocalOutlierFactor` with ``novelty=True``. Where many nominal points are
    equal their density is ten thousand million, and rows beside them get scores as large.

    Args:
        k: How many neighbours.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 2))
        >>> near, far = LOF().fit(rows).score(np.array([[0.0, 0.0], [9.0, 9.0]]))
        >>> bool(near < 1.1 < 5.0 < far)
        True
    """

    def __init__(self, k: int = 20) -> None:
        self.k = positive_integer("k", k)

    def _fit(self, rows: FloatArray, seed: int) -> None:
        if len(rows) <= self.k:
            raise InvalidParameter(
                f"k is {self.k}, but there are {len(rows)} rows, each with {len(rows) - 1} neighbours; give more or "
                "choose a smaller k."
            )
        self.search_ = Search(rows)
        distances, places = self.search_.nearest(rows, self.k, own=True)
        self.reach_, self.density_ = local_densities(distances, places, self.k)

    def _score(self, rows: FloatArray) -> FloatArray:
        distances, places = self.search_.nearest(rows, self.k)
        return outlier_factors(distances, places, self.reach_, self.density_, self.k)

    def parameters(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {"k": self.k}

    def _learned(self) -> dict[str, Array]:
        """Return the nominal points, how far each reaches and how densely it lies."""
        return {"points": self.search_.points, "reach": self.reach_, "density": self.density_}

    def _restore(self, learned: LearnedArrays) -> None:
        """Take them back."""
        self.search_ = Search(learned.points(self.k + 1))
        self.reach_ = learned.floats("reach", ("points",), low=0.0)
        self.density_ = learned.floats("density", ("points",), low=0.0)


def local_densities(distances: FloatArray, places: IntArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Return each point's distance to its k-th neighbour, and its density, from a search among the points."""
    reach = np.ascontiguousarray(distances[:, k - 1])
    return reach, _densities(distances, places, reach, k)


@compiled
def _densities(distances: FloatArray, places: IntArray, reach: FloatArray, k: int) -> FloatArray:
    density = np.empty(distances.shape[0])
    for i in range(distances.shape[0]):
        total = 0.0
        for j in range(k):
            total += max(distances[i, j], reach[places[i, j]])
        density[i] = 1.0 / (total / k + SMALL)
    return density


@compiled
def outlier_factors(
    distances: FloatArray, places: IntArray, reach: FloatArray, density: FloatArray, k: int
) -> FloatArray:
    """Return the scores of rows from a search for at least k nominal points, nearest first."""
    own = _densities(distances, places, reach, k)
    factor = np.empty(distances.shape[0])
    for i in range(distances.shape[0]):
        total = 0.0
        for j in range(k):
            total += density[places[i, j]] / own[i]
        factor[i] = total / k
    return factor
