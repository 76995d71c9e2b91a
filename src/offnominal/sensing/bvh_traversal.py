"""Ray traversal of the tree over all instances, which is built for every call."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled, compiled_internal
from offnominal.core.types import Array, FloatArray
from offnominal.sensing.bvh import build_bvh
from offnominal.sensing.intersections import (
    FAR,
    ONE,
    STACK,
    ZERO,
    intersect_box,
    intersect_convex,
    intersect_mesh,
    reciprocal,
    to_local,
)
from offnominal.sensing.packed_scene import PackedScene
from offnominal.sensing.placed_instances import PlacedInstances, extent_along, place
from offnominal.sensing.planes import intersect_planes, shade_planes
from offnominal.sensing.rays import Rays, make_rays
from offnominal.sensing.shading import surface
from offnominal.sensing.shapes import MESH

MARGIN = np.float32(1.0001)
# Numba compiles a function once more for every constant argument, so these are converted where they are passed.
SEPARATE = True
LEAF = 1


@compiled
def trace_rays(
    packed: PackedScene,
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
    """Trace rays; see :func:`offnominal.sensing.cast_rays`."""
    n = directions.shape[0]
    eye = origins[0]
    rays = make_rays(n, origins.shape[0])
    start, direction = rays.start, rays.direction
    for r in range(n):
        x, y, z = directions[r, 0], directions[r, 1], directions[r, 2]
        length = math.sqrt(x * x + y * y + z * z)
        direction[0, r], direction[1, r], direction[2, r] = x / length, y / length, z / length
    for r in range(origins.shape[0]):
        for c in range(3):
            start[c, r] = origins[r, c] - eye[c]
    placed = place(packed, positions, rotations, eye)
    intersect_planes(packed, placed, rays, n)
    trace_bvh(packed, placed, rays, n)
    shade_planes(packed, placed, rays, n, ZERO)
    surface(packed, placed, rays, n, ZERO, bool(SEPARATE))
    t, hit, normals = rays.t, rays.hit, rays.normal
    for r in range(n):
        met = hit[r] >= 0 and t[r] <= reach
        distance[r] = t[r] if met else FAR
        label[r] = packed.label[hit[r]] if met else int(packed.lighting[8, 2])
        instance[r] = packed.identity[hit[r]] if met else 0
        for c in range(3):
            normal[r, c] = normals[c, r] if met else ZERO


@compiled_internal
def bounding_boxes(packed: PackedScene, placed: PlacedInstances) -> Array:
    """Return the axis-aligned bounding boxes of all instances but planes; absent instances have empty boxes."""
    solids, extent = packed.solids, packed.extent
    centre, rotation, present = placed.centre, placed.rotation, placed.present
    boxes = np.empty((solids.shape[0], 6), np.float32)
    for s in range(solids.shape[0]):
        i = solids[s]
        for axis in range(3):
            x, y, z = np.float32(axis == 0), np.float32(axis == 1), np.float32(axis == 2)
            reach = MARGIN * extent_along(extent, rotation, i, x, y, z)
            boxes[s, axis] = centre[i, axis] - reach if present[i] else ZERO
            boxes[s, axis + 3] = centre[i, axis] + reach if present[i] else ZERO
    return boxes


@compiled_internal
def trace_bvh(packed: PackedScene, placed: PlacedInstances, rays: Rays, n: int) -> None:
    """As :func:`offnominal.sensing.rays.trace`, with a tree."""
    kind, size, reach, root = packed.kind, packed.size, packed.bounding_radius_squared, packed.root
    boxes, links, triangles, solids = packed.boxes, packed.links, packed.triangles, packed.solids
    centre, rotation, present = placed.centre, placed.rotation, placed.present
    start, direction, out_t, out_hit, out_part = rays.start, rays.direction, rays.t, rays.hit, rays.part
    stack, waiting = np.empty(STACK, np.int32), np.empty(STACK, np.int32)
    top_boxes, top_links, order = build_bvh(bounding_boxes(packed, placed), int(LEAF))
    one = start.shape[1] == 1
    for r in range(n):
        ox, oy, oz = start[0, 0 if one else r], start[1, 0 if one else r], start[2, 0 if one else r]
        dx, dy, dz = direction[0, r], direction[1, r], direction[2, r]
        origin, reciprocals = (ox, oy, oz), reciprocal((dx, dy, dz))
        inverse = ONE / (dx * dx + dy * dy + dz * dz)
        best, hit, part = out_t[r], out_hit[r], -1
        waiting[0] = 0
        depth = 1 if solids.shape[0] > 0 else 0
        while depth > 0:
            depth -= 1
            node = waiting[depth]
            if not intersect_box(top_boxes, node, origin, reciprocals, ZERO, best) < FAR:
                continue
            first, count = top_links[node, 0], top_links[node, 1]
            if count == 0:
                left = intersect_box(top_boxes, first, origin, reciprocals, ZERO, best)
                right = intersect_box(top_boxes, first + 1, origin, reciprocals, ZERO, best)
                nearer = first if left <= right else first + 1
                waiting[depth], waiting[depth + 1] = 2 * first + 1 - nearer, nearer
                depth += 2
            for m in range(first, first + count):
                i = solids[order[m]]
                cx, cy, cz = centre[i, 0] - ox, centre[i, 1] - oy, centre[i, 2] - oz
                middle = (cx * dx + cy * dy + cz * dz) * inverse
                qx, qy, qz = middle * dx - cx, middle * dy - cy, middle * dz - cz
                if not present[i] or qx * qx + qy * qy + qz * qz > reach[i]:
                    continue
                local = to_local(rotation, i, (qx, qy, qz))
                along = to_local(rotation, i, (dx, dy, dz))
                which = -1
                if kind[i] == MESH:
                    t, which = intersect_mesh(
                        root[i], boxes, links, triangles, local, along, -middle, best - middle, stack
                    )
                else:
                    t = intersect_convex(kind[i], (size[i, 0], size[i, 1], size[i, 2]), local, along, -middle)
                if t + middle < best:
                    best, hit, part = t + middle, i, which
        out_t[r], out_hit[r], out_part[r] = best, hit, part
