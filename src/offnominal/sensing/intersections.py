"""Intersections of a ray with a shape, in the shape's own frame.

A ray is q + t d. The caller sets q to the point nearest to the shape's centre, so that single precision is sufficient;
`low` is the t of the true start, mostly below zero. The result is the smallest t above `low` on the surface: the far
side if the ray starts inside.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled_internal
from offnominal.sensing.shapes import BOX, CAPSULE, CYLINDER, SPHERE

FAR = np.float32(np.inf)
ZERO = np.float32(0.0)
ONE = np.float32(1.0)
TINY = np.float32(1e-12)
EDGE = np.float32(2e-6)
STACK = 64


@compiled_internal
def intersect_convex(
    kind: int,
    sx: np.float32,
    sy: np.float32,
    sz: np.float32,
    qx: np.float32,
    qy: np.float32,
    qz: np.float32,
    dx: np.float32,
    dy: np.float32,
    dz: np.float32,
    low: np.float32,
) -> np.float32:
    """Return t of the intersection of a ray with a convex shape, or infinity. (sx, sy, sz) are the shape's sizes."""
    if kind == BOX:
        enter, leave = _box(sx, sy, sz, qx, qy, qz, dx, dy, dz)
    elif kind == CAPSULE:
        enter, leave = _capsule(sx, sy, qx, qy, qz, dx, dy, dz)
    elif kind == CYLINDER:
        enter, leave = _cylinder(sx, sy, qx, qy, qz, dx, dy, dz)
    elif kind == SPHERE:
        enter, leave = _ball(sx, qx, qy, qz, dx, dy, dz)
    else:
        enter, leave = _ball(ONE, qx * sx, qy * sy, qz * sz, dx * sx, dy * sy, dz * sz)
    if enter > leave or leave <= low:
        return FAR
    return enter if enter > low else leave


@compiled_internal
def nonzero(d: np.float32) -> np.float32:
    """Return a direction without zeros, for division."""
    return d if abs(d) > TINY else TINY


@compiled_internal
def _slab(size: np.float32, q: np.float32, d: np.float32) -> tuple[np.float32, np.float32]:
    """Return t at which a line enters and leaves |x| <= size."""
    inverse = ONE / nonzero(d)
    middle = -q * inverse
    half = size * abs(inverse)
    return middle - half, middle + half


@compiled_internal
def _box(
    sx: np.float32,
    sy: np.float32,
    sz: np.float32,
    qx: np.float32,
    qy: np.float32,
    qz: np.float32,
    dx: np.float32,
    dy: np.float32,
    dz: np.float32,
) -> tuple[np.float32, np.float32]:
    ax, bx = _slab(sx, qx, dx)
    ay, by = _slab(sy, qy, dy)
    az, bz = _slab(sz, qz, dz)
    return max(ax, ay, az), min(bx, by, bz)


@compiled_internal
def _ball(
    square: np.float32,
    qx: np.float32,
    qy: np.float32,
    qz: np.float32,
    dx: np.float32,
    dy: np.float32,
    dz: np.float32,
) -> tuple[np.float32, np.float32]:
    """Return t at which a line enters and leaves a ball, given its squared radius."""
    inverse = ONE / (dx * dx + dy * dy + dz * dz)
    nearest = -(qx * dx + qy * dy + qz * dz) * inverse
    px, py, pz = qx + nearest * dx, qy + nearest * dy, qz + nearest * dz
    room = square - (px * px + py * py + pz * pz)
    if room < ZERO:
        return FAR, -FAR
    half = math.sqrt(room * inverse)
    return nearest - half, nearest + half


@compiled_internal
def _cylinder(
    square: np.float32,
    length: np.float32,
    qx: np.float32,
    qy: np.float32,
    qz: np.float32,
    dx: np.float32,
    dy: np.float32,
    dz: np.float32,
) -> tuple[np.float32, np.float32]:
    enter, leave = _slab(length, qz, dz)
    across = dx * dx + dy * dy
    if across < TINY * TINY:
        return (enter, leave) if qx * qx + qy * qy <= square else (FAR, -FAR)
    beside = qx * dy - qy * dx
    room = square * across - beside * beside
    if room < ZERO:
        return FAR, -FAR
    inverse = ONE / across
    nearest = -(qx * dx + qy * dy) * inverse
    half = math.sqrt(room) * inverse
    return max(enter, nearest - half), min(leave, nearest + half)


@compiled_internal
def _capsule(
    square: np.float32,
    length: np.float32,
    qx: np.float32,
    qy: np.float32,
    qz: np.float32,
    dx: np.float32,
    dy: np.float32,
    dz: np.float32,
) -> tuple[np.float32, np.float32]:
    across = dx * dx + dy * dy
    if across < TINY * TINY:
        down, _ = _ball(square, qx, qy, qz + math.copysign(length, dz), dx, dy, dz)
        _, up = _ball(square, qx, qy, qz - math.copysign(length, dz), dx, dy, dz)
        return down, up
    beside = qx * dy - qy * dx
    room = square * across - beside * beside
    if room < ZERO:
        return FAR, -FAR
    inverse = ONE / across
    nearest = -(qx * dx + qy * dy) * inverse
    half = math.sqrt(room) * inverse
    # If the round side is hit beyond an end, the line hits the ball at that end instead, or nothing.
    enter, leave = nearest - half, nearest + half
    height = qz + enter * dz
    if abs(height) > length:
        enter, _ = _ball(square, qx, qy, qz - math.copysign(length, height), dx, dy, dz)
    height = qz + leave * dz
    if abs(height) > length:
        _, leave = _ball(square, qx, qy, qz - math.copysign(length, height), dx, dy, dz)
    return enter, leave


@compiled_internal
def intersect_mesh(
    root: int,
    boxes: NDArray[np.float32],
    links: NDArray[np.int32],
    triangles: NDArray[np.float32],
    qx: np.float32,
    qy: np.float32,
    qz: np.float32,
    dx: np.float32,
    dy: np.float32,
    dz: np.float32,
    low: np.float32,
    high: np.float32,
    stack: NDArray[np.int32],
) -> tuple[np.float32, int]:
    """Return t of the first hit of a mesh between low and high, and its triangle; infinity and -1 without a hit."""
    ix, iy, iz = ONE / nonzero(dx), ONE / nonzero(dy), ONE / nonzero(dz)
    best, which = high, -1
    if not intersect_box(boxes, root, qx, qy, qz, ix, iy, iz, low, high) < FAR:
        return FAR, -1
    depth = 0
    node = root
    while True:
        first, count = links[node, 0], links[node, 1]
        if count > 0:
            for k in range(first, first + count):
                t = _triangle(triangles, k, qx, qy, qz, dx, dy, dz, low, best)
                if t < best:
                    best, which = t, k
        else:
            left = intersect_box(boxes, first, qx, qy, qz, ix, iy, iz, low, best)
            right = intersect_box(boxes, first + 1, qx, qy, qz, ix, iy, iz, low, best)
            if left < FAR or right < FAR:
                if left < FAR and right < FAR:
                    stack[depth] = first + 1 if left <= right else first
                    depth += 1
                node = first if left <= right else first + 1
                continue
        if depth == 0:
            break
        depth -= 1
        node = stack[depth]
    return (best, which) if which >= 0 else (FAR, -1)


@compiled_internal
def mesh_in_the_way(
    root: int,
    boxes: NDArray[np.float32],
    links: NDArray[np.int32],
    triangles: NDArray[np.float32],
    qx: np.float32,
    qy: np.float32,
    qz: np.float32,
    dx: np.float32,
    dy: np.float32,
    dz: np.float32,
    low: np.float32,
    stack: NDArray[np.int32],
) -> bool:
    """Return whether a ray hits a mesh beyond low; as :func:`intersect_mesh`, but any hit is sufficient."""
    ix, iy, iz = ONE / nonzero(dx), ONE / nonzero(dy), ONE / nonzero(dz)
    stack[0] = root
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if not intersect_box(boxes, node, qx, qy, qz, ix, iy, iz, low, FAR) < FAR:
            continue
        first, count = links[node, 0], links[node, 1]
        for k in range(first, first + count):
            if _triangle(triangles, k, qx, qy, qz, dx, dy, dz, low, FAR) < FAR:
                return True
        if count == 0:
            stack[depth], stack[depth + 1] = first, first + 1
            depth += 2
    return False


@compiled_internal
def intersect_box(
    boxes: NDArray[np.float32],
    node: int,
    qx: np.float32,
    qy: np.float32,
    qz: np.float32,
    ix: np.float32,
    iy: np.float32,
    iz: np.float32,
    low: np.float32,
    high: np.float32,
) -> np.float32:
    """Return t at which a ray, given by its start and inverse direction, enters a node's box, or infinity."""
    ax, bx = (boxes[node, 0] - qx) * ix, (boxes[node, 3] - qx) * ix
    ay, by = (boxes[node, 1] - qy) * iy, (boxes[node, 4] - qy) * iy
    az, bz = (boxes[node, 2] - qz) * iz, (boxes[node, 5] - qz) * iz
    enter = max(min(ax, bx), min(ay, by), min(az, bz), low)
    leave = min(max(ax, bx), max(ay, by), max(az, bz), high)
    # The factor keeps rays that rounding would lose at the border between boxes.
    return enter if enter <= leave + abs(leave) * EDGE else FAR


@compiled_internal
def _triangle(
    triangles: NDArray[np.float32],
    k: int,
    qx: np.float32,
    qy: np.float32,
    qz: np.float32,
    dx: np.float32,
    dy: np.float32,
    dz: np.float32,
    low: np.float32,
    high: np.float32,
) -> np.float32:
    """Return t of the intersection with a triangle (Möller and Trumbore 1997), or infinity."""
    ux, uy, uz = triangles[k, 3], triangles[k, 4], triangles[k, 5]
    vx, vy, vz = triangles[k, 6], triangles[k, 7], triangles[k, 8]
    px, py, pz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
    volume = ux * px + uy * py + uz * pz
    if volume == ZERO:
        return FAR
    inverse = ONE / volume
    sx, sy, sz = qx - triangles[k, 0], qy - triangles[k, 1], qz - triangles[k, 2]
    a = (sx * px + sy * py + sz * pz) * inverse
    if a < ZERO or a > ONE:
        return FAR
    rx, ry, rz = sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux
    b = (dx * rx + dy * ry + dz * rz) * inverse
    if b < ZERO or a + b > ONE:
        return FAR
    t = (vx * rx + vy * ry + vz * rz) * inverse
    return t if low < t < high else FAR
