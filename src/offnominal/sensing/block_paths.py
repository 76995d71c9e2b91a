"""Compiled paths of rays: without pitch, the rays of a column of pixels cross the same columns of cells.

The paths are found once per column of pixels. A ray then visits only the columns of cells that have blocks at heights
which the ray can reach, and the ground.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled_inline, compiled_internal
from offnominal.core.types import Array, FloatArray
from offnominal.sensing.block_parts import reciprocal

ALONG_X, ALONG_Y, ALONG_Z = 0, 1, 2


class Path(NamedTuple):
    """Path of the rays of a column of pixels, from one column of cells to the next.

    Args:
        t: (n,): where a ray enters each column of cells. The first is that of the camera; the last is outside.
        axis: (n,): axis of the face through which it enters.
        cell: (n,): lowest cell of the column of cells, in the flat grid with its border.
        bx: (n,): next boundary along x.
        bz: (n,): next boundary along z.
        stop: (2, n): the next place on the path, from each place on, with blocks between the ground and the camera;
            and the same for blocks as high as the camera or higher.
        slope: (2, height): directions along y of the rays, and their reciprocals.
    """

    t: FloatArray
    axis: NDArray[np.int64]
    cell: NDArray[np.int64]
    bx: FloatArray
    bz: FloatArray
    stop: NDArray[np.int64]
    slope: FloatArray


@compiled_internal
def make_path(grid: NDArray[np.uint8], view: FloatArray, height: int) -> Path:
    """Return arrays for a path, long enough for every ray, with the slopes of the rays."""
    n, slope = grid.shape[0] + grid.shape[2], np.empty((2, height))
    for row in range(height):
        slope[0, row] = (1.0 - (2.0 * row + 1.0) / height) * view[13] * view[7]
        slope[1, row] = reciprocal(slope[0, row])
    return Path(
        np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n), np.empty(n), np.empty((2, n), np.int64),
        slope,
    )  # fmt: skip


@compiled_internal
def is_level(grid: NDArray[np.uint8], view: FloatArray) -> bool:
    """Return whether the camera is in the grid and has no pitch."""
    inside = True
    for axis in range(3):
        inside &= 0.0 <= view[axis] < grid.shape[axis] - 2
    return inside and view[4] == 0.0 and view[6] == 0.0 and view[8] == 0.0 and view[10] == 0.0


@compiled_internal
def ground_below(grid: NDArray[np.uint8], view: FloatArray) -> int:
    """Return the height of the highest block under a camera in the grid; 0 without one."""
    x, z = int(view[0]) + 1, int(view[2]) + 1
    for y in range(int(view[1]), 0, -1):
        if grid[x, y, z] != 0:
            return y
    return 0


@compiled_internal
def find_obstacles(grid: NDArray[np.uint8], view: FloatArray, ground: int) -> NDArray[np.bool_]:
    """Return which columns of cells have blocks that a ray can meet, (x, z, 2), with the border.

    A falling ray can meet blocks between the ground and the camera, a rising ray those as high as the camera or higher.

    Args:
        grid: Grid with a border.
        view: Camera and light.
        ground: Height of the ground; see :func:`ground_below`.
    """
    nx, ny, nz = grid.shape
    level = min(ny - 2, max(0, int(view[1]))) + 1
    found = np.ones((nx, nz, 2), np.bool_)
    for x in range(1, nx - 1):
        found[x, 1 : nz - 1] = False
        for y in range(ground + 1, ny - 1):
            for z in range(1, nz - 1):
                if grid[x, y, z] != 0:
                    found[x, z, 0] |= y <= level
                    found[x, z, 1] |= y >= level
    return found


@compiled_internal
def find_path(obstacles: NDArray[np.bool_], ny: int, view: FloatArray, a: float, path: Path) -> None:
    """Write the path of a column of pixels.

    Args:
        obstacles: See :func:`find_obstacles`.
        ny: Height of the grid with its border.
        view: Camera and light.
        a: Position of the column of pixels to the right of the centre, at distance 1.
        path: Output.
    """
    ts, axes, cells, bxs, bzs, stops, _ = path
    nx, nz = obstacles.shape[0], obstacles.shape[1]
    ex, ez, dx, dz = view[0], view[2], view[9] + a * view[3], view[11] + a * view[5]
    ix, iz = reciprocal(dx), reciprocal(dz)
    east, south = int(dx >= 0.0), int(dz >= 0.0)
    x, z, t, axis, last = int(ex) + 1, int(ez) + 1, 0.0, ALONG_X, 0
    while True:
        bx, bz = float(x - 1 + east), float(z - 1 + south)
        ts[last], axes[last], cells[last] = t, axis, x * ny * nz + z
        bxs[last], bzs[last] = bx, bz
        stops[0, last], stops[1, last] = obstacles[x, z, 0], obstacles[x, z, 1]
        if x in (0, nx - 1) or z in (0, nz - 1):
            break
        tx, tz = (bx - ex) * ix, (bz - ez) * iz
        if tx < tz:
            t, axis, x = tx, ALONG_X, x + 2 * east - 1
        else:
            t, axis, z = tz, ALONG_Z, z + 2 * south - 1
        last += 1
    for up in range(2):
        stop = last
        for k in range(last, -1, -1):
            stop = k if stops[up, k] else stop
            stops[up, k] = stop


@compiled_inline
def follow_path(
    cells: Array, ts: Array, axes: Array, bases: Array, stops: Array, line: int, ey: float, dy: float, iy: float,
    end: int, near: int, k: int, y: int,
) -> tuple[int, int, float, int]:  # fmt: skip
    """Visit the cells of a ray of a level camera up to the next that is not empty.

    Of the boundaries that a ray meets at the same position, that along z comes first, then that along y.

    Args:
        cells: Flat grid with a border.
        ts: Where the rays enter the columns of cells, and so on; see :class:`Path`.
        axes: Axes of the faces.
        bases: Lowest cells of the columns.
        stops: The next places with blocks.
        line: Distance in the flat grid to the next cell along y.
        ey: Height of the camera.
        dy: Direction along y.
        iy: Its reciprocal.
        end: Height up to which a column of cells without obstacles is empty: the ground or the top of the grid.
        near: A place near that where a falling ray meets the ground.
        k: Place on the path.
        y: Height of the cell, from 1 in the grid with its border.

    Returns:
        Place, height, position on the ray, and axis of the face through which it enters the cell.
    """
    up = int(dy >= 0.0)
    while True:
        stop = stops[up, k]
        if stop > k and (y <= end) == (up == 1):
            limit, t, axis = (float(end) - ey) * iy, ts[stop], axes[stop]
            if limit < t or (limit == t and axis == ALONG_X):
                t, axis, y = limit, ALONG_Y, end + up
                k = k if up else _place(ts, axes, t, min(max(k, near), stop - 1))
            else:
                k, y = stop, _height(ey, dy, iy, t, up, y, axis == ALONG_X)
        else:
            t, ty, axis = ts[k + 1], (float(y - 1 + up) - ey) * iy, axes[k + 1]
            if ty < t or (ty == t and axis == ALONG_X):
                t, axis, y = ty, ALONG_Y, y + 2 * up - 1
            else:
                k += 1
        if cells[bases[k] + y * line] != 0:
            return k, y, t, axis


@compiled_inline
def _place(ts: Array, axes: Array, t: float, k: int) -> int:
    """Return the place on a path where a ray crosses a boundary along y, near another place."""
    while ts[k + 1] < t or (ts[k + 1] == t and axes[k + 1] == ALONG_Z):
        k += 1
    while ts[k] > t or (ts[k] == t and axes[k] == ALONG_X and k > 0):
        k -= 1
    return k


@compiled_inline
def _height(ey: float, dy: float, iy: float, t: float, up: int, y: int, at: bool) -> int:
    """Return the height of the cell at a position of a ray, beyond the boundary there if `at` is set."""
    step = 2 * up - 1
    # The estimate is never too far.
    guess = int(ey + t * dy - 1e-9 * step) + 1
    y = max(y, guess) if up else min(y, guess)
    while (float(y - 1 + up) - ey) * iy < t or (at and (float(y - 1 + up) - ey) * iy == t):
        y += step
    return y
