"""Angle-based outlier detection (Kriegel et al., 2008): from outside, all neighbours lie in one direction."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from offnominal.core.checks import integer_in
from offnominal.core.compiled import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.learned_arrays import LearnedArrays
from offnominal.detectors.points.point import PointDetector
from offnominal.detectors.points.search import Search

FEWEST = 3
LARGEST = 1.7e308


class ABOD(PointDetector):
    """Minus the variance of the weighted angles under which pairs of neighbours are seen; the fast version.

    For neighbours a and b, taken from the row as origin, the angle counts as <a, b> / (|a|² |b|²). Inside the nominal
    points these differ a lot; from far away all are small and alike, so that scores rise towards zero. Nominal points
    equal to the row have no direction and are passed over for the next nearest ones.

    Args:
        k: How many neighbours; three pairs at least are needed for a variance that means something.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 2))
        >>> near, far = ABOD().fit(rows).score(np.array([[0.0, 0.0], [9.0, 9.0]]))
        >>> bool(near < far <= 0.0)
        True
    """

    def __init__(self, k: int = 10) -> None:
        self.k = integer_in("k", k, FEWEST)

    def _fit(self, rows: FloatArray, seed: int) -> None:
        check_distinct(rows, self.k)
        self.search_ = Search(rows)

    def _score(self, rows: FloatArray) -> FloatArray:
        _, places = self.search_.nearest(rows, self.k, apart=True)
        (scores,) = angle_scores(self.search_.points, rows, places, np.array([self.k]))
        return np.asarray(scores)

    def parameters(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {"k": self.k}

    def _learned(self) -> dict[str, Array]:
        """Return the nominal points."""
        return {"points": self.search_.points}

    def _restore(self, learned: LearnedArrays) -> None:
        """Take the nominal points back."""
        points = learned.points(self.k + 1)
        check_distinct(points, self.k)
        self.search_ = Search(points)


def check_distinct(points: FloatArray, k: int) -> None:
    """Raise :class:`InvalidParameter` unless every row has k nominal points that differ from it."""
    distinct = len(np.unique(points, axis=0))
    if distinct <= k:
        raise InvalidParameter(
            f"k is {k}, but only {distinct} of the {len(points)} rows are distinct; give more or choose a smaller k."
        )


def angle_scores(points: FloatArray, rows: FloatArray, places: IntArray, ks: IntArray) -> FloatArray:
    """Return (len(ks), rows) scores from one search for points apart from the rows; the ks rise."""
    out = np.empty((len(ks), len(rows)))
    _angles(points, rows, places, ks, out)
    return out


@compiled
def _angles(points: FloatArray, rows: FloatArray, places: IntArray, ks: IntArray, out: FloatArray) -> None:
    """Add neighbour after neighbour with all its pairs; the moments of each batch are merged (Chan et al., 1979)."""
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
                gap = batch_mean - mean
                spread += batch_spread + gap * gap * (pairs * j / both)
                mean += gap * (j / both)
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
        apart = angle[other] - mean
        spread += apart * apart
    return mean, spread
