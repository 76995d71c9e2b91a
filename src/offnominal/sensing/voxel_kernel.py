"""Compiled kernels of voxels.

Occupied voxels are marked in one bit each. The number of bits before a voxel is its row in the result, so the result is
in order without sorting, and memory depends on the size of the grid only by an eighth of a byte per voxel.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled, compiled_internal
from offnominal.core.types import FloatArray, IntArray, KeyArray

Points = NDArray[np.float32]
Rows = NDArray[np.int32]
ONE, LAST = np.uint64(1), np.uint64(63)
FIRST_STEP, SECOND_STEP, THIRD_STEP, SHIFT = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
ODD, PAIRS, NIBBLES = (np.uint64(x * 0x0101010101010101) for x in (0x55, 0x33, 0x0F))
BYTES = np.uint64(0x0101010101010101)


@compiled
def find_rows(
    points: Points, grid: FloatArray, shape: IntArray, place: float, rows: Rows, away: FloatArray
) -> tuple[IntArray, int]:
    """Find the occupied voxels of points (n, 3).

    Args:
        points: Points, m.
        grid: Lower corner, m, and voxels per metre.
        shape: Voxels along x, y and z.
        place: Reference point of a voxel from its lower corner, as a share of its side: 0.5 for the centre.
        rows: Output (n,): row of the voxel of each point among the occupied voxels; -1 outside the grid.
        away: Output (n,): squared distance of each point from the reference point of its voxel, in sides.

    Returns:
        Numbers of the occupied voxels in rising order, and the first point that is not finite, or -1.
    """
    scale, nx, ny, nz = grid[3], shape[0], shape[1], shape[2]
    bits = np.zeros((nx * ny * nz + 63) // 64, np.uint64)
    for i in range(len(points)):
        x, y, z = (points[i, 0] - grid[0]) * scale, (points[i, 1] - grid[1]) * scale, (points[i, 2] - grid[2]) * scale
        if not np.isfinite(x + y + z):
            return np.empty(0, np.int64), i
        rows[i] = -1
        if 0.0 <= x < nx and 0.0 <= y < ny and 0.0 <= z < nz:
            a, b, c = int(x), int(y), int(z)
            cell = a + nx * (b + ny * c)
            rows[i] = cell
            bits[cell >> 6] |= ONE << (np.uint64(cell) & LAST)
            x, y, z = x - a - place, y - b - place, z - c - place
            away[i] = x * x + y * y + z * z
    before = np.empty(len(bits), np.int32)
    total = 0
    for word in range(len(bits)):
        before[word] = total
        if bits[word] != 0:
            total += _ones(bits[word])
    index = np.empty(total, np.int64)
    for i in range(len(points)):
        cell = rows[i]
        if cell >= 0:
            below = (ONE << (np.uint64(cell) & LAST)) - ONE
            row = before[cell >> 6] + _ones(bits[cell >> 6] & below)
            rows[i] = row
            index[row] = cell
    return index, -1


@compiled_internal
def _ones(word: np.uint64) -> int:
    """Return the number of bits that are set."""
    word -= (word >> FIRST_STEP) & ODD
    word = (word & PAIRS) + ((word >> SECOND_STEP) & PAIRS)
    word = (word + (word >> THIRD_STEP)) & NIBBLES
    return int((word * BYTES) >> SHIFT)


@compiled
def nearest_points(
    rows: Rows, away: FloatArray, label: NDArray[np.uint8], instance: Rows, ranks: Rows, count: Rows
) -> IntArray:
    """Return the point that decides each voxel: the nearest to its reference point.

    Args:
        rows: Row of the voxel of each point; -1 outside the grid.
        away: Squared distance of each point from the reference point of its voxel.
        label: Label of each point.
        instance: Instance of each point; among points at equal distances and of equal ranks, the lowest wins.
        ranks: (256,): order of the labels; among points at equal distances, the lowest wins.
        count: Output: number of points in each voxel.
    """
    nearest = np.empty(len(count), np.int64)
    least = np.full(len(count), np.inf)
    count[:] = 0
    for i in range(len(rows)):
        row = rows[i]
        if row < 0:
            continue
        count[row] += 1
        if away[i] < least[row]:
            nearest[row], least[row] = i, away[i]
        elif away[i] == least[row]:
            best = nearest[row]
            rank, other = ranks[label[i]], ranks[label[best]]
            if rank < other or (rank == other and instance[i] < instance[best]):
                nearest[row] = i
    return nearest


@compiled
def add_label_sets(rows: Rows, label: NDArray[np.uint8], sets: KeyArray) -> None:
    """Set the bit of each label in the sets (voxels, 4) of the voxels of its points."""
    for i in range(len(rows)):
        if rows[i] >= 0:
            sets[rows[i], label[i] >> 6] |= ONE << (np.uint64(label[i]) & LAST)


@compiled
def reduce_scores(rows: Rows, scores: NDArray[np.float32], highest: bool, found: FloatArray, count: Rows) -> None:
    """Write the highest or the mean score of the points of each voxel, and their number."""
    count[:] = 0
    found[:] = -np.inf if highest else 0.0
    for i in range(len(rows)):
        row = rows[i]
        if row >= 0:
            count[row] += 1
            found[row] = max(found[row], scores[i]) if highest else found[row] + scores[i]
    if not highest:
        for row in range(len(found)):
            found[row] /= count[row]
