"""Endless grounds, met and painted for whole bundles of rays at once.

Most pixels of most pictures show the ground. These loops do the same for every ray, without branches and with one
array per coordinate, so that the compiler makes vector instructions of them.
"""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compiled import inner
from offnominal.core.types import Array
from offnominal.sensing.material import CHECKER
from offnominal.sensing.meet import FAR, ONE, ZERO
from offnominal.sensing.packed import Packed
from offnominal.sensing.placed import Placed
from offnominal.sensing.rays import Rays
from offnominal.sensing.texture import stripes

EDGE_ON = np.float32(1e-7)
HALF = np.float32(0.5)
OFF_SURFACE = np.float32(1e-4)
LEAST_COSINE = np.float32(0.05)


@inner
def meet_planes(packed: Packed, placed: Placed, rays: Rays, n: int) -> None:
    """Fill t, who and part of the first n rays with the nearest plane, or with infinity, -1 and -1."""
    ts, who, part, start, towards = rays.t, rays.who, rays.part, rays.start, rays.towards
    planes, size, level, centre, turn = packed.planes, packed.size, placed.level, placed.centre, placed.turn
    for r in range(n):
        ts[r], who[r], part[r] = FAR, -1, -1
    for k in range(planes.shape[0]):
        i, height = planes[k], level[k]
        if start.shape[1] > 1:
            _meet_from_anywhere(ts, who, start, towards, size, centre, turn, i, height, n)
        elif height >= ZERO:
            _meet_from_sensor(ts, who, towards, size, centre, turn, i, height, n)


@inner
def _meet_from_sensor(
    ts: Array, who: Array, towards: Array, size: Array, centre: Array, turn: Array, i: int, height: np.float32, n: int
) -> None:
    """Meet plane i, which is this far below the sensor, with rays that start there."""
    ux, uy, uz, vx, vy, vz = turn[i, 0], turn[i, 3], turn[i, 6], turn[i, 1], turn[i, 4], turn[i, 7]
    ax, ay, az, wide, deep = turn[i, 2], turn[i, 5], turn[i, 8], size[i, 0], size[i, 1]
    left = ux * centre[i, 0] + uy * centre[i, 1] + uz * centre[i, 2]
    bottom = vx * centre[i, 0] + vy * centre[i, 1] + vz * centre[i, 2]
    for r in range(n):
        dx, dy, dz = towards[0, r], towards[1, r], towards[2, r]
        down = ax * dx + ay * dy + az * dz
        t = -height / down
        x, y = t * (ux * dx + uy * dy + uz * dz) - left, t * (vx * dx + vy * dy + vz * dz) - bottom
        before, owner = ts[r], who[r]
        nearer = (down < -EDGE_ON) & (t < before) & (abs(x) <= wide) & (abs(y) <= deep)
        ts[r] = t if nearer else before
        who[r] = i if nearer else owner


@inner
def _meet_from_anywhere(
    ts: Array,
    who: Array,
    start: Array,
    towards: Array,
    size: Array,
    centre: Array,
    turn: Array,
    i: int,
    height: np.float32,
    n: int,
) -> None:
    """Meet plane i, which is this far below the sensor, with rays that each have their own start."""
    ax, ay, az = turn[i, 2], turn[i, 5], turn[i, 8]
    for r in range(n):
        ox, oy, oz = start[0, r], start[1, r], start[2, r]
        dx, dy, dz = towards[0, r], towards[1, r], towards[2, r]
        down = ax * dx + ay * dy + az * dz
        above = height + ax * ox + ay * oy + az * oz
        if not (down < -EDGE_ON and above >= ZERO and above < -down * ts[r]):
            continue
        t = -above / down
        px, py, pz = ox + t * dx - centre[i, 0], oy + t * dy - centre[i, 1], oz + t * dz - centre[i, 2]
        x = turn[i, 0] * px + turn[i, 3] * py + turn[i, 6] * pz
        y = turn[i, 1] * px + turn[i, 4] * py + turn[i, 7] * pz
        if abs(x) <= size[i, 0] and abs(y) <= size[i, 1]:
            ts[r], who[r] = t, i


@inner
def paint_planes(packed: Packed, placed: Placed, rays: Rays, n: int, pixel: np.float32) -> None:
    """Fill point, normal, colour and sunlit of those of the first n rays that end on a plain or checkered plane."""
    normal, sunlit = rays.normal, rays.sunlit
    for r in range(n):
        sunlit[r] = ZERO
    for c in range(3):
        for r in range(n):
            normal[c, r] = ZERO
    if rays.start.shape[1] > 1:
        return
    share = np.empty(n, np.float32)
    for i in packed.planes:
        if packed.texture[i] > CHECKER or not placed.there[i]:
            continue
        for r in range(n):
            share[r] = ZERO
        if packed.texture[i] == CHECKER:
            _checkered(placed.centre, placed.turn, i, packed.paint[i, 6], pixel, rays.towards, rays.t, share, n)
        _fill(packed.paint, placed.turn, i, packed.air, rays, share, n)


@inner
def _checkered(
    centre: Array,
    turn: Array,
    i: int,
    scale: np.float32,
    pixel: np.float32,
    towards: Array,
    ts: Array,
    share: Array,
    n: int,
) -> None:
    """Write how much of the second colour each ray sees if it ends on plane i."""
    ax, ay, az = turn[i, 2], turn[i, 5], turn[i, 8]
    for r in range(n):
        share[r] = ONE
    for axis in range(2):
        ux, uy, uz = turn[i, axis], turn[i, 3 + axis], turn[i, 6 + axis]
        origin = ux * centre[i, 0] + uy * centre[i, 1] + uz * centre[i, 2]
        for r in range(n):
            dx, dy, dz, t, other = towards[0, r], towards[1, r], towards[2, r], ts[r], share[r]
            x = scale * (t * (ux * dx + uy * dy + uz * dz) - origin)
            wide = scale * pixel * t / math.sqrt(max(LEAST_COSINE, abs(ax * dx + ay * dy + az * dz)))
            share[r] = other * stripes(x, wide)
    for r in range(n):
        share[r] = HALF - HALF * share[r]


@inner
def _fill(paint: Array, turn: Array, i: int, air: Array, rays: Rays, share: Array, n: int) -> None:
    """Give the rays that end on plane i their colour, with this share of the second one, direction and light."""
    ts, whose, towards = rays.t, rays.who, rays.towards
    point, normal, colour, sunlit = rays.point, rays.normal, rays.colour, rays.sunlit
    for c in range(3):
        first, second, upward = paint[i, c], paint[i, c + 3], turn[i, 2 + 3 * c]
        for r in range(n):
            before, mine = colour[c, r], first + share[r] * (second - first)
            colour[c, r] = mine if whose[r] == i else before
        for r in range(n):
            before = normal[c, r]
            normal[c, r] = upward if whose[r] == i else before
        for r in range(n):
            before, t = point[c, r], ts[r]
            mine = t * towards[c, r] + OFF_SURFACE * max(ONE, t) * upward
            point[c, r] = mine if whose[r] == i else before
    direct = max(ZERO, turn[i, 2] * air[0, 0] + turn[i, 5] * air[0, 1] + turn[i, 8] * air[0, 2])
    for r in range(n):
        before = sunlit[r]
        sunlit[r] = direct if whose[r] == i else before
