"""Rays through the tree over all instances, which is built anew for every call."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compiled import compiled, inner
from offnominal.core.types import Array, FloatArray
from offnominal.sensing.meet import FAR, ONE, STACK, ZERO, enter_box, meet, meet_mesh, nonzero
from offnominal.sensing.packed import Packed
from offnominal.sensing.placed import Placed, place, spread
from offnominal.sensing.planes import meet_planes, paint_planes
from offnominal.sensing.rays import Rays, make_rays
from offnominal.sensing.shade import surface
from offnominal.sensing.shapes import MESH
from offnominal.sensing.tree import build

MARGIN = np.float32(1.0001)


@compiled
def cast_rays(
    packed: Packed,
    positions: FloatArray,
    rotations: FloatArray,
    origins: FloatArray,
    directions: FloatArray,
    reach: float,
    distance: NDArray[np.float32],
    normal: NDArray[np.float32],
    label: NDArray[np.int32],
    instance: NDArray[np.int32],
) -> None:
    """Follow rays; see :func:`offnominal.sensing.cast`."""
    n = directions.shape[0]
    eye = origins[0]
    rays = make_rays(n, origins.shape[0])
    start, towards = rays.start, rays.towards
    for r in range(n):
        x, y, z = directions[r, 0], directions[r, 1], directions[r, 2]
        length = math.sqrt(x * x + y * y + z * z)
        towards[0, r], towards[1, r], towards[2, r] = x / length, y / length, z / length
    for r in range(origins.shape[0]):
        for c in range(3):
            start[c, r] = origins[r, c] - eye[c]
    placed = place(packed, positions, rotations, eye)
    meet_planes(packed, placed, rays, n)
    climb(packed, placed, rays, n)
    paint_planes(packed, placed, rays, n, ZERO)
    surface(packed, placed, rays, n, ZERO, True)
    t, who, normals = rays.t, rays.who, rays.normal
    for r in range(n):
        met = who[r] >= 0 and t[r] <= reach
        distance[r] = t[r] if met else FAR
        label[r] = packed.label[who[r]] if met else int(packed.air[8, 2])
        instance[r] = packed.identity[who[r]] if met else 0
        for c in range(3):
            normal[r, c] = normals[c, r] if met else ZERO


@inner
def bounds(packed: Packed, placed: Placed) -> Array:
    """Return the boxes along the world's axes around all instances but planes; those not there are empty."""
    solids, extent = packed.solids, packed.extent
    centre, turn, there = placed.centre, placed.turn, placed.there
    boxes = np.empty((solids.shape[0], 6), np.float32)
    for s in range(solids.shape[0]):
        i = solids[s]
        for axis in range(3):
            x, y, z = np.float32(axis == 0), np.float32(axis == 1), np.float32(axis == 2)
            reach = MARGIN * spread(extent, turn, i, x, y, z)
            boxes[s, axis] = centre[i, axis] - reach if there[i] else ZERO
            boxes[s, axis + 3] = centre[i, axis] + reach if there[i] else ZERO
    return boxes


@inner
def climb(packed: Packed, placed: Placed, rays: Rays, n: int) -> None:
    """Do what :func:`offnominal.sensing.rays.trace` does, but from a tree."""
    kind, size, reach, root = packed.kind, packed.size, packed.reach, packed.root
    boxes, links, triangles, solids = packed.boxes, packed.links, packed.triangles, packed.solids
    centre, turn, there = placed.centre, placed.turn, placed.there
    start, towards, out_t, out_who, out_part = rays.start, rays.towards, rays.t, rays.who, rays.part
    stack, waiting = np.empty(STACK, np.int32), np.empty(STACK, np.int32)
    top_boxes, top_links, order = build(bounds(packed, placed), 1)
    one = start.shape[1] == 1
    for r in range(n):
        ox, oy, oz = start[0, 0 if one else r], start[1, 0 if one else r], start[2, 0 if one else r]
        dx, dy, dz = towards[0, r], towards[1, r], towards[2, r]
        ix, iy, iz = ONE / nonzero(dx), ONE / nonzero(dy), ONE / nonzero(dz)
        inverse = ONE / (dx * dx + dy * dy + dz * dz)
        best, who, part = out_t[r], out_who[r], -1
        waiting[0] = 0
        depth = 1 if solids.shape[0] > 0 else 0
        while depth > 0:
            depth -= 1
            node = waiting[depth]
            if not enter_box(top_boxes, node, ox, oy, oz, ix, iy, iz, ZERO, best) < FAR:
                continue
            first, count = top_links[node, 0], top_links[node, 1]
            if count == 0:
                left = enter_box(top_boxes, first, ox, oy, oz, ix, iy, iz, ZERO, best)
                right = enter_box(top_boxes, first + 1, ox, oy, oz, ix, iy, iz, ZERO, best)
                nearer = first if left <= right else first + 1
                waiting[depth], waiting[depth + 1] = 2 * first + 1 - nearer, nearer
                depth += 2
            for m in range(first, first + count):
                i = solids[order[m]]
                cx, cy, cz = centre[i, 0] - ox, centre[i, 1] - oy, centre[i, 2] - oz
                middle = (cx * dx + cy * dy + cz * dz) * inverse
                qx, qy, qz = middle * dx - cx, middle * dy - cy, middle * dz - cz
                if not there[i] or qx * qx + qy * qy + qz * qz > reach[i]:
                    continue
                lx = turn[i, 0] * qx + turn[i, 3] * qy + turn[i, 6] * qz
                ly = turn[i, 1] * qx + turn[i, 4] * qy + turn[i, 7] * qz
                lz = turn[i, 2] * qx + turn[i, 5] * qy + turn[i, 8] * qz
                ex = turn[i, 0] * dx + turn[i, 3] * dy + turn[i, 6] * dz
                ey = turn[i, 1] * dx + turn[i, 4] * dy + turn[i, 7] * dz
                ez = turn[i, 2] * dx + turn[i, 5] * dy + turn[i, 8] * dz
                which = -1
                if kind[i] == MESH:
                    t, which = meet_mesh(
                        root[i], boxes, links, triangles, lx, ly, lz, ex, ey, ez, -middle, best - middle, stack
                    )
                else:
                    t = meet(kind[i], size[i, 0], size[i, 1], size[i, 2], lx, ly, lz, ex, ey, ez, -middle)
                if t + middle < best:
                    best, who, part = t + middle, i, which
        out_t[r], out_who[r], out_part[r] = best, who, part
