"""Exact nearest neighbours of one row: points in blocks of neighbours, most of which a bound leaves out."""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial import cKDTree

from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray, IntArray
from offnominal.detectors.dense_layers import SinglePrecision
from offnominal.detectors.rows.nearest_heap import DOUBLE, LARGEST, SINGLE, SMALLEST, sink, squared_distance

BLOCK = 64


class BlockSearch:
    """Search like that of :class:`NeighbourSearch`, for one row at a time: the same distances in the same order.

    Points are sorted by a k-d tree and cut into blocks. The box of a block bounds the distances of its points. Of the
    remaining blocks, distances are first computed in single precision, all points of a block at the same time.

    Args:
        points: (n, d) points.

    Example:
        >>> search = BlockSearch(np.array([[0.0], [3.0], [1.0]]))
        >>> distances, places = search.nearest(np.array([[1.0]]), 2)
        >>> distances.tolist(), places.tolist()
        ([[0.0, 1.0]], [[2, 0]])
    """

    def __init__(self, points: FloatArray) -> None:
        n, width = points.shape
        order = np.asarray(cKDTree(points, leafsize=BLOCK, balanced_tree=False).indices, np.int64)
        blocks = -(-n // BLOCK)
        # The last block is filled with its last point, whose copies are ignored.
        self._order: IntArray = np.concatenate([order, np.full(blocks * BLOCK - n, -1)])
        filled = points[np.where(self._order < 0, order[-1], self._order)].reshape(blocks, BLOCK, width)
        self._points = points
        self._low: FloatArray = np.ascontiguousarray(filled.min(axis=1).T)
        self._high: FloatArray = np.ascontiguousarray(filled.max(axis=1).T)
        self._centre: FloatArray = points.mean(axis=0)
        shifted = filled - self._centre
        self._reach = float(np.sqrt(np.square(shifted).sum(axis=2).max()))
        self._extent = float(np.sqrt(np.square(points).sum(axis=1).max()))
        with np.errstate(over="ignore"):
            self._columns: SinglePrecision = np.ascontiguousarray(shifted.transpose(0, 2, 1), np.float32)

    def nearest(self, row: FloatArray, k: int, *, apart: float = -1.0) -> tuple[FloatArray, IntArray]:
        """Return the distances and indices of the k points nearest to a row, (1, k) each, nearest first.

        Args:
            row: (1, d) row.
            k: Number of neighbours.
            apart: Squared distance up to which points are left out.
        """
        squared, places = np.full((1, k), math.inf), np.full((1, k), -1, np.int64)
        _search(
            row[0],
            self._points,
            self._order,
            self._columns,
            self._low,
            self._high,
            self._centre,
            self._reach,
            self._extent,
            apart,
            squared[0],
            places[0],
        )
        return np.sqrt(squared), places


@compiled
def _search(
    row: FloatArray,
    points: FloatArray,
    order: IntArray,
    columns: SinglePrecision,
    low: FloatArray,
    high: FloatArray,
    centre: FloatArray,
    reach: float,
    extent: float,
    apart: float,
    squared: FloatArray,
    places: IntArray,
) -> None:
    """Fill squared distances and indices of the nearest points; both are max-heaps until they are sorted."""
    shifted = np.empty(len(row), np.float32)
    length, around = 0.0, 0.0
    for c in range(len(row)):
        offset = row[c] - centre[c]
        shifted[c] = offset
        around += offset * offset
        length += row[c] * row[c]
    around = math.sqrt(around) + reach
    # Bounds on the error of an approximate distance: of its end points, and of the sum of squares.
    ends, share = math.inf, 8.0 * (len(row) + 8) * SINGLE
    if around * around < LARGEST:
        ends = 2.0 * SINGLE * around + 8.0 * DOUBLE * (math.sqrt(length) + extent + around)
    bounds = _bounds(row, low, high)
    nearest = np.argmin(bounds)
    rough = np.empty(BLOCK, np.float32)
    limit = np.float32(math.inf)
    for turn in range(-1, len(bounds)):
        block = nearest if turn < 0 else turn
        if turn == nearest or bounds[block] > squared[0]:
            continue
        _approximate(shifted, columns[block], rough)
        for j in range(BLOCK):
            place = order[block * BLOCK + j]
            if place < 0 or rough[j] > limit:
                continue
            exact = squared_distance(points[place], row)
            closer = exact < squared[0] or (exact == squared[0] and place < places[0])
            if closer and exact > apart:
                sink(squared, places, len(squared), exact, place)
                far = math.sqrt(squared[0]) + ends
                limit = np.float32(far * far * (1.0 + share) + SMALLEST)
    for last in range(len(squared) - 1, 0, -1):
        value, where = squared[last], places[last]
        squared[last], places[last] = squared[0], places[0]
        sink(squared, places, last, value, where)


@compiled
def _bounds(row: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return a lower bound on the squared distance to each block. Rounding keeps order, so it holds exactly."""
    bounds = np.zeros(low.shape[1])
    for c in range(len(row)):
        x, below, above = row[c], low[c], high[c]
        for block in range(len(bounds)):
            outside = max(below[block] - x, x - above[block], 0.0)
            bounds[block] += outside * outside
    return bounds


@compiled
def _approximate(row: SinglePrecision, columns: SinglePrecision, out: SinglePrecision) -> None:
    """Fill the squared distances to the points of a block in single precision."""
    for j in range(BLOCK):
        out[j] = 0.0
    for c in range(len(row)):
        x, column = row[c], columns[c]
        for j in range(BLOCK):
            difference = x - column[j]
            out[j] += difference * difference
