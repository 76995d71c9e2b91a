"""Compiled search for the nearest entity of each pixel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled_internal
from offnominal.core.types import FloatArray
from offnominal.sensing.block_light import FACE_LIGHT
from offnominal.sensing.block_models import PackedModels
from offnominal.sensing.block_parts import INFINITE, hit_part

NEAR = 1e-3


class EntityHits(NamedTuple):
    """Nearest entity of each pixel of a column.

    Args:
        t: (height,): position of the hit on the ray; infinite without one.
        texel: (height,): texel of the entity models.
        light: (height,): brightness.
        identity: (height,): identity of the entity.
    """

    t: FloatArray
    texel: NDArray[np.int64]
    light: FloatArray
    identity: NDArray[np.int64]


@compiled_internal
def make_hits(height: int) -> EntityHits:
    """Return arrays for a column of pixels, without hits."""
    return EntityHits(
        np.full(height, INFINITE), np.zeros(height, np.int64), np.zeros(height), np.zeros(height, np.int64)
    )


@compiled_internal
def find_entities(
    entities: FloatArray,
    areas: NDArray[np.int64],
    models: PackedModels,
    view: FloatArray,
    seen: EntityHits,
    column: int,
    width: int,
) -> None:
    """Find the nearest entity of each pixel of a column.

    Args:
        entities: (n, 7): position, sine and cosine of the yaw, model and identity.
        areas: (n, 4): first and last columns and rows of the entities; see :func:`image_areas`.
        models: Models of the entities.
        view: Camera and light.
        seen: Output.
        column: Number of the column.
        width: Number of columns.
    """
    box, form, faces, texels = models.box, models.form, models.face, models.texels
    seen_t, seen_texel, seen_light, seen_identity = seen
    height = seen_t.shape[0]
    seen_t[:] = INFINITE
    a = ((2.0 * column + 1.0) / width - 1.0) * view[12]
    for k in range(entities.shape[0]):
        if not areas[k, 0] <= column < areas[k, 1]:
            continue
        sine, cosine, number = entities[k, 3], entities[k, 4], int(entities[k, 5])
        first, last = models.first[number], models.first[number + 1]
        ox, oy, oz = view[0] - entities[k, 0], view[1] - entities[k, 1], view[2] - entities[k, 2]
        ox, oz = cosine * ox + sine * oz, cosine * oz - sine * ox
        for row in range(areas[k, 2], areas[k, 3]):
            b = (1.0 - (2.0 * row + 1.0) / height) * view[13]
            wx = view[9] + a * view[3] + b * view[6]
            dy = view[10] + a * view[4] + b * view[7]
            wz = view[11] + a * view[5] + b * view[8]
            dx, dz = cosine * wx + sine * wz, cosine * wz - sine * wx
            for part in range(first, last):
                t, face, texel = hit_part(box, form, faces, texels, part, ox, oy, oz, dx, dy, dz, 0.0)
                if t < seen_t[row]:
                    seen_t[row], seen_texel[row], seen_identity[row] = t, texel, int(entities[k, 6])
                    seen_light[row] = 1.0 if form[part, 2] else _light(face, sine, cosine) * view[15]


@compiled_internal
def image_areas(
    entities: FloatArray, models: PackedModels, view: FloatArray, height: int, width: int
) -> NDArray[np.int64]:
    """Return the columns and rows that contain each entity: first, last + 1, first, last + 1."""
    areas = np.zeros((entities.shape[0], 4), np.int64)
    for k in range(entities.shape[0]):
        number = int(entities[k, 5])
        areas[k] = _area(entities[k], models, models.first[number], models.first[number + 1], view, height, width)
    return areas


@compiled_internal
def _light(face: int, sine: float, cosine: float) -> float:
    """Return the brightness of a face of an entity that is turned."""
    along_x = cosine * cosine if face < 2 else sine * sine
    return FACE_LIGHT[face] if 2 <= face < 4 or face > 5 else FACE_LIGHT[4] + along_x * (FACE_LIGHT[0] - FACE_LIGHT[4])


@compiled_internal
def _area(
    entity: FloatArray, models: PackedModels, first: int, last: int, view: FloatArray, height: int, width: int
) -> tuple[int, int, int, int]:
    """Return the columns and rows that contain the parts of an entity in front of the camera."""
    bounds = np.array((INFINITE, -INFINITE, INFINITE, -INFINITE))
    corners = np.empty((8, 3))
    for part in range(first, last):
        _corners(entity, models.box[part], view, corners)
        for corner in range(8):
            across, up, depth = corners[corner]
            if depth >= NEAR:
                _include(bounds, across, up, depth, view)
                continue
            for axis in range(3):
                # Where an edge of the box comes from behind the camera, it counts from the near plane on.
                other = corners[corner ^ (1 << axis)]
                if other[2] >= NEAR:
                    share = (NEAR - depth) / (other[2] - depth)
                    across_there, up_there = across + share * (other[0] - across), up + share * (other[1] - up)
                    _include(bounds, across_there, up_there, NEAR, view)
    if bounds[1] < -1.0 or bounds[0] > 1.0 or bounds[3] < -1.0 or bounds[2] > 1.0:
        return 0, 0, 0, 0
    left, right = 0.5 * width * (1.0 + max(-1.0, bounds[0])), 0.5 * width * (1.0 + min(1.0, bounds[1]))
    top, bottom = 0.5 * height * (1.0 - min(1.0, bounds[3])), 0.5 * height * (1.0 - max(-1.0, bounds[2]))
    return max(0, int(left) - 1), min(width, int(right) + 2), max(0, int(top) - 1), min(height, int(bottom) + 2)


@compiled_internal
def _corners(entity: FloatArray, box: FloatArray, view: FloatArray, corners: FloatArray) -> None:
    """Write the corners of a part as seen from the camera: right, up and forward."""
    for corner in range(8):
        bx, by, bz = box[3 if corner & 1 else 0], box[4 if corner & 2 else 1], box[5 if corner & 4 else 2]
        x = entity[0] + entity[4] * bx - entity[3] * bz - view[0]
        y = entity[1] + by - view[1]
        z = entity[2] + entity[4] * bz + entity[3] * bx - view[2]
        for axis in range(3):
            corners[corner, axis] = x * view[3 + 3 * axis] + y * view[4 + 3 * axis] + z * view[5 + 3 * axis]


@compiled_internal
def _include(bounds: FloatArray, across: float, up: float, depth: float, view: FloatArray) -> None:
    """Extend bounds in the image, from -1 to 1, to a point."""
    x, y = across / (depth * view[12]), up / (depth * view[13])
    bounds[0], bounds[1] = min(bounds[0], x), max(bounds[1], x)
    bounds[2], bounds[3] = min(bounds[2], y), max(bounds[3], y)
