"""Three distances to the k nearest nominal points (Harmeling et al., 2006)."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from offnominal.core.checks import one_of, positive_integer
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.rows.neighbour_search import NeighbourSearch
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays

NeighbourScore = Literal["kappa", "gamma", "delta"]
SCORES: tuple[NeighbourScore, ...] = ("kappa", "gamma", "delta")


class Neighbours(RowDetector):
    """How far the k nearest nominal points are.

    ``kappa`` is the distance to the k-th, ``gamma`` the mean of the k distances, ``delta`` the distance to the mean of
    the k points: large where a row has all its neighbours on one side, as at the border of the nominal points.

    Args:
        n_neighbors: How many neighbours.
        distance: Which of the three.

    Example:
        >>> rows = np.array([[0.0, 0.0], [2.0, 0.0], [9.0, 0.0]])
        >>> [Neighbours(2, distance=each).fit(rows).score(np.array([[1.0, 0.0]])).item() for each in SCORES]
        [1.0, 1.0, 0.0]
    """

    def __init__(self, n_neighbors: int = 5, *, distance: NeighbourScore = "kappa") -> None:
        self.n_neighbors = positive_integer("n_neighbors", n_neighbors)
        self.distance: NeighbourScore = one_of("distance", distance, SCORES)

    def _fit(self, rows: FloatArray, seed: int) -> None:
        if len(rows) < self.n_neighbors:
            raise InvalidParameter(
                f"n_neighbors is {self.n_neighbors}, but there are {len(rows)} rows; give more, or ask for fewer."
            )
        self.search_ = NeighbourSearch(rows)

    def _score(self, rows: FloatArray) -> FloatArray:
        distances, places = self.search_.nearest(rows, self.n_neighbors)
        (scores,) = neighbour_scores(
            self.search_.points, rows, distances, places, np.array([self.n_neighbors]), self.distance
        )
        return np.asarray(scores)

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {"n_neighbors": self.n_neighbors, "distance": self.distance}

    def _state_dict(self) -> dict[str, Array]:
        """Return the nominal points."""
        return {"points": self.search_.points}

    def _load_state_dict(self, state: StateArrays) -> None:
        """Take the nominal points back."""
        self.search_ = NeighbourSearch(state.points(self.n_neighbors))


def neighbour_scores(
    points: FloatArray,
    rows: FloatArray,
    distances: FloatArray,
    places: IntArray,
    ks: IntArray,
    distance: NeighbourScore,
) -> FloatArray:
    """Return (len(ks), rows) scores from one search; the ks rise, and the last is at most what was searched for."""
    if distance == "kappa":
        return np.ascontiguousarray(distances[:, ks - 1].T)
    out = np.empty((len(ks), len(rows)))
    if distance == "gamma":
        _mean_distances(distances, ks, out)
    else:
        _distances_to_means(points, rows, places, ks, out)
    return out


@compiled
def _mean_distances(distances: FloatArray, ks: IntArray, out: FloatArray) -> None:
    for i in range(distances.shape[0]):
        total, taken = 0.0, 0
        for number in range(len(ks)):
            for j in range(taken, ks[number]):
                total += distances[i, j]
            taken = ks[number]
            out[number, i] = total / taken


@compiled
def _distances_to_means(points: FloatArray, rows: FloatArray, places: IntArray, ks: IntArray, out: FloatArray) -> None:
    total = np.empty(points.shape[1])
    for i in range(rows.shape[0]):
        total[:] = 0.0
        taken = 0
        for number in range(len(ks)):
            for j in range(taken, ks[number]):
                for c in range(len(total)):
                    total[c] += points[places[i, j], c]
            taken = ks[number]
            squared = 0.0
            for c in range(len(total)):
                split_validation = rows[i, c] - total[c] / taken
                squared += split_validation * split_validation
            out[number, i] = math.sqrt(squared)
