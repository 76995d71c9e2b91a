"""Exact nearest neighbours by comparison with all points; ties do not depend on k.

A k-d tree visits most leaves beyond a dozen columns, and which of several equally distant points it returns depends on
k. Here the k nearest are always the first k of the k + 1 nearest, so that one search serves every smaller k. Distances
are first bounded in single precision, by one matrix product for many rows. Only points that can be among the nearest
are compared in double precision.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.rows.block_search import BlockSearch
from offnominal.detectors.rows.nearest_heap import DOUBLE, LARGEST, SINGLE, SMALLEST, sink, squared_distance

if TYPE_CHECKING:
    from torch import Tensor

BLOCK = 64
ROOM = 1 << 20
"""Approximate distances in memory at the same time."""
APART = 1e-150
"""Squared distance up to which two points are equal: the inverse of its square is still finite."""


class NeighbourSearch:
    """Search among points.

    Args:
        points: (n, d) points; they are copied.

    Example:
        >>> search = NeighbourSearch(np.array([[0.0], [3.0], [1.0]]))
        >>> distances, places = search.nearest(np.array([[1.0]]), 2)
        >>> distances.tolist(), places.tolist()
        ([[0.0, 1.0]], [[2, 0]])
    """

    def __init__(self, points: Array) -> None:
        self.points: FloatArray = np.array(points, np.float64, order="C")
        with np.errstate(over="ignore", invalid="ignore"):
            self._centre = self.points.mean(axis=0)
            shifted, self._reach = self._shifted(self.points)
            self._turned = np.ascontiguousarray(-2.0 * shifted.T)
            self._squares = np.square(shifted).sum(axis=1)
        self._extent = _longest(self.points) + _longest(self._centre[None])

    @cached_property
    def of_row(self) -> BlockSearch:
        """The search for one row at a time."""
        return BlockSearch(self.points)

    def _shifted(self, rows: FloatArray) -> tuple[Array, float]:
        """Return rows relative to the centre of the points in single precision, and their largest length."""
        shifted = rows - self._centre
        return shifted.astype(np.float32), _longest(shifted)

    def nearest(
        self, rows: FloatArray, k: int, *, own: bool = False, apart: bool = False
    ) -> tuple[FloatArray, IntArray]:
        """Return the distances and indices of the k points nearest to each row, nearest first.

        Of points at the same distance the first comes first. If there are fewer than k points, the remaining distances
        are infinite and the indices are -1.

        Args:
            rows: (m, d) rows.
            k: Number of neighbours.
            own: Whether row i is point i, which is not a neighbour of itself.
            apart: Whether to leave out points that equal the row.
        """
        squared = np.full((len(rows), k), math.inf)
        places = np.full((len(rows), k), -1, np.int64)
        least = APART if apart else -1.0
        size = max(ROOM // max(len(self.points), 1), 1)
        for first in range(0, len(rows), size):
            part = slice(first, first + size)
            with np.errstate(over="ignore", invalid="ignore"):
                shifted, reach = self._shifted(rows[part])
                rough = shifted @ self._turned
                length = np.square(shifted).sum(axis=1, dtype=np.float64)
            errors = self._errors(rows[part], reach)
            _search(
                self.points,
                rough,
                self._squares,
                length,
                errors,
                rows[part],
                first if own else -1,
                least,
                squared[part],
                places[part],
            )
        return np.sqrt(squared), places

    def _errors(self, rows: FloatArray, reach: float) -> tuple[float, float]:
        """Return bounds on the error of an approximate distance: of its end points, and of its square."""
        around = reach + self._reach
        if not around * around < LARGEST:
            return math.inf, math.inf
        ends = 2.0 * SINGLE * around + 8.0 * DOUBLE * (_longest(rows) + self._extent)
        return ends, 8.0 * (rows.shape[1] + 8) * SINGLE * around * around + SMALLEST


def _longest(rows: FloatArray) -> float:
    """Return an upper bound on the length of the rows."""
    with np.errstate(over="ignore", invalid="ignore"):
        longest = float(np.sqrt(np.square(rows).sum(axis=1).max(initial=0.0)))
    return longest if math.isfinite(longest) else math.inf


def torch_points(points: FloatArray) -> Tensor:
    """Return points as a tensor."""
    import torch

    # A copy: arrays of a saved detector may be read-only, which torch does not have.
    return torch.from_numpy(np.array(points, order="C"))


def torch_nearest(rows: Tensor, points: FloatArray, k: int, *, apart: bool = False) -> tuple[Tensor, Tensor]:
    """Return the same as :meth:`NeighbourSearch.nearest` by torch operators."""
    squared = (rows[:, None] - torch_points(points)).square().sum(-1)
    if apart:
        squared = squared.where(squared > APART, math.inf)
    nearest, places = squared.topk(k, dim=1, largest=False)
    return nearest.sqrt(), places


@compiled
def _search(
    points: FloatArray,
    rough: Array,
    squares: Array,
    lengths: FloatArray,
    errors: tuple[float, float],
    rows: FloatArray,
    own: int,
    least: float,
    squared: FloatArray,
    places: IntArray,
) -> None:
    """Fill squared distances and indices of the nearest points; both are max-heaps until they are sorted."""
    n, k = points.shape[0], squared.shape[1]
    for i in range(rows.shape[0]):
        heap, place, near = squared[i], places[i], rough[i]
        limit = np.float32(math.inf)
        for start in range(0, n, BLOCK):
            end = min(start + BLOCK, n)
            if not _any_below(near, squares, limit, start, end):
                continue
            for j in range(start, end):
                if near[j] + squares[j] <= limit or limit == math.inf:
                    exact = squared_distance(points[j], rows[i])
                    if exact < heap[0] and exact > least and not (own >= 0 and j == own + i):
                        sink(heap, place, k, exact, j)
                        limit = _limit(heap[0], errors, lengths[i])
        for last in range(k - 1, 0, -1):
            value, where = heap[last], place[last]
            heap[last], place[last] = heap[0], place[0]
            sink(heap, place, last, value, where)


@compiled
def _any_below(near: Array, squares: Array, limit: np.float32, start: int, end: int) -> bool:
    """Return whether any point of a block can be near; counting needs no branches."""
    if limit == math.inf:
        return True
    found = 0
    for j in range(start, end):
        found += near[j] + squares[j] <= limit
    return found > 0


@compiled
def _limit(squared: float, errors: tuple[float, float], length: float) -> np.float32:
    """Return an upper bound on the approximate square of smaller distances, less the square of the row."""
    if errors[0] == math.inf:
        return np.float32(math.inf)
    far = math.sqrt(squared) + errors[0]
    limit = far * far + errors[1] - length
    return np.float32(limit + 4.0 * SINGLE * abs(limit))
