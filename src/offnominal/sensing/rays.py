"""Bundles of rays, and the nearest thing that each of them meets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compiled import inner
from offnominal.sensing.cells import Cells
from offnominal.sensing.meet import STACK, meet, meet_mesh
from offnominal.sensing.packed import Packed
from offnominal.sensing.placed import Placed
from offnominal.sensing.shapes import MESH

ZERO = np.float32(0.0)
ONE = np.float32(1.0)


class Rays(NamedTuple):
    """Rays and what becomes of them; each stage of the work reads some columns and fills others.

    Args:
        start: (3, n), or (3, 1) if all rays leave the sensor; counted from the sensor.
        towards: (3, n): directions of any length; t counts in it.
        cell: (n,): which list of instances to look at.
        t: (n,): where the ray meets something; infinite if it does not.
        who: (n,): which instance; -1 for none.
        part: (n,): which triangle of a mesh.
        point: (3, n): a little off the surface, counted from the sensor.
        normal: (3, n): away from the surface, towards the sensor.
        colour: (3, n): first the surface's own colour, at last the colour seen.
        sunlit: (n,): how directly the sun shines on the surface, from 0 to 1.
    """

    start: NDArray[np.float32]
    towards: NDArray[np.float32]
    cell: NDArray[np.int32]
    t: NDArray[np.float32]
    who: NDArray[np.int32]
    part: NDArray[np.int32]
    point: NDArray[np.float32]
    normal: NDArray[np.float32]
    colour: NDArray[np.float32]
    sunlit: NDArray[np.float32]


@inner
def make_rays(n: int, starts: int) -> Rays:
    """Return room for n rays."""
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


@inner
def trace(packed: Packed, placed: Placed, cells: Cells, rays: Rays, n: int) -> None:
    """Bring t, who and part of the first n rays nearer where something stands before what they hold."""
    # Columns are taken out before the loop: taking one out of a tuple counts references.
    kind, size, reach, root = packed.kind, packed.size, packed.reach, packed.root
    boxes, links, triangles = packed.boxes, packed.links, packed.triangles
    centre, turn = placed.centre, placed.turn
    starts, members, near = cells.starts, cells.members, cells.near
    start, towards, cell = rays.start, rays.towards, rays.cell
    out_t, out_who, out_part = rays.t, rays.who, rays.part
    stack = np.empty(STACK, np.int32)
    own_start = start.shape[1] > 1
    ox, oy, oz = ZERO, ZERO, ZERO
    for r in range(n):
        first, last = starts[cell[r]], starts[cell[r] + 1]
        best, who, part = out_t[r], -1, -1
        if first == last or near[members[first]] >= best:
            continue
        if own_start:
            ox, oy, oz = start[0, r], start[1, r], start[2, r]
        dx, dy, dz = towards[0, r], towards[1, r], towards[2, r]
        inverse = ONE / (dx * dx + dy * dy + dz * dz)
        for m in range(first, last):
            i = members[m]
            if near[i] >= best:
                break
            cx, cy, cz = centre[i, 0] - ox, centre[i, 1] - oy, centre[i, 2] - oz
            middle = (cx * dx + cy * dy + cz * dz) * inverse
            qx, qy, qz = middle * dx - cx, middle * dy - cy, middle * dz - cz
            if qx * qx + qy * qy + qz * qz > reach[i]:
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
        if who >= 0:
            out_t[r], out_who[r], out_part[r] = best, who, part
