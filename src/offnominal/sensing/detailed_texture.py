"""Detailed procedural textures: worn roads, and facades whose windows lie deep in the wall.

A texture gives the share of the second colour at a point and a factor on its brightness. Both fade out where they are
finer than a pixel.
"""

from __future__ import annotations

import numpy as np

from offnominal.core.compilation import compiled_internal
from offnominal.sensing.material import ASPHALT, CURTAIN_FACADE, FACADE, RIBBON_FACADE, WORN
from offnominal.sensing.texture import (
    GLOW,
    HALF,
    LIT_SHARE,
    ONE,
    PRIME_X,
    PRIME_Y,
    PRIME_Z,
    ROOF,
    THREE,
    TWO,
    ZERO,
    floor_to_int,
    hash_to_unit,
    value_noise,
)

# Asphalt: sides of the cells of patches and of manholes, and sizes in them, m.
PATCH_CELL, MANHOLE_CELL, MANHOLE = np.float32(7.0), np.float32(19.0), np.float32(0.34)
PATCH_SHARE, MANHOLE_SHARE, SEAM = np.float32(0.22), np.float32(0.45), np.float32(0.035)
CRACK, CRACK_SIZE, CRACKED = np.float32(0.014), np.float32(0.45), np.float32(0.52)
GRAIN, MOTTLED, STAINED = np.float32(22.0), np.float32(1.7), np.float32(0.13)
# Facades: the opening of a window in its bay, how deep the glass is and how wide its frame, in units of the bay.
FRAME_WIDTH, BLINDS, LEDGE = np.float32(0.03), np.float32(0.4), np.float32(0.05)
LEFT, TOP, SILL = np.float32(0.72), np.float32(0.5), np.float32(1.12)


@compiled_internal
def detailed(
    texture: int, seed: int, x: np.float32, y: np.float32, z: np.float32, nx: np.float32, ny: np.float32,
    nz: np.float32, ex: np.float32, ey: np.float32, ez: np.float32, pixel: np.float32,
) -> tuple[np.float32, np.float32]:  # fmt: skip
    """Return the share of the second colour, or GLOW for a lit window, and the factor on the brightness.

    Args:
        texture: Kind of texture, from asphalt on.
        seed: Varies the facades of buildings.
        x: Coordinate along the instance's own x axis, in units of the texture's scale.
        y: Coordinate along its y axis.
        z: Coordinate along its z axis.
        nx: Normal along x.
        ny: Normal along y.
        nz: Normal along z.
        ex: Direction of the ray along x.
        ey: Direction along y.
        ez: Direction along z.
        pixel: Size of a pixel at this point in the same units.
    """
    if texture == ASPHALT:
        return _asphalt(x, y, pixel)
    if texture == WORN:
        return _worn(x, y, pixel)
    if abs(nz) > HALF:
        return ROOF, ONE
    if abs(nx) > abs(ny):
        deep = max(np.float32(0.2), abs(ex))
        return _facade(texture, seed, y, z, ey / deep, ez / deep, pixel)
    deep = max(np.float32(0.2), abs(ey))
    return _facade(texture, seed, x, z, ex / deep, ez / deep, pixel)


@compiled_internal
def _seen(pixel: np.float32, size: np.float32) -> np.float32:
    """Return how much of a detail of some size a pixel shows: 1 if it is much smaller, 0 if it is larger."""
    return min(ONE, max(ZERO, TWO - TWO * pixel / size))


@compiled_internal
def _asphalt(x: np.float32, y: np.float32, pixel: np.float32) -> tuple[np.float32, np.float32]:
    stains = value_noise(STAINED * x, STAINED * y, HALF)
    shade = ONE + np.float32(0.22) * (stains - HALF)
    seen = _seen(pixel, np.float32(0.6))
    if seen <= ZERO:
        return HALF, shade
    mottled = value_noise(MOTTLED * x, MOTTLED * y, np.float32(3.5))
    shade += seen * np.float32(0.16) * (mottled - HALF)
    grain = _seen(pixel, np.float32(0.05))
    if grain > ZERO:
        shade += grain * np.float32(0.28) * (value_noise(GRAIN * x, GRAIN * y, np.float32(5.5)) - HALF)
    shade *= _patch(x, y, seen, pixel)
    # Cracks run where a noise crosses its middle, in the stretches of road where another one is high.
    fine = _seen(pixel, np.float32(0.18))
    worn = value_noise(np.float32(0.09) * x, np.float32(0.09) * y, np.float32(9.5))
    if fine > ZERO and worn > CRACKED:
        bent = value_noise(THREE * x, THREE * y, np.float32(11.5)) - HALF
        u, v = CRACK_SIZE * x + np.float32(0.12) * bent, CRACK_SIZE * y - np.float32(0.12) * bent
        away = abs(value_noise(u, v, np.float32(7.5)) - HALF)
        if away < CRACK:
            shade *= ONE - fine * np.float32(0.5) * (ONE - away / CRACK)
    return HALF, shade * _manhole(x, y, seen)


@compiled_internal
def _patch(x: np.float32, y: np.float32, seen: np.float32, pixel: np.float32) -> np.float32:
    """Return the factor of a repaired rectangle: other asphalt, with a dark seam."""
    i, j = floor_to_int(x / PATCH_CELL), floor_to_int(y / PATCH_CELL)
    word = i * PRIME_X ^ j * PRIME_Y
    if hash_to_unit(word) > PATCH_SHARE:
        return ONE
    u, v = x - (np.float32(i) + HALF) * PATCH_CELL, y - (np.float32(j) + HALF) * PATCH_CELL
    wide = PATCH_CELL * (np.float32(0.1) + np.float32(0.35) * hash_to_unit(word ^ PRIME_Z))
    tall = PATCH_CELL * (np.float32(0.08) + np.float32(0.3) * hash_to_unit(word ^ (PRIME_Z >> 3)))
    inside = min(wide - abs(u), tall - abs(v))
    if inside <= ZERO:
        return ONE
    tone = np.float32(0.74) + np.float32(0.42) * hash_to_unit(word ^ (PRIME_Z >> 5))
    if inside < SEAM:
        tone *= ONE - np.float32(0.35) * _seen(pixel, np.float32(0.15))
    return ONE + seen * (tone - ONE)


@compiled_internal
def _manhole(x: np.float32, y: np.float32, seen: np.float32) -> np.float32:
    i, j = floor_to_int(x / MANHOLE_CELL), floor_to_int(y / MANHOLE_CELL)
    word = i * PRIME_Y ^ j * PRIME_Z
    if hash_to_unit(word) > MANHOLE_SHARE:
        return ONE
    u = x - (np.float32(i) + np.float32(0.1) + np.float32(0.8) * hash_to_unit(word ^ PRIME_X)) * MANHOLE_CELL
    v = y - (np.float32(j) + np.float32(0.1) + np.float32(0.8) * hash_to_unit(word ^ (PRIME_X >> 3))) * MANHOLE_CELL
    square = u * u + v * v
    if square > MANHOLE * MANHOLE:
        return ONE
    rim = square > np.float32(0.8) * MANHOLE * MANHOLE
    ribs = (floor_to_int(np.float32(14.0) * u) + floor_to_int(np.float32(14.0) * v)) % 2 == 0
    tone = np.float32(0.55) if rim else np.float32(0.9) if ribs else np.float32(0.72)
    return ONE + seen * (tone - ONE)


@compiled_internal
def _worn(x: np.float32, y: np.float32, pixel: np.float32) -> tuple[np.float32, np.float32]:
    """Return the share of asphalt where paint is rubbed off: more in some stretches than in others."""
    stretch = value_noise(np.float32(0.16) * x, np.float32(0.16) * y, np.float32(2.5))
    fine = value_noise(np.float32(5.0) * x, np.float32(5.0) * y, np.float32(4.5))
    finer = value_noise(np.float32(17.0) * x, np.float32(17.0) * y, np.float32(6.5))
    gone = np.float32(0.55) * fine + np.float32(0.45) * finer + np.float32(0.45) * (stretch - HALF)
    share = min(ONE, max(ZERO, np.float32(7.0) * (gone - np.float32(0.56))))
    seen = _seen(pixel, np.float32(0.3))
    mean = min(ONE, max(ZERO, np.float32(1.2) * (stretch - np.float32(0.35))))
    share = mean + seen * (share - mean)
    return np.float32(0.85) * share, ONE - np.float32(0.14) * stretch


@compiled_internal
def _facade(
    texture: int, seed: int, u: np.float32, z: np.float32, du: np.float32, dz: np.float32, pixel: np.float32
) -> tuple[np.float32, np.float32]:
    """Return share and factor at a point of a wall, `du` and `dz` being the way of the ray per unit of depth."""
    own = hash_to_unit(seed * PRIME_Z ^ PRIME_X)
    side, base, depth = np.float32(0.17) + np.float32(0.08) * own, np.float32(0.24), np.float32(0.07)
    if texture == RIBBON_FACADE:
        side, base, depth = np.float32(0.03), np.float32(0.23), np.float32(0.06)
    elif texture == CURTAIN_FACADE:
        side, base, depth = np.float32(0.025), np.float32(0.05), np.float32(0.025)
    i, j = floor_to_int(u), floor_to_int(z)
    a, b = u - np.float32(i), z - np.float32(j)
    grime = value_noise(np.float32(0.7) * u, np.float32(0.35) * z, np.float32(seed % 97) + HALF)
    wall = np.float32(0.9) + np.float32(0.2) * grime
    open_share = (ONE - TWO * side) * (ONE - TWO * base)
    seen = _seen(pixel, np.float32(0.7))
    if not (side < a < ONE - side and base < b < ONE - base):
        return (ONE - seen) * open_share, wall * _stone(texture, a, b, side, base, seen)
    # The ray goes on to the glass, if the sides of the opening do not stop it.
    a, b = a + depth * du, b + depth * dz
    shade = ONE
    if b > ONE - base:
        shade = TOP
    elif b < base:
        shade = SILL
    elif a < side or a > ONE - side:
        shade = LEFT
    if shade != ONE:
        return (ONE - seen) * open_share, wall * (ONE + seen * (shade - ONE))
    share, shade = _window(i * PRIME_X ^ j * PRIME_Y ^ seed * PRIME_Z, texture, a, b, side, base)
    if share == GLOW:
        return share, shade
    return open_share + seen * (share - open_share), wall + seen * (shade - wall)


@compiled_internal
def _stone(
    texture: int, a: np.float32, b: np.float32, side: np.float32, base: np.float32, seen: np.float32
) -> np.float32:
    """Return the factor of the wall between the windows: ledges between storeys, sills, and streaks below them."""
    shade = ONE
    if texture == CURTAIN_FACADE:
        return shade
    if b < LEDGE:
        shade = np.float32(1.14) if b > HALF * LEDGE else np.float32(0.7)
    elif side - np.float32(0.03) < a < ONE - side + np.float32(0.03) and base - np.float32(0.05) < b < base:
        shade = np.float32(1.18)
    elif side < a < ONE - side and b < base:
        shade = np.float32(0.93)
    return ONE + seen * (shade - ONE)


@compiled_internal
def _window(
    word: int, texture: int, a: np.float32, b: np.float32, side: np.float32, base: np.float32
) -> tuple[np.float32, np.float32]:
    """Return share and factor of what is in an opening: frame, glass, blinds or light."""
    drawn, other = hash_to_unit(word), hash_to_unit(word ^ (PRIME_Z >> 2))
    left, low = (a - side) / (ONE - TWO * side), (b - base) / (ONE - TWO * base)
    edge = min(a - side, ONE - side - a, b - base, ONE - base - b)
    bar = abs(left - HALF) < np.float32(0.035) and texture != CURTAIN_FACADE and other < np.float32(0.7)
    if edge < FRAME_WIDTH or bar:
        return np.float32(0.35), np.float32(1.05) if texture != CURTAIN_FACADE else np.float32(0.7)
    if texture == FACADE and drawn < LIT_SHARE:
        return GLOW, ONE
    if texture != CURTAIN_FACADE and drawn < LIT_SHARE + BLINDS and low > ONE - np.float32(0.85) * other:
        slats = floor_to_int(np.float32(16.0) * low) % 2 == 0
        return np.float32(0.12), np.float32(0.92) if slats else np.float32(0.84)
    # Glass mirrors the sky above and the street below, and every pane a little differently.
    return ONE, np.float32(0.62) + np.float32(0.45) * low + np.float32(0.5) * (other - HALF) * HALF
