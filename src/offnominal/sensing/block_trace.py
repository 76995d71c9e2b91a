"""Compiled search for the blocks that the rays of a column of pixels meet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled_internal
from offnominal.core.types import FloatArray
from offnominal.sensing.block_entities import EntityHits
from offnominal.sensing.block_models import CUBE, HOLED, NOTHING, OUTSIDE, PARTS, PackedModels
from offnominal.sensing.block_parts import INFINITE, add_parts, face_opacity, reciprocal
from offnominal.sensing.block_paths import ALONG_Y, Path, follow_path
from offnominal.sensing.block_walk import Rays, enter_grid, ray_direction, walk

OPAQUE = 255


@compiled_internal
def trace_rays(
    grid: NDArray[np.uint8],
    path: Path,
    level: bool,
    ground: int,
    models: PackedModels,
    view: FloatArray,
    seen: EntityHits,
    rays: Rays,
    a: float,
) -> None:
    """Follow the rays of a column to their first opaque cubes, and mix the colours of other blocks on their way.

    Args:
        grid: Grid with a border.
        path: Path of the column of a level camera.
        level: Whether the camera is level; see :func:`is_level`.
        ground: Height of the ground under a level camera.
        models: Models of the blocks.
        view: Camera and light.
        seen: Entities of the column.
        rays: The rays; changed in place.
        a: Position of the column to the right of the centre, at distance 1.
    """
    # Arrays are read before the loop: reading them from a tuple counts references.
    kind, first, box, form, face, texels = models
    ts, axes, bases, bxs, bzs, stops, slopes = path
    direction, place, out_t, out_cell, out_axis, out_block, mixed = rays
    limits, cells, height = seen.t, grid.ravel(), out_t.shape[0]
    nx, ny, nz = grid.shape[0] - 2, grid.shape[1] - 2, grid.shape[2] - 2
    line, across = grid.shape[2], grid.shape[2] * grid.shape[1]
    ex, ey, ez, near = view[0], view[1], view[2], 0
    inside = 0.0 <= ex < nx and 0.0 <= ey < ny and 0.0 <= ez < nz
    cx, cy, cz, (dx, dy, dz) = int(ex) + 1, int(ey) + 1, int(ez) + 1, ray_direction(view, a, 0.0)
    # A cube shows its outside only, so the camera's own cell is visited for other models alone.
    stays = inside and kind[cells[cx * across + cy * line + cz]] == PARTS
    for row in range(height):
        ix, iz, t, axis, stay, solid = 0.0, 0.0, 0.0, -1, stays, False
        if level:
            dy, iy = slopes[0, row], slopes[1, row]
        else:
            dx, dy, dz = ray_direction(view, a, (1.0 - (2.0 * row + 1.0) / height) * view[13])
            ix, iy, iz = reciprocal(dx), reciprocal(dy), reciprocal(dz)
            if not inside:
                t, cx, cy, cz = enter_grid(ex, ey, ez, dx, dy, dz, ix, iy, iz, nx, ny, nz)
        direction[0, row], direction[1, row], direction[2, row] = dx, dy, dz
        east, rises, south = int(dx >= 0.0), int(dy >= 0.0), int(dz >= 0.0)
        limit, k, h, end = limits[row], 0, cy, ny if rises else ground
        cell = cx * across + cy * line + cz
        bx, by, bz = cx - 1.0 + east, cy - 1.0 + rises, cz - 1.0 + south
        while t < limit and mixed[row, 3] > 0.0 and not solid:
            if level and not stay:
                k, h, t, axis = follow_path(cells, ts, axes, bases, stops, line, ey, dy, iy, end, near, k, h)
                near = k if axis == ALONG_Y else near
                cell, bx, by, bz = bases[k] + h * line, bxs[k], h - 1.0 + rises, bzs[k]
            elif not stay:
                cell, bx, by, bz, t, axis = walk(
                    cells, across, line, ex, ey, ez, dx, dy, dz, ix, iy, iz, cell, bx, by, bz
                )
            stay, found = False, cells[cell]
            if found == OUTSIDE or t >= limit:
                break
            # The camera from the corner of the cell.
            x, y, z = ex - bx + east, ey - by + rises, ez - bz + south
            solid = kind[found] == CUBE
            if kind[found] == HOLED:
                opacity = face_opacity(face, texels, first[found], axis, x + t * dx, y + t * dy, z + t * dz, dx, dy, dz)
                if opacity == 0:
                    continue
                solid = opacity == OPAQUE
            is_first = mixed[row, 4] == INFINITE
            if solid:
                place[0, row], place[1, row], place[2, row] = x + t * dx, y + t * dy, z + t * dz
                out_cell[row], out_t[row], out_axis[row] = cell, t, axis
                mixed[row, 4] = min(mixed[row, 4], t)
            elif kind[found] != NOTHING:
                add_parts(
                    kind, first, box, form, face, texels, cells, found, cell, across, x, y, z, dx, dy, dz, t, limit,
                    view, mixed, row,
                )  # fmt: skip
            if is_first and mixed[row, 4] < INFINITE:
                out_block[row] = found
