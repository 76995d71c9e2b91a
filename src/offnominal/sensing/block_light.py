"""Compiled light of blocks: mipmaps, ambient occlusion, fog and the sky."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled_inline, compiled_internal
from offnominal.core.types import Array, FloatArray
from offnominal.sensing.block_models import CUBE, SIDE, TEXELS

FACE_LIGHT = (0.62, 0.62, 0.5, 1.0, 0.81, 0.81, 0.95)
"""Brightness of the faces towards -x, +x, -y, +y, -z, +z, and of crossed squares."""
KNOWN = 256
THIRD = 1.0 / 3.0
ONE_BYTE = 1.0 / 255.0


@compiled_inline
def add_texel(
    texels: Array,
    texel: int,
    light: float,
    t: float,
    steep: float,
    view: FloatArray,
    dx: float,
    dy: float,
    dz: float,
    mixed: FloatArray,
    ray: int,
) -> None:
    """Add the colour of a texel to a pixel, and take its opacity from the share of what is further away.

    Args:
        texels: Texels of all levels.
        texel: Texel of the finest level.
        light: Brightness.
        t: Position on the ray.
        steep: Length of the direction of the ray across the surface.
        view: Camera and light.
        dx: Direction along x.
        dy: Direction along y.
        dz: Direction along z.
        mixed: Red, green, blue and the share of each ray; changed in place.
        ray: Number of the ray.
    """
    opacity = texels[texel, 3] * ONE_BYTE
    area = view[23] * t * t
    if area > 2.0 * steep:
        texel = coarser_texel(texel, area, max(steep, 1e-6))
    share = mixed[ray, 3] * opacity
    clear = 1.0
    if view[16] > 0.0:
        x = view[16] * t * math.sqrt(dx * dx + dy * dy + dz * dz)
        clear = 1.0 / (1.0 + x + 0.5 * x * x)
    for c in range(3):
        mixed[ray, c] += share * (clear * light * texels[texel, c] + (1.0 - clear) * view[17 + c])
    mixed[ray, 3] -= share


@compiled_inline
def coarser_texel(texel: int, area: float, steep: float) -> int:
    """Return the texel of a coarser level at the place of a texel of the finest level, for `area / steep` in texels."""
    # Numbers without a sign are divided faster.
    place = np.uint32(texel) % np.uint32(TEXELS)
    level = 1 if area < 8.0 * steep else 2 if area < 32.0 * steep else 3 if area < 128.0 * steep else 4
    start = 256 if level == 1 else 320 if level == 2 else 336 if level == 3 else 340
    row, column = int(place) // SIDE, int(place) % SIDE
    return texel - int(place) + start + (row >> level) * (SIDE >> level) + (column >> level)


@compiled_internal
def corner_levels(cells: Array, kind: Array, in_front: int, first: int, second: int) -> int:
    """Return the ambient occlusion of the corners of a face, two bits each, 0 for open, 3 for dark; and `KNOWN`.

    Args:
        cells: Flat grid with a border.
        kind: Kinds of the models.
        in_front: The cell in front of the face.
        first: Distance in the flat grid to the next cell along the first axis of the face.
        second: The same along the second axis.
    """
    levels = KNOWN
    for corner in range(4):
        a = first if corner & 1 else -first
        b = second if corner & 2 else -second
        one, two = kind[cells[in_front + a]] == CUBE, kind[cells[in_front + b]] == CUBE
        both = kind[cells[in_front + a + b]] == CUBE
        levels |= (3 if one and two else int(one) + int(two) + int(both)) << (2 * corner)
    return levels


@compiled_inline
def occlusion_at(levels: int, p: float, q: float) -> float:
    """Return the ambient occlusion at a point of a face, 0 for open, 1 for dark, from the levels of its corners."""
    low = (levels & 3) + p * ((levels >> 2 & 3) - (levels & 3))
    high = (levels >> 4 & 3) + p * ((levels >> 6 & 3) - (levels >> 4 & 3))
    return THIRD * (low + q * (high - low))


@compiled_inline
def add_sky(view: FloatArray, dx: float, dy: float, dz: float, mixed: FloatArray, ray: int) -> None:
    """Add the colour of the sky in a direction to a pixel."""
    high = min(1.0, max(0.0, 1.6 * dy / math.sqrt(dx * dx + dy * dy + dz * dz)))
    if view[16] > 0.0:
        high = 0.0
    for c in range(3):
        mixed[ray, c] += mixed[ray, 3] * (view[17 + c] + high * (view[20 + c] - view[17 + c]))
