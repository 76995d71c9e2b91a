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
    """Nearest entity of each pixel; empty without entities.

    Args:
        t: (pixels,): position of the hit on the ray; infinite without one.
        texel: (pixels,): texel of the entity models.
        light: (pixels,): brightness.
        identity: (pixels,): identity of the entity.
    """

    t: FloatArray
    texel: NDArray[np.int32]
    light: FloatArray
    identity: NDArray[np.int32]


@compiled_internal
def make_hits(pixels: int) -> EntityHits:
    """Return arrays for some pixels, without hits."""
    return EntityHits(
        np.full(pixels, INFINITE), np.zeros(pixels, np.int32), np.zeros(pixels), np.zeros(pixels, np.int32)
    )


@compiled_internal
def find_entity(
    entity: FloatArray, models: PackedModels, view: FloatArray, seen: EntityHits, height: int, width: int
) -> None:
    """Update the hits of the pixels in which an entity is the nearest so far."""
    sine, cosine, number, identity = entity[3], entity[4], int(entity[5]), int(entity[6])
    first, last = models.first[number], models.first[number + 1]
    box, form, faces, texels = models.box, models.form, models.face, models.texels
    seen_t, seen_texel, seen_light, seen_identity = seen
    left, right, top, bottom = _bounds(entity, models, first, last, view, height, width)
    ox, oy, oz = view[0] - entity[0], view[1] - entity[1], view[2] - entity[2]
    ox, oz = cosine * ox + sine * oz, cosine * oz - sine * ox
    for row in range(top, bottom):
        b = (1.0 - (2.0 * row + 1.0) / height) * view[13]
        for column in range(left, right):
            a = ((2.0 * column + 1.0) / width - 1.0) * view[12]
            wx = view[9] + a * view[3] + b * view[6]
            dy = view[10] + a * view[4] + b * view[7]
            wz = view[11] + a * view[5] + b * view[8]
            dx, dz = cosine * wx + sine * wz, cosine * wz - sine * wx
            pixel = row * width + column
            for part in range(first, last):
                t, face, texel = hit_part(box, form, faces, texels, part, ox, oy, oz, dx, dy, dz, 0.0)
                if t < seen_t[pixel]:
                    light = 1.0 if form[part, 2] else _light(face, sine, cosine) * view[15]
                    seen_t[pixel], seen_texel[pixel], seen_light[pixel] = t, texel, light
                    seen_identity[pixel] = identity


@compiled_internal
def _light(face: int, sine: float, cosine: float) -> float:
    """Return the brightness of a face of an entity that is turned."""
    along_x = cosine * cosine if face < 2 else sine * sine
    return FACE_LIGHT[face] if 2 <= face < 4 or face > 5 else FACE_LIGHT[4] + along_x * (FACE_LIGHT[0] - FACE_LIGHT[4])


@compiled_internal
def _bounds(
    entity: FloatArray, models: PackedModels, first: int, last: int, view: FloatArray, height: int, width: int
) -> tuple[int, int, int, int]:
    """Return the columns and rows that contain all parts of an entity; the whole image if it is partly behind."""
    low_x, high_x, low_y, high_y = INFINITE, -INFINITE, INFINITE, -INFINITE
    behind = 0
    for part in range(first, last):
        for corner in range(8):
            bx = models.box[part, 3 if corner & 1 else 0]
            by = models.box[part, 4 if corner & 2 else 1]
            bz = models.box[part, 5 if corner & 4 else 2]
            x = entity[0] + entity[4] * bx - entity[3] * bz - view[0]
            y = entity[1] + by - view[1]
            z = entity[2] + entity[4] * bz + entity[3] * bx - view[2]
            depth = x * view[9] + y * view[10] + z * view[11]
            if depth < NEAR:
                behind += 1
                continue
            across = (x * view[3] + y * view[4] + z * view[5]) / (depth * view[12])
            up = (x * view[6] + y * view[7] + z * view[8]) / (depth * view[13])
            low_x, high_x = min(low_x, across), max(high_x, across)
            low_y, high_y = min(low_y, up), max(high_y, up)
    if behind == 8 * (last - first) or (behind == 0 and (high_x < -1.0 or low_x > 1.0 or high_y < -1.0 or low_y > 1.0)):
        return 0, 0, 0, 0
    if behind > 0:
        return 0, width, 0, height
    left, right = 0.5 * width * (1.0 + max(-1.0, low_x)), 0.5 * width * (1.0 + min(1.0, high_x))
    top, bottom = 0.5 * height * (1.0 - min(1.0, high_y)), 0.5 * height * (1.0 - max(-1.0, low_y))
    return max(0, int(left) - 1), min(width, int(right) + 2), max(0, int(top) - 1), min(height, int(bottom) + 2)
