"""Procedural textures, faded out where they are finer than a pixel."""

from __future__ import annotations

import numpy as np

from offnominal.core.compilation import compiled_internal
from offnominal.sensing.material import CURTAIN, HIGHWAY, LANE, NOISE, PLANKS, RIBBONS

ZERO, HALF, ONE, TWO, THREE = (np.float32(value) for value in (0.0, 0.5, 1.0, 2.0, 3.0))
SILL, LINTEL = np.float32(0.2), np.float32(0.25)
ROOF, PANES, LIT_SHARE, GLOW = (np.float32(value) for value in (-0.12, 0.3, 0.1, 9.0))
FARTHEST, THIN = np.float32(1e6), np.float32(1e-6)
RIBBON, FRAME, MULLION, CLEAR = (np.float32(value) for value in (0.22, 0.06, 0.025, 0.84))
LINE = np.float32(0.035)
DASH = np.float32(2.5)
DASH_SPACING, DASH_SHARE = np.float32(24.0 / 7.0), np.float32(1.0 / 3.0)
LIT = (np.float32(1.0), np.float32(0.88), np.float32(0.58))
WORD = 0xFFFFFFFF
TO_UNIT = np.float32(1.0 / 16777216.0)
PRIME_X, PRIME_Y, PRIME_Z = 0x8DA6B343, 0xD8163841, 0xCB1AB31F


@compiled_internal
def floor_to_int(x: np.float32) -> int:
    """Return the floor of x as an integer, without a call of the C library."""
    i = int(x)
    return i - 1 if x < np.float32(i) else i


@compiled_internal
def hash_to_unit(word: int) -> np.float32:
    """Return a pseudo-random number from 0 to 1 for an integer."""
    h = word & WORD
    h = ((h ^ (h >> 15)) * 0x2C1B3C6D) & WORD
    return np.float32((h ^ (h >> 12)) & 0xFFFFFF) * TO_UNIT


@compiled_internal
def value_noise(x: np.float32, y: np.float32, z: np.float32) -> np.float32:
    """Return smooth noise from 0 to 1 that changes over a distance of about one."""
    i, j, k = floor_to_int(x), floor_to_int(y), floor_to_int(z)
    u, v, w = x - np.float32(i), y - np.float32(j), z - np.float32(k)
    u, v, w = u * u * (THREE - TWO * u), v * v * (THREE - TWO * v), w * w * (THREE - TWO * w)
    i0, j0, k0 = i * PRIME_X, j * PRIME_Y, k * PRIME_Z
    i1, j1, k1 = i0 + PRIME_X, j0 + PRIME_Y, k0 + PRIME_Z
    a, b = hash_to_unit(i0 ^ j0 ^ k0), hash_to_unit(i0 ^ j1 ^ k0)
    a += u * (hash_to_unit(i1 ^ j0 ^ k0) - a)
    b += u * (hash_to_unit(i1 ^ j1 ^ k0) - b)
    c, d = hash_to_unit(i0 ^ j0 ^ k1), hash_to_unit(i0 ^ j1 ^ k1)
    c += u * (hash_to_unit(i1 ^ j0 ^ k1) - c)
    d += u * (hash_to_unit(i1 ^ j1 ^ k1) - d)
    a += v * (b - a)
    c += v * (d - c)
    return a + w * (c - a)


@compiled_internal
def checker(x: np.float32, y: np.float32, z: np.float32, pixel: np.float32) -> np.float32:
    """Return the share of the second colour in a pixel of a checkerboard of unit cubes."""
    return HALF - HALF * stripes(x, pixel) * stripes(y, pixel) * stripes(z, pixel)


@compiled_internal
def stripes(x: np.float32, pixel: np.float32) -> np.float32:
    """Return the mean over a pixel of stripes that are 1 between 0 and 1, -1 between 1 and 2, and so on."""
    x = min(FARTHEST, max(-FARTHEST, x))
    low = np.float32(np.int32(x))
    low = low - ONE if x < low else low
    edge = TWO * min(x - low, ONE - (x - low))
    # Pure within the stripe, mixed across its edge, grey where a pixel is as wide as two stripes.
    share = min(ONE, edge / max(pixel, THIN)) if pixel < ONE else edge * max(ZERO, TWO - pixel)
    return share if np.float32(np.int32(HALF * low)) == HALF * low else -share


@compiled_internal
def pattern(
    texture: int,
    seed: int,
    x: np.float32,
    y: np.float32,
    z: np.float32,
    nx: np.float32,
    ny: np.float32,
    nz: np.float32,
    pixel: np.float32,
) -> np.float32:
    """Return the share of the second colour at a point on a surface, or GLOW for a lit window.

    Args:
        texture: Kind of texture, other than plain and checker.
        seed: Decides which windows are lit.
        x: Coordinate along the instance's own x axis, in units of the texture's scale.
        y: Coordinate along its y axis.
        z: Coordinate along its z axis.
        nx: Normal along x.
        ny: Normal along y.
        nz: Normal along z.
        pixel: Size of a pixel at this point in the same units.
    """
    if texture == NOISE:
        noise = TWO * value_noise(x, y, z) + value_noise(TWO * x, TWO * y, TWO * z)
        return _faded(noise / THREE, HALF, HALF * pixel)
    if texture == LANE:
        return _lane(x, y, pixel)
    if texture == HIGHWAY:
        return _highway(x, y, pixel)
    if abs(nz) > HALF:
        return ROOF
    u = y if abs(nx) > abs(ny) else x
    if texture == RIBBONS:
        return _faded(_inside(z, RIBBON, pixel) * _inside(u, MULLION, pixel), TWO * PANES, pixel)
    if texture == CURTAIN:
        return _faded(_inside(z, FRAME, pixel) * _inside(u, MULLION, pixel), CLEAR, pixel)
    if texture == PLANKS:
        return _faded(ONE - _inside(z, MULLION, pixel), FRAME, pixel)
    share = _inside(u, SILL, pixel) * _inside(z, LINTEL, pixel)
    return (
        GLOW
        if share > HALF
        and hash_to_unit(floor_to_int(u) * PRIME_X ^ floor_to_int(z) * PRIME_Y ^ seed * PRIME_Z) < LIT_SHARE
        else _faded(share, PANES, pixel)
    )


@compiled_internal
def _inside(x: np.float32, margin: np.float32, pixel: np.float32) -> np.float32:
    """Return the share of a pixel inside the pane that leaves this margin of every unit."""
    u = x - np.float32(floor_to_int(x))
    gap = min(u, ONE - u) - margin
    return min(ONE, max(ZERO, gap / max(pixel, np.float32(1e-4)) + HALF))


@compiled_internal
def _faded(share: np.float32, mean: np.float32, pixel: np.float32) -> np.float32:
    """Return the value of a texture, faded to its mean as a pixel approaches the texture's scale."""
    fade = min(ONE, max(ZERO, np.float32(1.6) * (pixel - np.float32(0.25))))
    return share + fade * (mean - share)


@compiled_internal
def _cover(distance: np.float32, pixel: np.float32) -> np.float32:
    """Return the share of a pixel that a painted line at this distance covers."""
    wide = max(pixel, np.float32(1e-4))
    return max(ZERO, min(ONE, (LINE - distance) / wide + HALF)) * min(ONE, TWO * LINE / wide)


@compiled_internal
def _lane(x: np.float32, y: np.float32, pixel: np.float32) -> np.float32:
    along = x / DASH
    dashed = ONE if along - np.float32(floor_to_int(along)) < HALF else ZERO
    dashed = _faded(dashed, HALF, pixel / DASH)
    return max(dashed * _cover(abs(y), pixel), _cover(abs(abs(y) - ONE), pixel))


@compiled_internal
def _highway(x: np.float32, y: np.float32, pixel: np.float32) -> np.float32:
    along = x / DASH_SPACING + HALF
    dashed = ONE if abs(along - np.float32(floor_to_int(along)) - HALF) < HALF * DASH_SHARE else ZERO
    dashed = _faded(dashed, DASH_SHARE, pixel / DASH_SPACING)
    away = abs(y)
    return max(dashed * _cover(abs(away - HALF), pixel), _cover(abs(away - HALF - ONE), pixel))
