"""Intersection of flat patches for whole bundles of rays."""

from __future__ import annotations

import numpy as np

from offnominal.core.compilation import compiled_internal
from offnominal.core.types import Array
from offnominal.sensing.packed_scene import PackedScene
from offnominal.sensing.rays import Rays

ZERO, ONE, EDGE_ON = np.float32(0.0), np.float32(1.0), np.float32(1e-7)
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
