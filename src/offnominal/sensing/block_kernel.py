"""Compiled ray caster for grids of blocks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled, compiled_internal
from offnominal.core.types import FloatArray
from offnominal.sensing.block_entities import EntityHits, find_entities, image_areas, make_hits
from offnominal.sensing.block_models import CUBE, HOLED, NOTHING, OUTSIDE, PARTS, PackedModels
from offnominal.sensing.block_parts import add_parts, face_opacity, reciprocal
from offnominal.sensing.block_shading import shade_row
from offnominal.sensing.block_walk import Row, clear_row, make_row, pad_grid, start_cell, start_position, walk

INFINITE = np.inf
OPAQUE = 255


class BlockOutputs(NamedTuple):
    """Outputs for one frame, one row per pixel.

    Args:
        rgb: (pixels, 3): colours.
        block: (pixels,): model of the nearest block; 0 for none.
        entity: (pixels,): identity of the entity; 0 for none.
        depth: (pixels,): distance along the direction of view; infinite in the sky.
    """

    rgb: NDArray[np.uint8]
    block: NDArray[np.uint8]
    entity: NDArray[np.int32]
    depth: NDArray[np.float32]


@compiled
def render_frame(
    blocks: NDArray[np.uint8],
    models: PackedModels,
    view: FloatArray,
    entities: FloatArray,
    entity_models: PackedModels,
    outputs: BlockOutputs,
    height: int,
    width: int,
) -> None:
    """Render one frame; see :func:`offnominal.sensing.render_blocks`.

    Args:
        blocks: (x, y, z): model of each cell.
        models: Models of the blocks.
        view: Camera and light; see `packed_view`.
        entities: (n, 7): position, sine and cosine of the yaw, model and identity.
        entity_models: Models of the entities.
        outputs: Outputs.
        height: Number of rows.
        width: Pixels per row.
    """
    grid = pad_grid(blocks)
    occlusion = np.zeros((grid.size, 6), np.uint16)
    row = make_row(width)
    seen = make_hits(width)
    areas = image_areas(entities, entity_models, view, height, width)
    for number in range(height):
        clear_row(row)
        if entities.shape[0] > 0:
            find_entities(entities, areas, entity_models, view, seen, number, height)
        _trace_row(grid, models, view, seen, row, number, height)
        shade_row(grid, models, entity_models, view, seen, occlusion, row)
        _write_row(outputs, seen, row, number)


@compiled_internal
def _trace_row(
    grid: NDArray[np.uint8],
    models: PackedModels,
    view: FloatArray,
    seen: EntityHits,
    row: Row,
    number: int,
    height: int,
) -> None:
    """Follow the rays of a row to their first opaque cubes, and mix the colours of other blocks on their way."""
    # Columns are read before the loop: reading them from a tuple counts references.
    kind, first, box, form, face, texels = models
    direction, place, out_t, out_cell, out_axis, out_block, mixed = row
    limits, cells, width = seen.t, grid.ravel(), out_t.shape[0]
    nx, ny, nz = grid.shape[0] - 2, grid.shape[1] - 2, grid.shape[2] - 2
    line, across = nz + 2, (nz + 2) * (ny + 2)
    ex, ey, ez = view[0], view[1], view[2]
    inside = 0.0 <= ex < nx and 0.0 <= ey < ny and 0.0 <= ez < nz
    b = (1.0 - (2.0 * number + 1.0) / height) * view[13]
    for column in range(width):
        a = ((2.0 * column + 1.0) / width - 1.0) * view[12]
        dx = view[9] + a * view[3] + b * view[6]
        dy = view[10] + a * view[4] + b * view[7]
        dz = view[11] + a * view[5] + b * view[8]
        direction[0, column], direction[1, column], direction[2, column] = dx, dy, dz
        ix, iy, iz = reciprocal(dx), reciprocal(dy), reciprocal(dz)
        limit = limits[column]
        t, axis, enters = 0.0, -1, -1
        if not inside:
            t, enters = start_position(ex, ey, ez, dx, dy, dz, ix, iy, iz, nx, ny, nz)
        cx = start_cell(ex, dx, t, nx, enters == 0)
        cy = start_cell(ey, dy, t, ny, enters == 1)
        cz = start_cell(ez, dz, t, nz, enters == 2)
        cell = cx * across + cy * line + cz
        bx, by, bz = float(cx - 1 + (dx >= 0.0)), float(cy - 1 + (dy >= 0.0)), float(cz - 1 + (dz >= 0.0))
        # A cube shows its outside only, so the camera's own cell is visited for other models alone.
        stay = inside and kind[cells[cell]] == PARTS
        while t < limit and mixed[column, 3] > 0.0:
            if not stay:
                cell, bx, by, bz, t, axis = walk(
                    cells, across, line, ex, ey, ez, dx, dy, dz, ix, iy, iz, cell, bx, by, bz
                )
            stay = False
            found = cells[cell]
            if found == OUTSIDE or t >= limit:
                break
            # The camera from the corner of the cell.
            x, y, z = ex - bx + (dx >= 0.0), ey - by + (dy >= 0.0), ez - bz + (dz >= 0.0)
            solid = kind[found] == CUBE
            if kind[found] == HOLED:
                opacity = face_opacity(face, texels, first[found], axis, x + t * dx, y + t * dy, z + t * dz, dx, dy, dz)
                if opacity == 0:
                    continue
                solid = opacity == OPAQUE
            if solid:
                place[0, column], place[1, column], place[2, column] = x + t * dx, y + t * dy, z + t * dz
                out_cell[column], out_t[column], out_axis[column] = cell, t, axis
                if mixed[column, 4] == INFINITE:
                    mixed[column, 4], out_block[column] = t, found
                break
            if kind[found] != NOTHING:
                hidden = mixed[column, 4] < INFINITE
                add_parts(
                    kind, first, box, form, face, texels, cells, found, cell, across, x, y, z, dx, dy, dz, t, limit,
                    view, mixed, column,
                )  # fmt: skip
                if not hidden and mixed[column, 4] < INFINITE:
                    out_block[column] = found


@compiled_internal
def _write_row(outputs: BlockOutputs, seen: EntityHits, row: Row, number: int) -> None:
    """Write the pixels of a row."""
    rgb, block, entity, depth = outputs
    identities, limits = seen.identity, seen.t
    mixed, found = row.mixed, row.block
    width = found.shape[0]
    for column in range(width):
        pixel = number * width + column
        for c in range(3):
            rgb[pixel, c] = np.uint8(mixed[column, c] + 0.5)
        block[pixel], entity[pixel], depth[pixel] = found[column], 0, mixed[column, 4]
        if limits[column] == mixed[column, 4] and limits[column] < INFINITE:
            entity[pixel] = identities[column]
