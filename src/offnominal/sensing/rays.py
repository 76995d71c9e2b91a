"""Bundles of rays and their nearest hits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled_internal
from offnominal.sensing.cells import Cells
from offnominal.sensing.intersections import STACK, intersect_convex, intersect_mesh, reciprocal, to_local
from offnominal.sensing.packed_scene import PackedScene
from offnominal.sensing.placed_instances import PlacedInstances
from offnominal.sensing.shapes import MESH

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
WIDER, SLACK = np.float32(1.0001), np.float32(1e-4)


class Rays(NamedTuple):
    """Rays and their hits; each stage reads some columns and fills others.

    Args:
        start: (3, n), or (3, 1) if all rays start at the sensor; relative to the sensor.
        direction: (3, n): directions of any length, the unit of t.
        cell: (n,): cell of the ray, whose list of instances is tested.
        t: (n,): position of the hit; infinite without a hit.
        hit: (n,): index of the instance; -1 for none.
        part: (n,): triangle of a mesh.
        point: (3, n): point slightly off the surface, relative to the sensor.
        normal: (3, n): normal of the surface, towards the sensor.
        colour: (3, n): colour of the surface, finally the colour of the pixel.
        sunlit: (n,): direct light of the sun on the surface, from 0 to 1.
    """

    start: NDArray[np.float32]
    direction: NDArray[np.float32]
    cell: NDArray[np.int32]
    t: NDArray[np.float32]
    hit: NDArray[np.int32]
    part: NDArray[np.int32]
    point: NDArray[np.float32]
    normal: NDArray[np.float32]
    colour: NDArray[np.float32]
    sunlit: NDArray[np.float32]


@compiled_internal
def make_rays(n: int, starts: int) -> Rays:
    """Return empty arrays for n rays."""
    return Rays(
        np.zeros((3, starts), np.float32),
        np.empty((3, n), np.float32),
        np.empty(n, np.int32),
        np.empty(n, np.float32),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty((3, n), np.float32),
        np.empty((3, n), np.float32),
        np.empty((3, n), np.float32),
        np.empty(n, np.float32),
    )


@compiled_internal
def trace(packed: PackedScene, placed: PlacedInstances, cells: Cells, rays: Rays, n: int) -> None:
    """Update t, hit and part of those of the first n rays that hit something nearer than their current hit."""
    # Columns are read before the loop: reading them from a tuple counts references.
    kind, size, bounding_radius_squared, root = packed.kind, packed.size, packed.bounding_radius_squared, packed.root
    boxes, links, triangles = packed.boxes, packed.links, packed.triangles
    centre, rotation, extent = placed.centre, placed.rotation, packed.extent
    starts, members, near = cells.starts, cells.members, cells.near
    start, direction, cell = rays.start, rays.direction, rays.cell
    out_t, out_hit, out_part = rays.t, rays.hit, rays.part
    stack = np.empty(STACK, np.int32)
    own_start = start.shape[1] > 1
    ox, oy, oz = ZERO, ZERO, ZERO
    for r in range(n):
        first, last = starts[cell[r]], starts[cell[r] + 1]
        best, hit, part = out_t[r], -1, -1
        if first == last or near[members[first]] >= best:
            continue
        if own_start:
            ox, oy, oz = start[0, r], start[1, r], start[2, r]
        dx, dy, dz = direction[0, r], direction[1, r], direction[2, r]
        inverse = ONE / (dx * dx + dy * dy + dz * dz)
        for m in range(first, last):
            i = members[m]
            if near[i] >= best:
                break
            cx, cy, cz = centre[i, 0] - ox, centre[i, 1] - oy, centre[i, 2] - oz
            middle = (cx * dx + cy * dy + cz * dz) * inverse
            qx, qy, qz = middle * dx - cx, middle * dy - cy, middle * dz - cz
            if qx * qx + qy * qy + qz * qz > bounding_radius_squared[i]:
                continue
            local = to_local(rotation, i, (qx, qy, qz))
            along = to_local(rotation, i, (dx, dy, dz))
            which = -1
            if kind[i] == MESH:
                # A ray that misses the bounding box is not worth a call.
                (lx, ly, lz), (ix, iy, iz) = local, reciprocal(along)
                wide = (WIDER * extent[i, 0] + SLACK) * abs(ix)
                deep = (WIDER * extent[i, 1] + SLACK) * abs(iy)
                tall = (WIDER * extent[i, 2] + SLACK) * abs(iz)
                enter = max(-lx * ix - wide, -ly * iy - deep, -lz * iz - tall)
                leave = min(wide - lx * ix, deep - ly * iy, tall - lz * iz)
                if enter > leave or enter >= best - middle or leave <= -middle:
                    continue
                t, which = intersect_mesh(root[i], boxes, links, triangles, local, along, -middle, best - middle, stack)
            else:
                t = intersect_convex(kind[i], (size[i, 0], size[i, 1], size[i, 2]), local, along, -middle)
            if t + middle < best:
                best, hit, part = t + middle, i, which
        if hit >= 0:
            out_t[r], out_hit[r], out_part[r] = best, hit, part
