"""Nearest points by comparing with all of them: exact, and ties fall the same way whatever k is.

A k-d tree visits most leaves beyond a dozen columns, and which of several equally distant points it returns depends on
k. Here the k nearest are always the first k of the k + 1 nearest, so that one search answers for every smaller k.
Distances are first bounded in single precision; only points that may be among the nearest are looked at in double.
"""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compiled import compiled
from offnominal.core.types import Array, FloatArray, IntArray

BLOCK = 512
APART = 1e-150
"""Squared distance up to which two points count as the same: the inverse of its square is still a number."""
ROUNDING = 2.0**-24
"""Of single precision, relative."""
SMALLEST, LARGEST = 1e-40, 1e18
"""Below and above, squares are not normal numbers in single precision."""


class Search:
    """Points to search among.

    Args:
        points: (n, d), copied.

    Example:
        >>> search = Search(np.array([[0.0], [3.0], [1.0]]))
        >>> distances, places = search.nearest(np.array([[1.0]]), 2)
        >>> distances.tolist(), places.tolist()
        ([[0.0, 1.0]], [[2, 0]])
    """

    def __init__(self, points: Array) -> None:
        self.points: FloatArray = np.array(points, np.float64, order="C")
        with np.errstate(over="ignore"):
            self._columns = np.ascontiguousarray(self.points.T, np.float32)
        self._extent = np.abs(self.points).max(axis=0)

    def nearest(
        self, rows: FloatArray, k: int, *, own: bool = False, apart: bool = False
    ) -> tuple[FloatArray, IntArray]:
        """Return the distances and the places of the k points nearest to each row, nearest first.

        Of points at the same distance the first comes first. Where there are fewer than k, the rest is infinitely far
        and its place is -1.

        Args:
            rows: (m, d) to search for.
            k: How many.
            own: Row i is point i, which is no neighbour of itself.
            apart: Leave out points that equal the row.
        """
        squared = np.full((len(rows), k), math.inf)
        places = np.full((len(rows), k), -1, np.int64)
        _search(self.points, self._columns, self._extent, rows, own, APART if apart else -1.0, squared, places)
        return np.sqrt(squared), places


@compiled
def _search(
    points: FloatArray,
    columns: Array,
    extent: FloatArray,
    rows: FloatArray,
    own: bool,
    least: float,
    squared: FloatArray,
    places: IntArray,
) -> None:
    """Fill squared distances and places of the nearest; both are heaps, the farthest on top, until they are sorted."""
    n, k = points.shape[0], squared.shape[1]
    rough = np.empty(BLOCK, np.float32)
    for i in range(rows.shape[0]):
        heap, place = squared[i], places[i]
        error = _error(rows[i], extent)
        bound = math.inf
        for start in range(0, n, BLOCK):
            size = min(BLOCK, n - start)
            _roughly(columns, rows[i], start, rough[:size])
            for j in range(size):
                if rough[j] <= bound or bound == math.inf:
                    exact = _squared(points[start + j], rows[i])
                    if exact < heap[0] and exact > least and not (own and start + j == i):
                        _sink(heap, place, k, exact, start + j)
                        bound = _bound(heap[0], error, rows.shape[1])
        for end in range(k - 1, 0, -1):
            value, where = heap[end], place[end]
            heap[end], place[end] = heap[0], place[0]
            _sink(heap, place, end, value, where)


@compiled
def _error(row: FloatArray, extent: FloatArray) -> float:
    """Return how much a distance may change when both ends are rounded to single precision."""
    total = 0.0
    for c in range(len(row)):
        size = abs(row[c]) + extent[c]
        if size > LARGEST:
            return math.inf
        total += size * size
    return 2.0 * ROUNDING * math.sqrt(total)


@compiled
def _bound(squared: float, error: float, width: int) -> float:
    """Return what a squared distance below the given one is at most, computed in single precision."""
    far = math.sqrt(squared) + error
    bound = far * far * (1.0 + 2.0 * (width + 5) * ROUNDING) + SMALLEST
    return bound if bound < LARGEST * LARGEST else math.inf


@compiled
def _squared(point: FloatArray, row: FloatArray) -> float:
    total = 0.0
    for c in range(len(row)):
        d = row[c] - point[c]
        total += d * d
    return total


@compiled
def _roughly(columns: Array, row: FloatArray, start: int, rough: Array) -> None:
    """Fill the squared distances to a block of points in single precision, four columns at a time."""
    width, end = columns.shape[0], start + len(rough)
    rough[:] = np.float32(0.0)
    whole = width - width % 4
    for c in range(0, whole, 4):
        x0, x1, x2, x3 = np.float32(row[c]), np.float32(row[c + 1]), np.float32(row[c + 2]), np.float32(row[c + 3])
        p0, p1 = columns[c][start:end], columns[c + 1][start:end]
        p2, p3 = columns[c + 2][start:end], columns[c + 3][start:end]
        for j in range(len(rough)):
            d0, d1, d2, d3 = x0 - p0[j], x1 - p1[j], x2 - p2[j], x3 - p3[j]
            rough[j] = (((rough[j] + d0 * d0) + d1 * d1) + d2 * d2) + d3 * d3
    for c in range(whole, width):
        x, p = np.float32(row[c]), columns[c][start:end]
        for j in range(len(rough)):
            d = x - p[j]
            rough[j] += d * d


@compiled
def _sink(heap: FloatArray, place: IntArray, size: int, value: float, where: int) -> None:
    """Replace the top of a heap; of equal values the one with the later place is on top."""
    hole = 0
    while True:
        child = 2 * hole + 1
        if child >= size:
            break
        other = child + 1
        if other < size and (heap[other] > heap[child] or (heap[other] == heap[child] and place[other] > place[child])):
            child = other
        if heap[child] < value or (heap[child] == value and place[child] < where):
            break
        heap[hole], place[hole] = heap[child], place[child]
        hole = child
    heap[hole], place[hole] = value, where
