"""The nearest points found so far, in a heap, and the distances between points; both are the same in every search."""

from __future__ import annotations

from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray, IntArray

SINGLE, DOUBLE = 2.0**-24, 2.0**-53
"""Relative rounding errors."""
SMALLEST, LARGEST = 1e-36, 1e36
"""Squares below are subnormal in single precision, and sums of squares above can overflow."""


@compiled
def squared_distance(point: FloatArray, row: FloatArray) -> float:
    """Return the squared distance of two points, summed in the order of the columns."""
    total = 0.0
    for c in range(len(row)):
        d = row[c] - point[c]
        total += d * d
    return total


@compiled
def sink(heap: FloatArray, place: IntArray, size: int, value: float, where: int) -> None:
    """Replace the top of a heap; of equal values the one with the larger index is on top."""
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
