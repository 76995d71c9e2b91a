"""Shading: from the hit of a ray to its colour by surface, shadow, light and fog."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled_internal
from offnominal.sensing.cells import SunMap
from offnominal.sensing.detailed_texture import detailed
from offnominal.sensing.intersections import FAR, STACK, intersect_convex, mesh_in_the_way, to_local
from offnominal.sensing.material import ASPHALT, CHECKER, PLAIN
from offnominal.sensing.packed_scene import PackedScene
from offnominal.sensing.placed_instances import PlacedInstances
from offnominal.sensing.rays import Rays
from offnominal.sensing.shapes import BOX, CAPSULE, CYLINDER, ELLIPSOID, MESH, PATCHES, PLANE, SPHERE
from offnominal.sensing.texture import GLOW, LIT, checker, pattern

ZERO, HALF, ONE, TWO = (np.float32(value) for value in (0.0, 0.5, 1.0, 2.0))
OFF_SURFACE = np.float32(1e-4)
FINE = np.float32(0.05)
INSET = np.float32(1e-3)
LEAST_COSINE = np.float32(0.05)


@compiled_internal
def surface(
    packed: PackedScene, placed: PlacedInstances, rays: Rays, n: int, pixel: np.float32, parallel: bool
) -> None:
    """Set point, normal, colour and sunlit of those of the first n rays that `shade_planes` has not set.

    `pixel` is the size of a pixel at t = 1, or at any t for an orthographic camera.
    """
    rotation, centre, paint = placed.rotation, placed.centre, packed.paint
    kind, size, triangles, texture, middle = packed.kind, packed.size, packed.triangles, packed.texture, packed.middle
    finish, palette, corner_normals, identity = packed.finish, packed.palette, packed.corner_normals, packed.identity
    start, direction, ts, hits, parts, point = rays.start, rays.direction, rays.t, rays.hit, rays.part, rays.point
    normal, colour, sunlit, lighting = rays.normal, rays.colour, rays.sunlit, packed.lighting
    own_start, ox, oy, oz = start.shape[1] > 1, ZERO, ZERO, ZERO
    for r in range(n):
        i = hits[r]
        flat = i >= 0 and kind[i] in (PLANE, PATCHES)
        if i < 0 or (not own_start and flat and texture[i] <= CHECKER):
            continue
        if own_start:
            ox, oy, oz = start[0, r], start[1, r], start[2, r]
        t, part, dx, dy, dz = ts[r], parts[r], direction[0, r], direction[1, r], direction[2, r]
        px, py, pz = ox + t * dx, oy + t * dy, oz + t * dz
        qx, qy, qz = px - centre[i, 0], py - centre[i, 1], pz - centre[i, 2]
        lx = rotation[i, 0] * qx + rotation[i, 3] * qy + rotation[i, 6] * qz
        ly = rotation[i, 1] * qx + rotation[i, 4] * qy + rotation[i, 7] * qz
        lz = rotation[i, 2] * qx + rotation[i, 5] * qy + rotation[i, 8] * qz
        ax, ay, az, nx, ny, nz = ZERO, ZERO, ONE, rotation[i, 2], rotation[i, 5], rotation[i, 8]
        if not flat:
            ax, ay, az = outward(kind[i], size[i, 0], size[i, 1], size[i, 2], triangles, part, lx, ly, lz)
            nx = rotation[i, 0] * ax + rotation[i, 1] * ay + rotation[i, 2] * az
            ny = rotation[i, 3] * ax + rotation[i, 4] * ay + rotation[i, 5] * az
            nz = rotation[i, 6] * ax + rotation[i, 7] * ay + rotation[i, 8] * az
        facing = nx * dx + ny * dy + nz * dz
        if facing > ZERO:
            nx, ny, nz = -nx, -ny, -nz
        off = OFF_SURFACE * max(ONE, t)
        point[0, r], point[1, r], point[2, r] = px + off * nx, py + off * ny, pz + off * nz
        if part >= 0 and corner_normals.shape[0] > 0:
            nx, ny, nz = _smoothed(rotation, i, triangles, corner_normals, part, lx, ly, lz, nx, ny, nz)
        normal[0, r], normal[1, r], normal[2, r] = nx, ny, nz
        sunlit[r] = max(ZERO, nx * lighting[0, 0] + ny * lighting[0, 1] + nz * lighting[0, 2])
        share, shade = ZERO, ONE
        row = finish[part] - 2 if part >= 0 else -2
        if row >= 0:
            colour[0, r], colour[1, r], colour[2, r] = palette[row, 0], palette[row, 1], palette[row, 2]
            continue
        if row == -1:
            share = ONE
        elif texture[i] != PLAIN:
            # The texture of a mesh starts at the mesh's own origin.
            lx, ly, lz = lx + np.float32(middle[i, 0]), ly + np.float32(middle[i, 1]), lz + np.float32(middle[i, 2])
            share, shade = _textured(
                texture[i],
                identity[i] - 1,
                paint[i, 6],
                pixel if parallel else pixel * t,
                facing,
                lx,
                ly,
                lz,
                ax,
                ay,
                az,
                rotation,
                i,
                (dx, dy, dz),
            )
        if share == GLOW:
            colour[0, r], colour[1, r], colour[2, r] = LIT
            continue
        for c in range(3):
            colour[c, r] = shade * (paint[i, c] + share * (paint[i, 3 + c] - paint[i, c]))


@compiled_internal
def _textured(
    texture: int,
    seed: int,
    scale: np.float32,
    pixel: np.float32,
    facing: np.float32,
    x: np.float32,
    y: np.float32,
    z: np.float32,
    ax: np.float32,
    ay: np.float32,
    az: np.float32,
    rotation: NDArray[np.float32],
    i: int,
    ray: tuple[np.float32, np.float32, np.float32],
) -> tuple[np.float32, np.float32]:
    """Return the share of the second colour, and the factor on the brightness, at a point of instance i.

    The point is (x, y, z) and its normal (ax, ay, az) in the frame of the instance; `ray` is the direction of the ray
    in the world.
    """
    wide = scale * pixel
    if wide > FINE:
        wide /= math.sqrt(max(LEAST_COSINE, abs(facing)))
    x, y, z = (x - INSET * ax) * scale, (y - INSET * ay) * scale, (z - INSET * az) * scale
    if texture == CHECKER:
        return checker(x, y, z, wide), ONE
    if texture >= ASPHALT:
        ex, ey, ez = to_local(rotation, i, ray)
        return detailed(texture, seed, x, y, z, ax, ay, az, ex, ey, ez, wide)
    return pattern(texture, seed, x, y, z, ax, ay, az, wide), ONE


@compiled_internal
def _smoothed(
    rotation: NDArray[np.float32],
    i: int,
    triangles: NDArray[np.float32],
    corner_normals: NDArray[np.float32],
    part: int,
    x: np.float32,
    y: np.float32,
    z: np.float32,
    nx: np.float32,
    ny: np.float32,
    nz: np.float32,
) -> tuple[np.float32, np.float32, np.float32]:
    """Return the normal at the point (x, y, z) of a triangle, interpolated between its corners.

    (nx, ny, nz) is the normal of the flat triangle in world coordinates, towards the sensor.
    """
    ux, uy, uz = triangles[part, 3], triangles[part, 4], triangles[part, 5]
    vx, vy, vz = triangles[part, 6], triangles[part, 7], triangles[part, 8]
    x, y, z = x - triangles[part, 0], y - triangles[part, 1], z - triangles[part, 2]
    uu, uv, vv = ux * ux + uy * uy + uz * uz, ux * vx + uy * vy + uz * vz, vx * vx + vy * vy + vz * vz
    u, v = x * ux + y * uy + z * uz, x * vx + y * vy + z * vz
    area = uu * vv - uv * uv
    if area <= ZERO:
        return nx, ny, nz
    b, c = (vv * u - uv * v) / area, (uu * v - uv * u) / area
    a = ONE - b - c
    own = corner_normals[part]
    sx = a * own[0] + b * own[3] + c * own[6]
    sy = a * own[1] + b * own[4] + c * own[7]
    sz = a * own[2] + b * own[5] + c * own[8]
    length = math.sqrt(sx * sx + sy * sy + sz * sz)
    if length < HALF * HALF:
        return nx, ny, nz
    sx, sy, sz = sx / length, sy / length, sz / length
    wx = rotation[i, 0] * sx + rotation[i, 1] * sy + rotation[i, 2] * sz
    wy = rotation[i, 3] * sx + rotation[i, 4] * sy + rotation[i, 5] * sz
    wz = rotation[i, 6] * sx + rotation[i, 7] * sy + rotation[i, 8] * sz
    if wx * nx + wy * ny + wz * nz < ZERO:
        return -wx, -wy, -wz
    return wx, wy, wz


@compiled_internal
def outward(
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
    """Return the unit normal of a shape at a point of its surface."""
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


@compiled_internal
def shadow(packed: PackedScene, placed: PlacedInstances, sun: SunMap, rays: Rays, n: int) -> None:
    """Remove the sunlight of those of the first n rays that hit a shaded point."""
    kind, size, bounding_radius_squared, lighting, root = (
        packed.kind,
        packed.size,
        packed.bounding_radius_squared,
        packed.lighting,
        packed.root,
    )
    boxes, links, triangles = packed.boxes, packed.links, packed.triangles
    centre, rotation, direction = placed.centre, placed.rotation, sun.direction
    starts, members, near, side = sun.cells.starts, sun.cells.members, sun.cells.near, sun.size
    point, sunlit, hits = rays.point, rays.sunlit, rays.hit
    left, bottom, scale_x, scale_y = sun.origin[0], sun.origin[1], sun.origin[2], sun.origin[3]
    sx, sy, sz = lighting[0, 0], lighting[0, 1], lighting[0, 2]
    stack = np.empty(STACK, np.int32)
    for r in range(n):
        if sunlit[r] <= ZERO:
            continue
        px, py, pz = point[0, r], point[1, r], point[2, r]
        across = (px * lighting[1, 0] + py * lighting[1, 1] + pz * lighting[1, 2] - left) * scale_x
        upright = (px * lighting[2, 0] + py * lighting[2, 1] + pz * lighting[2, 2] - bottom) * scale_y
        if not (ZERO <= across < side and ZERO <= upright < side):
            continue
        cell = int(upright) * side + int(across)
        height = px * sx + py * sy + pz * sz
        for m in range(starts[cell], starts[cell + 1]):
            i = members[m]
            if -near[i] < height:
                break
            # A convex shape does not shade its own sunny side.
            if i == hits[r] and kind[i] != MESH:
                continue
            cx, cy, cz = centre[i, 0] - px, centre[i, 1] - py, centre[i, 2] - pz
            middle = cx * sx + cy * sy + cz * sz
            qx, qy, qz = middle * sx - cx, middle * sy - cy, middle * sz - cz
            if qx * qx + qy * qy + qz * qz > bounding_radius_squared[i]:
                continue
            local = to_local(rotation, i, (qx, qy, qz))
            along = direction[i, 0], direction[i, 1], direction[i, 2]
            if kind[i] == MESH:
                shaded = mesh_in_the_way(root[i], boxes, links, triangles, local, along, -middle, stack)
            else:
                t = intersect_convex(kind[i], (size[i, 0], size[i, 1], size[i, 2]), local, along, -middle)
                shaded = bool(t < FAR)
            if shaded:
                sunlit[r] = ZERO
                break


@compiled_internal
def illuminate(packed: PackedScene, rays: Rays, n: int) -> None:
    """Compute the final colours of the first n rays from surface, light, fog and sky."""
    lighting, direction, ts, hits = packed.lighting, rays.direction, rays.t, rays.hit
    normal, sunlit, colour = rays.normal, rays.sunlit, rays.colour
    # The points are not needed any more; their memory is reused for the elevation of the ray and the fog.
    elevation, haze = rays.point[0], rays.point[1]
    density = lighting[8, 0]
    for r in range(n):
        length = math.sqrt(
            direction[0, r] * direction[0, r] + direction[1, r] * direction[1, r] + direction[2, r] * direction[2, r]
        )
        up = max(ZERO, direction[2, r] / length)
        elevation[r] = up * (TWO - up)
        x = density * length * ts[r]
        haze[r] = ONE - ONE / (ONE + x + HALF * x * x)
    for c in range(3):
        sun, above, below, horizon, zenith = (
            lighting[3, c],
            lighting[4, c],
            lighting[5, c],
            lighting[6, c],
            lighting[7, c],
        )
        for r in range(n):
            daylight = below + (HALF + HALF * normal[2, r]) * (above - below)
            shown = min(ONE, colour[c, r] * (daylight + sunlit[r] * sun))
            shown += haze[r] * (horizon - shown)
            sky = horizon + elevation[r] * (zenith - horizon)
            colour[c, r] = sky if hits[r] < 0 else shown
