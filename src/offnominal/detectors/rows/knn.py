"""k-nearest neighbours: distances to the nearest nominal rows (Harmeling et al., 2006)."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.spatial import cKDTree

from offnominal.core.checks import one_of, positive_integer
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.rows.block_search import BlockSearch
from offnominal.detectors.rows.neighbour_search import NeighbourSearch, torch_nearest, torch_points
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor

Distance = Literal["kappa", "gamma", "delta"]
DISTANCES: tuple[Distance, ...] = ("kappa", "gamma", "delta")
Algorithm = Literal["kd_tree", "brute"]
ALGORITHMS: tuple[Algorithm, ...] = ("kd_tree", "brute")


class KNN(RowDetector):
    """Euclidean distance to the k nearest nominal rows.

    The two search algorithms are exact. Their distances can differ in the last bit.

    Args:
        n_neighbors: Number of neighbours k.
        distance: ``"kappa"``: distance to the k-th neighbour; ``"gamma"``: mean of the k distances; ``"delta"``:
            distance to the mean of the k neighbours, which is large if all neighbours are on one side of the row.
        algorithm: ``"kd_tree"``: a k-d tree, fast for up to a dozen columns; ``"brute"``: compiled comparison with all
            nominal rows, faster for more columns. With ``"brute"``, of equally distant rows the first is taken,
            whatever k is.

    Example:
        >>> KNN().fit(np.zeros((5, 2))).score(np.array([[3.0, 4.0]]))
        array([5.])
        >>> rows = np.array([[0.0, 0.0], [2.0, 0.0], [9.0, 0.0]])
        >>> [KNN(2, distance=name).fit(rows).score(np.array([[1.0, 0.0]])).item() for name in DISTANCES]
        [1.0, 1.0, 0.0]
    """

    def __init__(self, n_neighbors: int = 1, *, distance: Distance = "kappa", algorithm: Algorithm = "kd_tree") -> None:
        self.n_neighbors = positive_integer("n_neighbors", n_neighbors)
        self.distance: Distance = one_of("distance", distance, DISTANCES)
        self.algorithm: Algorithm = one_of("algorithm", algorithm, ALGORITHMS)

    def _fit(self, rows: FloatArray, seed: int) -> None:
        if len(rows) < self.n_neighbors:
            raise InvalidParameter(
                f"n_neighbors is {self.n_neighbors}, but there are {len(rows)} rows; give more, or ask for fewer."
            )
        self._index(rows)

    def _index(self, points: FloatArray) -> None:
        """Prepare the search among nominal rows."""
        self.search_ = KDTreeSearch(points) if self.algorithm == "kd_tree" else NeighbourSearch(points)

    def _score(self, rows: FloatArray) -> FloatArray:
        if isinstance(self.search_, KDTreeSearch) and self.distance == "kappa":
            return self.search_.kth_distance(rows, self.n_neighbors)
        distances, places = self.search_.nearest(rows, self.n_neighbors)
        (scores,) = neighbour_scores(
            self.search_.points, rows, distances, places, np.array([self.n_neighbors]), self.distance
        )
        return np.asarray(scores)

    def _contributions(self, rows: FloatArray) -> FloatArray:
        distances, places = self.search_.nearest(rows, self.n_neighbors)
        neighbours = self.search_.points[places]
        if self.distance == "delta":
            neighbours, distances = neighbours.mean(axis=1, keepdims=True), self._score(rows)[:, None]
        elif self.distance == "kappa":
            neighbours, distances = neighbours[:, -1:], distances[:, -1:]
        squares, lengths = np.square(rows[:, None] - neighbours), distances[:, :, None]
        terms = np.divide(squares, lengths, out=np.zeros_like(squares), where=lengths > 0.0)
        return np.asarray(terms.mean(axis=1))

    def _torch_score(self, rows: Tensor) -> Tensor:
        distances, places = torch_nearest(rows, self.search_.points, self.n_neighbors)
        if self.distance == "kappa":
            return distances[:, -1]
        if self.distance == "gamma":
            return distances.mean(1)
        mean = torch_points(self.search_.points)[places].mean(1)
        return (rows - mean).square().sum(1).sqrt()

    def _score_row(self, row: FloatArray) -> FloatArray:
        distances, places = self.search_.of_row.nearest(row, self.n_neighbors)
        (scores,) = neighbour_scores(
            self.search_.points, row, distances, places, np.array([self.n_neighbors]), self.distance
        )
        return np.asarray(scores)

    def _state_dict(self) -> dict[str, Array]:
        return {"points": self.search_.points}

    def _load_state_dict(self, state: StateArrays) -> None:
        self._index(state.points(self.n_neighbors))


class KDTreeSearch:
    """Nearest neighbours by a k-d tree whose leaves are contiguous in memory.

    A row far from all points visits most leaves. Few large leaves, read in order, limit the cost of such a row.

    Args:
        points: (n, columns) nominal rows; :attr:`points` has them in the order of the leaves.
    """

    def __init__(self, points: Array) -> None:
        layout = {"leafsize": 128, "balanced_tree": False}
        order = cKDTree(points, **layout).indices
        self._tree = cKDTree(np.asarray(points)[order], **layout)
        self.points: FloatArray = np.asarray(self._tree.data)

    @cached_property
    def of_row(self) -> BlockSearch:
        """The search for one row at a time, which takes as long for rows far from all points."""
        return BlockSearch(self.points)

    def kth_distance(self, rows: FloatArray, k: int) -> FloatArray:
        """Return the distance of each row to its k-th nearest point."""
        distances, _ = self._tree.query(rows, k=[k])
        return np.asarray(distances[:, 0], np.float64)

    def nearest(self, rows: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
        """Return distances and indices of the k nearest points of each row, nearest first."""
        distances, places = self._tree.query(rows, k=np.arange(1, k + 1))
        return np.ascontiguousarray(distances, np.float64), np.ascontiguousarray(places, np.int64)


def neighbour_scores(
    points: FloatArray,
    rows: FloatArray,
    distances: FloatArray,
    places: IntArray,
    n_neighbors: IntArray,
    distance: Distance,
) -> FloatArray:
    """Return the scores for several numbers of neighbours from one search.

    Args:
        points: (n, columns) nominal rows.
        rows: (m, columns) rows to score.
        distances: (m, k) distances of their neighbours, nearest first.
        places: (m, k) indices of their neighbours.
        n_neighbors: Ascending numbers of neighbours; the last is at most k.
        distance: See :class:`KNN`.

    Returns:
        (len(n_neighbors), m) scores.
    """
    if distance == "kappa":
        return np.ascontiguousarray(distances[:, n_neighbors - 1].T)
    out = np.empty((len(n_neighbors), len(rows)))
    if distance == "gamma":
        _mean_distances(distances, n_neighbors, out)
    else:
        _distances_to_means(points, rows, places, n_neighbors, out)
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
                difference = rows[i, c] - total[c] / taken
                squared += difference * difference
            out[number, i] = math.sqrt(squared)
