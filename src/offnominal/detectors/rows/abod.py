"""Angle-based outlier detection (Kriegel et al., 2008): from outside, all neighbours are in one direction."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from offnominal.core.checks import integer_in
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.rows.neighbour_search import APART, NeighbourSearch, torch_nearest, torch_points
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor

FEWEST = 3
LARGEST = 1.7e308


class ABOD(RowDetector):
    """Negative variance of the weighted angles between pairs of neighbours (FastABOD).

    For vectors a and b from the row to two neighbours, the weighted angle is <a, b> / (|a|² |b|²). Among nominal rows
    these angles vary a lot; from far away all are small, so that scores rise towards zero. Nominal rows equal to the
    row have no direction; the next nearest ones are used instead.

    Args:
        n_neighbors: Number of neighbours, at least three.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 2))
        >>> near, far = ABOD().fit(rows).score(np.array([[0.0, 0.0], [9.0, 9.0]]))
        >>> bool(near < far <= 0.0)
        True
    """

    def __init__(self, n_neighbors: int = 10) -> None:
        self.n_neighbors = integer_in("n_neighbors", n_neighbors, FEWEST)

    def _fit(self, rows: FloatArray, seed: int) -> None:
        check_distinct(rows, self.n_neighbors)
        self.search_ = NeighbourSearch(rows)

    def _score(self, rows: FloatArray) -> FloatArray:
        _, places = self.search_.nearest(rows, self.n_neighbors, apart=True)
        (scores,) = angle_scores(self.search_.points, rows, places, np.array([self.n_neighbors]))
        return np.asarray(scores)

    def _torch_score(self, rows: Tensor) -> Tensor:
        _, places = torch_nearest(rows, self.search_.points, self.n_neighbors, apart=True)
        inverse = torch_points(self.search_.points)[places] - rows[:, None]
        inverse = inverse / inverse.square().sum(-1, keepdim=True)
        first, second = np.triu_indices(self.n_neighbors, 1)
        angles = (inverse[:, first] * inverse[:, second]).sum(-1)
        return -(angles - angles.mean(1, keepdim=True)).square().mean(1).clamp(max=LARGEST)

    def _score_row(self, row: FloatArray) -> FloatArray:
        _, places = self.search_.of_row.nearest(row, self.n_neighbors, apart=APART)
        (scores,) = angle_scores(self.search_.points, row, places, np.array([self.n_neighbors]))
        return np.asarray(scores)

    def _state_dict(self) -> dict[str, Array]:
        return {"points": self.search_.points}

    def _load_state_dict(self, state: StateArrays) -> None:
        points = state.points(self.n_neighbors + 1)
        check_distinct(points, self.n_neighbors)
        self.search_ = NeighbourSearch(points)


def check_distinct(points: FloatArray, n_neighbors: int) -> None:
    """Raise :class:`InvalidParameter` unless every row has k nominal rows that differ from it."""
    distinct = len(np.unique(points, axis=0))
    if distinct <= n_neighbors:
        raise InvalidParameter(
            f"n_neighbors is {n_neighbors}, but only {distinct} of the {len(points)} rows are distinct; ask for fewer."
        )


def angle_scores(points: FloatArray, rows: FloatArray, places: IntArray, ks: IntArray) -> FloatArray:
    """Return (len(ks), rows) scores from one search that leaves out points equal to the row; ks are ascending."""
    out = np.empty((len(ks), len(rows)))
    _angles(points, rows, places, ks, out)
    return out


@compiled
def _angles(points: FloatArray, rows: FloatArray, places: IntArray, ks: IntArray, out: FloatArray) -> None:
    """Add the pairs of one neighbour after the other; their moments are merged (Chan et al., 1979)."""
    width, most = rows.shape[1], ks[-1]
    inverse = np.empty((width, most))
    angle = np.empty(most)
    for i in range(rows.shape[0]):
        pairs, mean, spread = 0.0, 0.0, 0.0
        wanted = 0
        for j in range(most):
            if places[i, j] < 0:
                break
            _invert(points[places[i, j]], rows[i], inverse[:, j])
            if j:
                batch_mean, batch_spread = _batch(inverse, j, angle)
                both = pairs + j
                shift = batch_mean - mean
                spread += batch_spread + shift * shift * (pairs * j / both)
                mean += shift * (j / both)
                pairs = both
            if j + 1 == ks[wanted]:
                out[wanted, i] = -min(spread / max(pairs, 1.0), LARGEST)
                wanted += 1
        for number in range(wanted, len(ks)):
            out[number, i] = math.nan


@compiled
def _invert(point: FloatArray, row: FloatArray, out: FloatArray) -> None:
    """Fill the vector from the row to a point, over its squared length."""
    squared = 0.0
    for c in range(len(row)):
        out[c] = point[c] - row[c]
        squared += out[c] * out[c]
    for c in range(len(row)):
        out[c] /= squared


@compiled
def _batch(inverse: FloatArray, j: int, angle: FloatArray) -> tuple[float, float]:
    """Return the mean and the summed squared deviation of the angles of neighbour j with all nearer ones."""
    angle[:j] = 0.0
    for c in range(inverse.shape[0]):
        own = inverse[c, j]
        for other in range(j):
            angle[other] += own * inverse[c, other]
    mean = 0.0
    for other in range(j):
        mean += angle[other]
    mean /= j
    spread = 0.0
    for other in range(j):
        deviation = angle[other] - mean
        spread += deviation * deviation
    return mean, spread
