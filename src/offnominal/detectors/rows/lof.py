"""Local outlier factor (Breunig et al., 2000): density relative to that of the neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from offnominal.core.checks import positive_integer
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.rows.neighbour_search import NeighbourSearch, torch_nearest, torch_points
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor

SMALL = 1e-10


class LOF(RowDetector):
    """Ratio of the density of a row's neighbours to its own density: about one for nominal rows, more for anomalies.

    Scores are those of scikit-learn's `LocalOutlierFactor` with ``novelty=True``, unless several nominal rows are as
    far away as the k-th neighbour. Of these, the first in the order of the nominal rows are neighbours here; in
    scikit-learn it depends on the search algorithm, whose scores then differ from each other, too. Where many nominal
    rows are equal, their density is 1e10, and rows beside them have scores of that size.

    Args:
        n_neighbors: Number of neighbours.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 2))
        >>> near, far = LOF().fit(rows).score(np.array([[0.0, 0.0], [9.0, 9.0]]))
        >>> bool(near < 1.1 < 5.0 < far)
        True
    """

    def __init__(self, n_neighbors: int = 20) -> None:
        self.n_neighbors = positive_integer("n_neighbors", n_neighbors)

    def _fit(self, rows: FloatArray, seed: int) -> None:
        if len(rows) <= self.n_neighbors:
            raise InvalidParameter(
                f"n_neighbors is {self.n_neighbors}, but there are {len(rows)} rows, each with {len(rows) - 1} "
                "neighbours; give more, or ask for fewer."
            )
        self.search_ = NeighbourSearch(rows)
        distances, places = self.search_.nearest(rows, self.n_neighbors, own=True)
        self.reach_, self.density_ = local_densities(distances, places, self.n_neighbors)

    def _score(self, rows: FloatArray) -> FloatArray:
        distances, places = self.search_.nearest(rows, self.n_neighbors)
        return outlier_factors(distances, places, self.reach_, self.density_, self.n_neighbors)

    def _torch_score(self, rows: Tensor) -> Tensor:
        distances, places = torch_nearest(rows, self.search_.points, self.n_neighbors)
        reach, density = torch_points(self.reach_), torch_points(self.density_)
        own = 1.0 / (distances.maximum(reach[places]).mean(1) + SMALL)
        return (density[places] / own[:, None]).mean(1)

    def _score_row(self, row: FloatArray) -> FloatArray:
        distances, places = self.search_.of_row.nearest(row, self.n_neighbors)
        return outlier_factors(distances, places, self.reach_, self.density_, self.n_neighbors)

    def _state_dict(self) -> dict[str, Array]:
        return {"points": self.search_.points, "reach": self.reach_, "density": self.density_}

    def _load_state_dict(self, state: StateArrays) -> None:
        self.search_ = NeighbourSearch(state.points(self.n_neighbors + 1))
        self.reach_ = state.floats("reach", ("points",), low=0.0)
        self.density_ = state.floats("density", ("points",), low=0.0)


def local_densities(distances: FloatArray, places: IntArray, n_neighbors: int) -> tuple[FloatArray, FloatArray]:
    """Return the distance of each nominal row to its k-th neighbour, and its density."""
    reach = np.ascontiguousarray(distances[:, n_neighbors - 1])
    return reach, _densities(distances, places, reach, n_neighbors)


@compiled
def _densities(distances: FloatArray, places: IntArray, reach: FloatArray, n_neighbors: int) -> FloatArray:
    density = np.empty(distances.shape[0])
    for i in range(distances.shape[0]):
        total = 0.0
        for j in range(n_neighbors):
            total += max(distances[i, j], reach[places[i, j]])
        density[i] = 1.0 / (total / n_neighbors + SMALL)
    return density


@compiled
def outlier_factors(
    distances: FloatArray, places: IntArray, reach: FloatArray, density: FloatArray, n_neighbors: int
) -> FloatArray:
    """Return the scores of rows from their at least k nearest nominal rows, nearest first."""
    own = _densities(distances, places, reach, n_neighbors)
    factor = np.empty(distances.shape[0])
    for i in range(distances.shape[0]):
        total = 0.0
        for j in range(n_neighbors):
            total += density[places[i, j]] / own[i]
        factor[i] = total / n_neighbors
    return factor
