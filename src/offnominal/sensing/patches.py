"""Grids that find the triangle of flat patches at a point."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import Array, FloatArray, IntArray

MOST_CELLS = 512


def patch_grid(vertices: FloatArray, faces: IntArray) -> tuple[Array, Array, Array, Array]:
    """Return the grid over triangles in a plane.

    Args:
        vertices: (v, 2): corners.
        faces: (f, 3): corners of each triangle.

    Returns:
        header (6,): low corner, cells per metre along x and y, and number of cells along both; starts (cells + 1,) of
        the lists of the cells; members, the concatenated lists; and triangles (f, 6): a corner and the matrix that
        gives the coordinates of a point along the two sides from it.
    """
    corners = vertices[faces]
    first, u, v = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    kept = area != 0.0
    first, u, v, area, corners = first[kept], u[kept], v[kept], area[kept], corners[kept]
    inverse = np.stack([v[:, 1], -v[:, 0], -u[:, 1], u[:, 0]], axis=1) / area[:, None]
    low, high = vertices.min(axis=0) - 1e-3, vertices.max(axis=0) + 1e-3
    cells = int(min(MOST_CELLS, max(64.0, 8.0 * math.sqrt(len(corners)))))
    header = np.array((*low, *(cells / (high - low)), cells, cells), np.float32)
    scaled = (corners - low) * (cells / (high - low))
    starts, members = _fill_grid(scaled, cells)
    return header, starts, members, np.hstack([first, inverse]).astype(np.float32)


@compiled
def _fill_grid(corners: FloatArray, cells: int) -> tuple[Array, Array]:
    """Return the lists of triangles that overlap each cell; corners (f, 3, 2) are in units of cells."""
    counts = np.zeros(cells * cells + 1, np.int32)
    members = np.empty(0, np.int32)
    for counting in (True, False):
        for f in range(corners.shape[0]):
            left, right = _span(corners[f, :, 0], cells)
            bottom, top = _span(corners[f, :, 1], cells)
            for y in range(bottom, top + 1):
                for x in range(left, right + 1):
                    if not _overlaps(corners[f], x, y):
                        continue
                    cell = y * cells + x
                    if counting:
                        counts[cell + 1] += 1
                    else:
                        members[counts[cell]] = f
                        counts[cell] += 1
        if counting:
            for c in range(cells * cells):
                counts[c + 1] += counts[c]
            members = np.empty(counts[cells * cells], np.int32)
    starts = np.zeros(cells * cells + 1, np.int32)
    starts[1:] = counts[:-1]
    return starts, members


@compiled
def _span(values: Array, cells: int) -> tuple[int, int]:
    """Return the first and last cell that a triangle can overlap along one axis."""
    low, high = values.min(), values.max()
    return max(0, int(low - 0.01)), min(cells - 1, int(high + 0.01))


@compiled
def _overlaps(triangle: Array, x: int, y: int) -> bool:
    """Return whether no side of the triangle separates it from a cell."""
    for k in range(3):
        ax, ay = triangle[k]
        bx, by = triangle[(k + 1) % 3]
        cx, cy = triangle[(k + 2) % 3]
        nx, ny = by - ay, ax - bx
        inside = nx * (cx - ax) + ny * (cy - ay)
        if inside < 0.0:
            nx, ny = -nx, -ny
        far = nx * ((x + (1.01 if nx > 0.0 else -0.01)) - ax) + ny * ((y + (1.01 if ny > 0.0 else -0.01)) - ay)
        if far < 0.0:
            return False
    return True
