"""Compiled walk of a ray through a grid of blocks: it visits the cells on its way in order."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled_inline, compiled_internal
from offnominal.core.types import Array, FloatArray
from offnominal.sensing.block_models import OUTSIDE
from offnominal.sensing.block_parts import INFINITE


class Rays(NamedTuple):
    """The rays of a column of pixels.

    Args:
        direction: (3, height): directions; their length along the direction of view is 1.
        place: (3, height): where the ray hits an opaque cube, from the corner of the cube.
        t: (height,): the same as a position on the ray.
        cell: (height,): cell of that cube; -1 for none.
        axis: (height,): axis of the face that the ray hits.
        block: (height,): model of the nearest block; 0 for none.
        mixed: (height, 5): red, green, blue, share of the light from further away, and nearest hit.
    """

    direction: FloatArray
    place: FloatArray
    t: FloatArray
    cell: NDArray[np.int64]
    axis: NDArray[np.int64]
    block: NDArray[np.uint8]
    mixed: FloatArray


@compiled_internal
def make_rays(height: int) -> Rays:
    """Return empty arrays for a column of pixels."""
    return Rays(
        np.empty((3, height)),
        np.empty((3, height)),
        np.empty(height),
        np.empty(height, np.int64),
        np.empty(height, np.int64),
        np.empty(height, np.uint8),
        np.empty((height, 5)),
    )


@compiled_internal
def clear_rays(rays: Rays) -> None:
    """Remove the hits of the column before."""
    cell, block, mixed = rays.cell, rays.block, rays.mixed
    for row in range(cell.shape[0]):
        cell[row], block[row] = -1, 0
        mixed[row, 0], mixed[row, 1], mixed[row, 2] = 0.0, 0.0, 0.0
        mixed[row, 3], mixed[row, 4] = 1.0, INFINITE


@compiled_internal
def pad_grid(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the grid up to its highest block, with a border of cells outside."""
    nx, ny, nz = blocks.shape
    top = 0
    for x in range(nx):
        for y in range(top, ny):
            for z in range(nz):
                if blocks[x, y, z] != 0:
                    top = y + 1
    cells = np.full((nx + 2, top + 2, nz + 2), OUTSIDE, np.uint8)
    cells[1 : nx + 1, 1 : top + 1, 1 : nz + 1] = blocks[:, :top, :]
    return cells


@compiled_inline
def ray_direction(view: FloatArray, a: float, b: float) -> tuple[float, float, float]:
    """Return the direction of the ray to a point to the right and above the centre of the image, at distance 1."""
    return (
        view[9] + a * view[3] + b * view[6],
        view[10] + a * view[4] + b * view[7],
        view[11] + a * view[5] + b * view[8],
    )


@compiled_inline
def _crossing(e: float, d: float, i: float, n: int) -> tuple[float, float]:
    """Return where a ray enters and leaves the grid along one axis."""
    if d == 0.0:
        return (-INFINITE, INFINITE) if 0.0 <= e < n else (INFINITE, -INFINITE)
    return (-e * i, (n - e) * i) if d > 0.0 else ((n - e) * i, -e * i)


@compiled_inline
def _start_cell(e: float, d: float, t: float, n: int, entered: bool) -> int:
    """Return the cell along one axis, in the grid with its border, before the first cell that a ray visits."""
    if entered:
        return 0 if d > 0.0 else n + 1
    # Without a position in the grid, any cell will do.
    return min(n - 1, max(0, math.floor(e + t * d))) + 1 if t < INFINITE else 1


@compiled_inline
def enter_grid(
    ex: float, ey: float, ez: float, dx: float, dy: float, dz: float, ix: float, iy: float, iz: float,
    nx: int, ny: int, nz: int,
) -> tuple[float, int, int, int]:  # fmt: skip
    """Return where a ray from outside enters the grid, infinite if it misses the grid, and the cell before that."""
    in_x, out_x = _crossing(ex, dx, ix, nx)
    in_y, out_y = _crossing(ey, dy, iy, ny)
    in_z, out_z = _crossing(ez, dz, iz, nz)
    t = max(in_x, in_y, in_z)
    axis = 0 if t == in_x else 1 if t == in_y else 2
    if t >= min(out_x, out_y, out_z) or t < 0.0:
        t, axis = INFINITE, -1
    cx, cy = _start_cell(ex, dx, t, nx, axis == 0), _start_cell(ey, dy, t, ny, axis == 1)
    return t, cx, cy, _start_cell(ez, dz, t, nz, axis == 2)


@compiled_inline
def walk(
    cells: Array,
    across: int,
    line: int,
    ex: float,
    ey: float,
    ez: float,
    dx: float,
    dy: float,
    dz: float,
    ix: float,
    iy: float,
    iz: float,
    cell: int,
    bx: float,
    by: float,
    bz: float,
) -> tuple[int, float, float, float, float, int]:
    """Visit the cells of a ray up to the next that is not empty.

    Args:
        cells: Flat grid with a border.
        across: Distance in the flat grid to the next cell along x.
        line: The same along y.
        ex: Start of the ray along x.
        ey: Start along y.
        ez: Start along z.
        dx: Direction along x.
        dy: Direction along y.
        dz: Direction along z.
        ix: Reciprocal of the direction along x.
        iy: Reciprocal along y.
        iz: Reciprocal along z.
        cell: The cell before the first visited one.
        bx: Next boundary along x.
        by: Next boundary along y.
        bz: Next boundary along z.

    Returns:
        The cell, the next boundaries, where the ray enters the cell, and the axis of the face through which it enters.
    """
    step_x, step_y, step_z = 1.0 if dx >= 0.0 else -1.0, 1.0 if dy >= 0.0 else -1.0, 1.0 if dz >= 0.0 else -1.0
    jump_x, jump_y, jump_z = across if dx >= 0.0 else -across, line if dy >= 0.0 else -line, 1 if dz >= 0.0 else -1
    tx, ty, tz = (bx - ex) * ix, (by - ey) * iy, (bz - ez) * iz
    while True:
        if tx < ty and tx < tz:
            t, axis = tx, 0
            cell += jump_x
            bx += step_x
            tx = (bx - ex) * ix
        elif ty < tz:
            t, axis = ty, 1
            cell += jump_y
            by += step_y
            ty = (by - ey) * iy
        else:
            t, axis = tz, 2
            cell += jump_z
            bz += step_z
            tz = (bz - ez) * iz
        if cells[cell] != 0:
            return cell, bx, by, bz, t, axis
