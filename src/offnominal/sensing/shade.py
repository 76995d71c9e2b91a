"""From where a ray ends to the colour it sees: surface, shadow, light and air."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compiled import inner
from offnominal.sensing.cells import SunMap
from offnominal.sensing.material import CHECKER, PLAIN
from offnominal.sensing.meet import FAR, STACK, meet, meet_mesh
from offnominal.sensing.packed import Packed
from offnominal.sensing.placed import Placed
from offnominal.sensing.rays import Rays
from offnominal.sensing.shapes import BOX, CAPSULE, CYLINDER, ELLIPSOID, MESH, PLANE, SPHERE
from offnominal.sensing.texture import GLOW, LIT, checker, pattern

ZERO, HALF, ONE, TWO = (np.float32(value) for value in (0.0, 0.5, 1.0, 2.0))
OFF_SURFACE = np.float32(1e-4)
FINE = np.float32(0.05)
INSET = np.float32(1e-3)
LEAST_COSINE = np.float32(0.05)


@inner
def surface(packed: Packed, placed: Placed, rays: Rays, n: int, pixel: np.float32, parallel: bool) -> None:
    """Fill point, normal, colour and sunlit of those of the first n rays that `paint_planes` has left.

    `pixel` is a pixel's size at t = 1, or at any t if lines of sight are parallel.
    """
    turn, centre, paint = placed.turn, placed.centre, packed.paint
    kind, size, triangles, trim, texture = packed.kind, packed.size, packed.triangles, packed.trim, packed.texture
    start, towards, ts, whose, parts = rays.start, rays.towards, rays.t, rays.who, rays.part
    point, normal, colour, sunlit, air = rays.point, rays.normal, rays.colour, rays.sunlit, packed.air
    own_start, ox, oy, oz = start.shape[1] > 1, ZERO, ZERO, ZERO
    for r in range(n):
        i = whose[r]
        if i < 0 or (not own_start and kind[i] == PLANE and texture[i] <= CHECKER):
            continue
        if own_start:
            ox, oy, oz = start[0, r], start[1, r], start[2, r]
        t, part, dx, dy, dz = ts[r], parts[r], towards[0, r], towards[1, r], towards[2, r]
        px, py, pz = ox + t * dx, oy + t * dy, oz + t * dz
        qx, qy, qz = px - centre[i, 0], py - centre[i, 1], pz - centre[i, 2]
        lx = turn[i, 0] * qx + turn[i, 3] * qy + turn[i, 6] * qz
        ly = turn[i, 1] * qx + turn[i, 4] * qy + turn[i, 7] * qz
        lz = turn[i, 2] * qx + turn[i, 5] * qy + turn[i, 8] * qz
        ax, ay, az = ZERO, ZERO, ONE
        nx, ny, nz = turn[i, 2], turn[i, 5], turn[i, 8]
        if kind[i] != PLANE:
            ax, ay, az = _outward(kind[i], size[i, 0], size[i, 1], size[i, 2], triangles, part, lx, ly, lz)
            nx = turn[i, 0] * ax + turn[i, 1] * ay + turn[i, 2] * az
            ny = turn[i, 3] * ax + turn[i, 4] * ay + turn[i, 5] * az
            nz = turn[i, 6] * ax + turn[i, 7] * ay + turn[i, 8] * az
        facing = nx * dx + ny * dy + nz * dz
        if facing > ZERO:
            nx, ny, nz = -nx, -ny, -nz
        normal[0, r], normal[1, r], normal[2, r] = nx, ny, nz
        off = OFF_SURFACE * max(ONE, t)
        point[0, r], point[1, r], point[2, r] = px + off * nx, py + off * ny, pz + off * nz
        sunlit[r] = max(ZERO, nx * air[0, 0] + ny * air[0, 1] + nz * air[0, 2])
        share = ZERO
        if part >= 0 and trim[part]:
            share = ONE
        elif texture[i] != PLAIN:
            scale = paint[i, 6]
            wide = scale * (pixel if parallel else pixel * t)
            if wide > FINE:
                wide /= math.sqrt(max(LEAST_COSINE, abs(facing)))
            lx, ly, lz = (lx - INSET * ax) * scale, (ly - INSET * ay) * scale, (lz - INSET * az) * scale
            if texture[i] == CHECKER:
                share = checker(lx, ly, lz, wide)
            else:
                share = pattern(texture[i], i, lx, ly, lz, ax, ay, az, wide)
        if share == GLOW:
            colour[0, r], colour[1, r], colour[2, r] = LIT
            continue
        colour[0, r] = paint[i, 0] + share * (paint[i, 3] - paint[i, 0])
        colour[1, r] = paint[i, 1] + share * (paint[i, 4] - paint[i, 1])
        colour[2, r] = paint[i, 2] + share * (paint[i, 5] - paint[i, 2])


@inner
def _outward(
    kind: int,
    sx: np.float32,
    sy: np.float32,
    sz: np.float32,
    triangles: NDArray[np.float32],
    part: int,
    x: np.float32,
    y: np.float32,
    z: np.float32,
) -> tuple[np.float32, np.float32, np.float32]:
    """Return the direction of length one that leaves a shape at a point of its surface."""
    if kind == BOX:
        gap_x, gap_y, gap_z = sx - abs(x), sy - abs(y), sz - abs(z)
        if gap_x <= gap_y and gap_x <= gap_z:
            return ONE if x > ZERO else -ONE, ZERO, ZERO
        if gap_y <= gap_z:
            return ZERO, ONE if y > ZERO else -ONE, ZERO
        return ZERO, ZERO, ONE if z > ZERO else -ONE
    if kind == CYLINDER:
        if sy - abs(z) < sz - math.sqrt(x * x + y * y):
            return ZERO, ZERO, ONE if z > ZERO else -ONE
        z = ZERO
    elif kind == CAPSULE:
        z -= min(sy, max(-sy, z))
    elif kind == ELLIPSOID:
        x, y, z = x * sx * sx, y * sy * sy, z * sz * sz
    elif kind != SPHERE:
        ux, uy, uz = triangles[part, 3], triangles[part, 4], triangles[part, 5]
        vx, vy, vz = triangles[part, 6], triangles[part, 7], triangles[part, 8]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    inverse = ONE / math.sqrt(x * x + y * y + z * z)
    return x * inverse, y * inverse, z * inverse


@inner
def shadow(packed: Packed, placed: Placed, sun: SunMap, rays: Rays, n: int) -> None:
    """Take the sun from those of the first n rays that end in the shade."""
    kind, size, reach, air, root = packed.kind, packed.size, packed.reach, packed.air, packed.root
    boxes, links, triangles = packed.boxes, packed.links, packed.triangles
    centre, turn, towards = placed.centre, placed.turn, sun.towards
    starts, members, near, side = sun.cells.starts, sun.cells.members, sun.cells.near, sun.size
    point, sunlit, whose = rays.point, rays.sunlit, rays.who
    left, bottom, scale_x, scale_y = sun.origin[0], sun.origin[1], sun.origin[2], sun.origin[3]
    sx, sy, sz = air[0, 0], air[0, 1], air[0, 2]
    stack = np.empty(STACK, np.int32)
    for r in range(n):
        if sunlit[r] <= ZERO:
            continue
        px, py, pz = point[0, r], point[1, r], point[2, r]
        across = (px * air[1, 0] + py * air[1, 1] + pz * air[1, 2] - left) * scale_x
        upright = (px * air[2, 0] + py * air[2, 1] + pz * air[2, 2] - bottom) * scale_y
        if not (ZERO <= across < side and ZERO <= upright < side):
            continue
        cell = int(upright) * side + int(across)
        height = px * sx + py * sy + pz * sz
        for m in range(starts[cell], starts[cell + 1]):
            i = members[m]
            if -near[i] < height:
                break
            # What is convex does not shade its own sunny side.
            if i == whose[r] and kind[i] != MESH:
                continue
            cx, cy, cz = centre[i, 0] - px, centre[i, 1] - py, centre[i, 2] - pz
            middle = cx * sx + cy * sy + cz * sz
            qx, qy, qz = middle * sx - cx, middle * sy - cy, middle * sz - cz
            if qx * qx + qy * qy + qz * qz > reach[i]:
                continue
            lx = turn[i, 0] * qx + turn[i, 3] * qy + turn[i, 6] * qz
            ly = turn[i, 1] * qx + turn[i, 4] * qy + turn[i, 7] * qz
            lz = turn[i, 2] * qx + turn[i, 5] * qy + turn[i, 8] * qz
            ex, ey, ez = towards[i, 0], towards[i, 1], towards[i, 2]
            if kind[i] == MESH:
                t, _ = meet_mesh(root[i], boxes, links, triangles, lx, ly, lz, ex, ey, ez, -middle, FAR, stack)
            else:
                t = meet(kind[i], size[i, 0], size[i, 1], size[i, 2], lx, ly, lz, ex, ey, ez, -middle)
            if t < FAR:
                sunlit[r] = ZERO
                break


@inner
def illuminate(packed: Packed, rays: Rays, n: int) -> None:
    """Turn the surface colours of the first n rays into what is seen, through the air and with the sky behind."""
    air, towards, ts, whose = packed.air, rays.towards, rays.t, rays.who
    normal, sunlit, colour = rays.normal, rays.sunlit, rays.colour
    # The points off the surfaces have done their service; their room takes how high a ray climbs and how hazy it is.
    climb, haze = rays.point[0], rays.point[1]
    density = air[8, 0]
    for r in range(n):
        length = math.sqrt(
            towards[0, r] * towards[0, r] + towards[1, r] * towards[1, r] + towards[2, r] * towards[2, r]
        )
        up = max(ZERO, towards[2, r] / length)
        climb[r] = up * (TWO - up)
        x = density * length * ts[r]
        haze[r] = ONE - ONE / (ONE + x + HALF * x * x)
    for c in range(3):
        sun, above, below, horizon, zenith = air[3, c], air[4, c], air[5, c], air[6, c], air[7, c]
        for r in range(n):
            daylight = below + (HALF + HALF * normal[2, r]) * (above - below)
            shown = min(ONE, colour[c, r] * (daylight + sunlit[r] * sun))
            shown += haze[r] * (horizon - shown)
            sky = horizon + climb[r] * (zenith - horizon)
            colour[c, r] = sky if whose[r] < 0 else shown
