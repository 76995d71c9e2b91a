"""Intersection and shading of planes for whole bundles of rays.

Most pixels of most images show the ground. These loops have no branches and one array per coordinate, so that the
compiler vectorises them.
"""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled_internal
from offnominal.core.types import Array
from offnominal.sensing.intersections import FAR, ONE, ZERO
from offnominal.sensing.material import CHECKER
from offnominal.sensing.packed_scene import PackedScene
from offnominal.sensing.placed_instances import PlacedInstances
from offnominal.sensing.rays import Rays
from offnominal.sensing.shapes import PATCHES
from offnominal.sensing.texture import stripes

EDGE_ON = np.float32(1e-7)
HALF = np.float32(0.5)
OFF_SURFACE = np.float32(1e-4)
LEAST_COSINE = np.float32(0.05)


@compiled_internal
def intersect_planes(packed: PackedScene, placed: PlacedInstances, rays: Rays, n: int) -> None:
    """Set t, hit and part of the first n rays to the nearest plane, or to infinity, -1 and -1."""
    ts, hit, part, start, direction = rays.t, rays.hit, rays.part, rays.start, rays.direction
    planes, size, level, centre, rotation = packed.planes, packed.size, placed.level, placed.centre, placed.rotation
    for r in range(n):
        ts[r], hit[r], part[r] = FAR, -1, -1
    for k in range(planes.shape[0]):
        i, height = planes[k], level[k]
        if packed.kind[i] == PATCHES:
            intersect_patches(packed, rays, centre, rotation, i, height, n)
        elif start.shape[1] > 1:
            _intersect_from_anywhere(ts, hit, start, direction, size, centre, rotation, i, height, n)
        elif height >= ZERO:
            _intersect_from_sensor(ts, hit, direction, size, centre, rotation, i, height, n)


@compiled_internal
def _intersect_from_sensor(
    ts: Array,
    hit: Array,
    direction: Array,
    size: Array,
    centre: Array,
    rotation: Array,
    i: int,
    height: np.float32,
    n: int,
) -> None:
    """Intersect plane i with rays that start at the sensor, which is at this height above it."""
    ux, uy, uz, vx, vy, vz = (
        rotation[i, 0],
        rotation[i, 3],
        rotation[i, 6],
        rotation[i, 1],
        rotation[i, 4],
        rotation[i, 7],
    )
    ax, ay, az, wide, deep = rotation[i, 2], rotation[i, 5], rotation[i, 8], size[i, 0], size[i, 1]
    left = ux * centre[i, 0] + uy * centre[i, 1] + uz * centre[i, 2]
    bottom = vx * centre[i, 0] + vy * centre[i, 1] + vz * centre[i, 2]
    for r in range(n):
        dx, dy, dz = direction[0, r], direction[1, r], direction[2, r]
        down = ax * dx + ay * dy + az * dz
        t = -height / down
        x, y = t * (ux * dx + uy * dy + uz * dz) - left, t * (vx * dx + vy * dy + vz * dz) - bottom
        before, owner = ts[r], hit[r]
        nearer = (down < -EDGE_ON) & (t < before) & (abs(x) <= wide) & (abs(y) <= deep)
        ts[r] = t if nearer else before
        hit[r] = i if nearer else owner


@compiled_internal
def _intersect_from_anywhere(
    ts: Array,
    hit: Array,
    start: Array,
    direction: Array,
    size: Array,
    centre: Array,
    rotation: Array,
    i: int,
    height: np.float32,
    n: int,
) -> None:
    """Intersect plane i with rays that have different origins; the sensor is at this height above it."""
    ax, ay, az = rotation[i, 2], rotation[i, 5], rotation[i, 8]
    for r in range(n):
        ox, oy, oz = start[0, r], start[1, r], start[2, r]
        dx, dy, dz = direction[0, r], direction[1, r], direction[2, r]
        down = ax * dx + ay * dy + az * dz
        above = height + ax * ox + ay * oy + az * oz
        if not (down < -EDGE_ON and above >= ZERO and above < -down * ts[r]):
            continue
        t = -above / down
        px, py, pz = ox + t * dx - centre[i, 0], oy + t * dy - centre[i, 1], oz + t * dz - centre[i, 2]
        x = rotation[i, 0] * px + rotation[i, 3] * py + rotation[i, 6] * pz
        y = rotation[i, 1] * px + rotation[i, 4] * py + rotation[i, 7] * pz
        if abs(x) <= size[i, 0] and abs(y) <= size[i, 1]:
            ts[r], hit[r] = t, i


@compiled_internal
def shade_planes(packed: PackedScene, placed: PlacedInstances, rays: Rays, n: int, pixel: np.float32) -> None:
    """Set point, normal, colour and sunlit of those of the first n rays that hit a plain or checkered plane."""
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
        if packed.texture[i] > CHECKER or not placed.present[i]:
            continue
        for r in range(n):
            share[r] = ZERO
        if packed.texture[i] == CHECKER:
            _checkered(placed.centre, placed.rotation, i, packed.paint[i, 6], pixel, rays.direction, rays.t, share, n)
        _fill(packed.paint, placed.rotation, i, packed.lighting, rays, share, n)


@compiled_internal
def _checkered(
    centre: Array,
    rotation: Array,
    i: int,
    scale: np.float32,
    pixel: np.float32,
    direction: Array,
    ts: Array,
    share: Array,
    n: int,
) -> None:
    """Write the share of the second colour for each ray that hits plane i."""
    ax, ay, az = rotation[i, 2], rotation[i, 5], rotation[i, 8]
    for r in range(n):
        share[r] = ONE
    for axis in range(2):
        ux, uy, uz = rotation[i, axis], rotation[i, 3 + axis], rotation[i, 6 + axis]
        origin = ux * centre[i, 0] + uy * centre[i, 1] + uz * centre[i, 2]
        for r in range(n):
            dx, dy, dz, t, other = direction[0, r], direction[1, r], direction[2, r], ts[r], share[r]
            x = scale * (t * (ux * dx + uy * dy + uz * dz) - origin)
            wide = scale * pixel * t / math.sqrt(max(LEAST_COSINE, abs(ax * dx + ay * dy + az * dz)))
            share[r] = other * stripes(x, wide)
    for r in range(n):
        share[r] = HALF - HALF * share[r]


@compiled_internal
def _fill(paint: Array, rotation: Array, i: int, lighting: Array, rays: Rays, share: Array, n: int) -> None:
    """Set colour, normal and light of the rays that hit plane i, given the share of the second colour."""
    ts, hits, direction = rays.t, rays.hit, rays.direction
    point, normal, colour, sunlit = rays.point, rays.normal, rays.colour, rays.sunlit
    for c in range(3):
        first, second, upward = paint[i, c], paint[i, c + 3], rotation[i, 2 + 3 * c]
        for r in range(n):
            before, mine = colour[c, r], first + share[r] * (second - first)
            colour[c, r] = mine if hits[r] == i else before
        for r in range(n):
            before = normal[c, r]
            normal[c, r] = upward if hits[r] == i else before
        for r in range(n):
            before, t = point[c, r], ts[r]
            mine = t * direction[c, r] + OFF_SURFACE * max(ONE, t) * upward
            point[c, r] = mine if hits[r] == i else before
    direct = max(
        ZERO, rotation[i, 2] * lighting[0, 0] + rotation[i, 5] * lighting[0, 1] + rotation[i, 8] * lighting[0, 2]
    )
    for r in range(n):
        before = sunlit[r]
        sunlit[r] = direct if hits[r] == i else before


# Overlap of neighbouring triangles, so that no ray passes between them.
OVERLAP = np.float32(2e-5)


@compiled_internal
def intersect_patches(
    packed: PackedScene, rays: Rays, centre: Array, rotation: Array, i: int, height: np.float32, n: int
) -> None:
    """Set t and hit of those of the first n rays that hit the patches of instance i before anything else.

    The sensor is at this height above the patches. The search of the grid is part of this loop, because a call with all
    arrays would take longer than the search.
    """
    ts, hit, start, direction = rays.t, rays.hit, rays.start, rays.direction
    starts, members, triangles, header = (
        packed.patch_starts,
        packed.patch_members,
        packed.patch_triangles,
        packed.patch_header,
    )
    first, columns, high = packed.patch_first[i], int(header[i, 4]), header[i, 5]
    low_x, low_y, scale_x, scale_y = header[i, 0], header[i, 1], header[i, 2], header[i, 3]
    own_start, ox, oy, oz, above = start.shape[1] > 1, ZERO, ZERO, ZERO, height
    ax, ay, az = rotation[i, 2], rotation[i, 5], rotation[i, 8]
    ux, uy, uz = rotation[i, 0], rotation[i, 3], rotation[i, 6]
    vx, vy, vz = rotation[i, 1], rotation[i, 4], rotation[i, 7]
    left = ux * centre[i, 0] + uy * centre[i, 1] + uz * centre[i, 2]
    bottom = vx * centre[i, 0] + vy * centre[i, 1] + vz * centre[i, 2]
    for r in range(n if own_start or height >= ZERO else 0):
        dx, dy, dz = direction[0, r], direction[1, r], direction[2, r]
        if own_start:
            ox, oy, oz = start[0, r], start[1, r], start[2, r]
            above = height + ax * ox + ay * oy + az * oz
        down = ax * dx + ay * dy + az * dz
        if not (down < -EDGE_ON and above >= ZERO and above < -down * ts[r]):
            continue
        t = -above / down
        px, py, pz = ox + t * dx, oy + t * dy, oz + t * dz
        x, y = ux * px + uy * py + uz * pz - left, vx * px + vy * py + vz * pz - bottom
        column, row = (x - low_x) * scale_x, (y - low_y) * scale_y
        if not (ZERO <= column < columns and ZERO <= row < high):
            continue
        cell = first + int(row) * columns + int(column)
        for m in range(starts[cell], starts[cell + 1]):
            k = members[m]
            ex, ey = x - triangles[k, 0], y - triangles[k, 1]
            a, b = triangles[k, 2] * ex + triangles[k, 3] * ey, triangles[k, 4] * ex + triangles[k, 5] * ey
            if a >= -OVERLAP and b >= -OVERLAP and a + b <= ONE + OVERLAP:
                ts[r], hit[r] = t, i
                break
