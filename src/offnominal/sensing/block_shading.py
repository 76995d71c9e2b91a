"""Compiled colours of the opaque cubes, the entities and the sky of a column of pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled_internal
from offnominal.core.types import FloatArray
from offnominal.sensing.block_entities import EntityHits
from offnominal.sensing.block_light import FACE_LIGHT, KNOWN, add_sky, add_texel, corner_levels, occlusion_at
from offnominal.sensing.block_models import PackedModels
from offnominal.sensing.block_parts import INFINITE, texel_at
from offnominal.sensing.block_walk import Rays


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
