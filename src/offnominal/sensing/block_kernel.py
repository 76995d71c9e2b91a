"""Compiled ray caster for grids of blocks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled, compiled_internal
from offnominal.core.types import FloatArray
from offnominal.sensing.block_entities import EntityHits, find_entities, image_areas, make_hits
from offnominal.sensing.block_models import PackedModels
from offnominal.sensing.block_paths import find_obstacles, find_path, ground_below, is_level, make_path
from offnominal.sensing.block_shading import shade_rays
from offnominal.sensing.block_trace import trace_rays
from offnominal.sensing.block_walk import Rays, clear_rays, make_rays, pad_grid

INFINITE = np.inf


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
