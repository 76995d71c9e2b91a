"""Compiled ray caster for grids of blocks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled, compiled_internal
from offnominal.core.types import FloatArray
from offnominal.sensing.block_entities import EntityHits, find_entities, image_areas, make_hits
from offnominal.sensing.block_light import FACE_LIGHT, KNOWN, add_sky, add_texel, corner_levels, occlusion_at
from offnominal.sensing.block_models import PackedModels
from offnominal.sensing.block_parts import INFINITE, texel_at
from offnominal.sensing.block_paths import find_obstacles, find_path, ground_below, is_level, make_path
from offnominal.sensing.block_trace import trace_rays
from offnominal.sensing.block_walk import Rays, clear_rays, make_rays, pad_grid


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
    level = is_level(grid, view)
    ground = ground_below(grid, view) if level else 0
    obstacles, path = find_obstacles(grid, view, ground), make_path(grid, view, height)
    occlusion = np.zeros((grid.size, 6), np.uint16)
    rays = make_rays(height)
    seen = make_hits(height)
    areas = image_areas(entities, entity_models, view, height, width)
    for column in range(width):
        clear_rays(rays)
        if entities.shape[0] > 0:
            find_entities(entities, areas, entity_models, view, seen, column, width)
        a = ((2.0 * column + 1.0) / width - 1.0) * view[12]
        if level:
            find_path(obstacles, grid.shape[1], view, a, path)
        trace_rays(grid, path, level, ground, models, view, seen, rays, a)
        shade_rays(grid, models, entity_models, view, seen, occlusion, rays)
        _write(outputs, seen, rays, column, width)


@compiled_internal
def _write(outputs: BlockOutputs, seen: EntityHits, rays: Rays, column: int, width: int) -> None:
    """Write the pixels of a column."""
    rgb, block, entity, depth = outputs
    identities, limits = seen.identity, seen.t
    mixed, found = rays.mixed, rays.block
    for row in range(found.shape[0]):
        pixel = row * width + column
        for c in range(3):
            rgb[pixel, c] = np.uint8(mixed[row, c] + 0.5)
        block[pixel], entity[pixel], depth[pixel] = found[row], 0, mixed[row, 4]
        if limits[row] == mixed[row, 4] and limits[row] < INFINITE:
            entity[pixel] = identities[row]


@compiled_internal
def shade_rays(
    grid: NDArray[np.uint8],
    models: PackedModels,
    entity_models: PackedModels,
    view: FloatArray,
    seen: EntityHits,
    occlusion: NDArray[np.uint16],
    rays: Rays,
) -> None:
    """Add the colours where the rays of a column of pixels end: on opaque cubes, entities or in the sky.

    Args:
        grid: Grid with a border.
        models: Models of the blocks.
        entity_models: Models of the entities.
        view: Camera and light.
        seen: Entities of the column.
        occlusion: (cells, 6): ambient occlusion of the corners of the faces; 0 where it is not known yet.
        rays: The rays of the column.
    """
    kind, first, _, form, faces, texels = models
    direction, place, ts, ends, axes, _, mixed = rays
    entity_t, entity_texel, entity_light, _ = seen
    entity_texels = entity_models.texels
    cells = grid.ravel()
    line = grid.shape[2]
    across = line * grid.shape[1]
    dark, daylight = view[14], view[15]
    for row in range(ts.shape[0]):
        if mixed[row, 3] <= 0.0:
            continue
        dx, dy, dz = direction[0, row], direction[1, row], direction[2, row]
        cell, t, axis = ends[row], ts[row], axes[row]
        if cell < 0:
            if entity_t[row] < INFINITE:
                mixed[row, 4] = min(mixed[row, 4], entity_t[row])
                add_texel(
                    entity_texels, entity_texel[row], entity_light[row], entity_t[row], 1.0, view,
                    dx, dy, dz, mixed, row,
                )  # fmt: skip
            add_sky(view, dx, dy, dz, mixed, row)
            continue
        part = first[cells[cell]]
        x, y, z = place[0, row], place[1, row], place[2, row]
        if axis == 0:
            face, beside, one, two, p, q, steep = 0 if dx > 0.0 else 1, across, line, 1, y, z, abs(dx)
            u, v = (z if dx > 0.0 else 1.0 - z), 1.0 - y
        elif axis == 1:
            face, beside, one, two, p, q, steep = 2 if dy > 0.0 else 3, line, across, 1, x, z, abs(dy)
            u, v = x, (1.0 - z if dy > 0.0 else z)
        else:
            face, beside, one, two, p, q, steep = 4 if dz > 0.0 else 5, 1, across, line, x, y, abs(dz)
            u, v = (1.0 - x if dz > 0.0 else x), 1.0 - y
        light = 1.0
        if not form[part, 2]:
            light = FACE_LIGHT[face] * daylight
            if dark > 0.0:
                if occlusion[cell, face] == 0:
                    in_front = cell + (beside if face & 1 else -beside)
                    occlusion[cell, face] = corner_levels(cells, kind, in_front, one, two)
                if occlusion[cell, face] != KNOWN:
                    light *= 1.0 - dark * occlusion_at(int(occlusion[cell, face]), p, q)
        add_texel(texels, texel_at(faces[part, face], u, v), light, t, steep, view, dx, dy, dz, mixed, row)
