"""Intersections of a ray with a shape, in the shape's own frame.

A ray is q + t d. The caller sets q to the point nearest to the shape's centre, so that single precision is sufficient;
`low` is the t of the true start, mostly below zero. The result is the smallest t above `low` on the surface: the far
side if the ray starts inside.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled_inline, compiled_internal
from offnominal.sensing.shapes import BOX, CAPSULE, CYLINDER, SPHERE

FAR = np.float32(np.inf)
ZERO = np.float32(0.0)
ONE = np.float32(1.0)
TINY = np.float32(1e-12)
EDGE = np.float32(2e-6)
STACK = 64

Vector: TypeAlias = tuple[np.float32, np.float32, np.float32]


@compiled_inline
def to_local(rotation: NDArray[np.float32], i: int, v: Vector) -> Vector:
    """Return a vector in the frame of instance i, given the rotations of all instances, (n, 9)."""
    return (
        rotation[i, 0] * v[0] + rotation[i, 3] * v[1] + rotation[i, 6] * v[2],
        rotation[i, 1] * v[0] + rotation[i, 4] * v[1] + rotation[i, 7] * v[2],
        rotation[i, 2] * v[0] + rotation[i, 5] * v[1] + rotation[i, 8] * v[2],
    )


@compiled_internal
def intersect_convex(
    kind: int,
    size: Vector,
    q: Vector,
    d: Vector,
    low: np.float32,
) -> np.float32:
    """Return t of the intersection of a ray with a convex shape of three sizes, or infinity."""
    if kind == BOX:
        enter, leave = _box(size, q, d)
    elif kind == CAPSULE:
        enter, leave = _capsule(size[0], size[1], q, d)
    elif kind == CYLINDER:
        enter, leave = _cylinder(size[0], size[1], q, d)
    elif kind == SPHERE:
        enter, leave = _ball(size[0], q, d)
    else:
        enter, leave = _ball(ONE, _times(q, size), _times(d, size))
    if enter > leave or leave <= low:
        return FAR
    return enter if enter > low else leave


@compiled_internal
def _nonzero(d: np.float32) -> np.float32:
    """Return a direction without zeros, for division."""
    return d if abs(d) > TINY else TINY


@compiled_internal
def reciprocal(d: Vector) -> Vector:
    """Return the inverse of each component of a direction, finite for those that are zero."""
    return ONE / _nonzero(d[0]), ONE / _nonzero(d[1]), ONE / _nonzero(d[2])


@compiled_internal
def _times(a: Vector, b: Vector) -> Vector:
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


@compiled_internal
def _slab(size: np.float32, q: np.float32, d: np.float32) -> tuple[np.float32, np.float32]:
    """Return t at which a line enters and leaves |x| <= size."""
    inverse = ONE / _nonzero(d)
    middle = -q * inverse
    half = size * abs(inverse)
    return middle - half, middle + half


@compiled_internal
def _box(
    size: Vector,
    q: Vector,
    d: Vector,
) -> tuple[np.float32, np.float32]:
    ax, bx = _slab(size[0], q[0], d[0])
    ay, by = _slab(size[1], q[1], d[1])
    az, bz = _slab(size[2], q[2], d[2])
    return max(ax, ay, az), min(bx, by, bz)


@compiled_internal
def _ball(
    square: np.float32,
    q: Vector,
    d: Vector,
) -> tuple[np.float32, np.float32]:
    """Return t at which a line enters and leaves a ball, given its squared radius."""
    qx, qy, qz = q
    dx, dy, dz = d
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
    q: Vector,
    d: Vector,
) -> tuple[np.float32, np.float32]:
    qx, qy, qz = q
    dx, dy, dz = d
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
    q: Vector,
    d: Vector,
) -> tuple[np.float32, np.float32]:
    qx, qy, qz = q
    dx, dy, dz = d
    across = dx * dx + dy * dy
    if across < TINY * TINY:
        down, _ = _ball(square, (qx, qy, qz + math.copysign(length, dz)), d)
        _, up = _ball(square, (qx, qy, qz - math.copysign(length, dz)), d)
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
        enter, _ = _ball(square, (qx, qy, qz - math.copysign(length, height)), d)
    height = qz + leave * dz
    if abs(height) > length:
        _, leave = _ball(square, (qx, qy, qz - math.copysign(length, height)), d)
    return enter, leave


@compiled_internal
def intersect_mesh(
    root: int,
    boxes: NDArray[np.float32],
    links: NDArray[np.int32],
    triangles: NDArray[np.float32],
    q: Vector,
    d: Vector,
    low: np.float32,
    high: np.float32,
    stack: NDArray[np.int32],
) -> tuple[np.float32, int]:
    """Return t of the first hit of a mesh between low and high, and its triangle; infinity and -1 without a hit."""
    inverse = reciprocal(d)
    best, which = high, -1
    if not intersect_box(boxes, root, q, inverse, low, high) < FAR:
        return FAR, -1
    depth = 0
    node = root
    while True:
        first, count = links[node, 0], links[node, 1]
        if count > 0:
            for k in range(first, first + count):
                t = _triangle(triangles, k, q, d, low, best)
                if t < best:
                    best, which = t, k
        else:
            left = intersect_box(boxes, first, q, inverse, low, best)
            right = intersect_box(boxes, first + 1, q, inverse, low, best)
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
    q: Vector,
    d: Vector,
    low: np.float32,
    stack: NDArray[np.int32],
) -> bool:
    """Return whether a ray hits a mesh beyond low; as :func:`intersect_mesh`, but any hit is sufficient."""
    inverse = reciprocal(d)
    stack[0] = root
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if not intersect_box(boxes, node, q, inverse, low, FAR) < FAR:
            continue
        first, count = links[node, 0], links[node, 1]
        for k in range(first, first + count):
            if _triangle(triangles, k, q, d, low, FAR) < FAR:
                return True
        if count == 0:
            stack[depth], stack[depth + 1] = first, first + 1
            depth += 2
    return False


@compiled_internal
def intersect_box(
    boxes: NDArray[np.float32],
    node: int,
    q: Vector,
    inverse: Vector,
    low: np.float32,
    high: np.float32,
) -> np.float32:
    """Return t at which a ray, given by its start and inverse direction, enters a node's box, or infinity."""
    ax, bx = (boxes[node, 0] - q[0]) * inverse[0], (boxes[node, 3] - q[0]) * inverse[0]
    ay, by = (boxes[node, 1] - q[1]) * inverse[1], (boxes[node, 4] - q[1]) * inverse[1]
    az, bz = (boxes[node, 2] - q[2]) * inverse[2], (boxes[node, 5] - q[2]) * inverse[2]
    enter = max(min(ax, bx), min(ay, by), min(az, bz), low)
    leave = min(max(ax, bx), max(ay, by), max(az, bz), high)
    # The factor keeps rays that rounding would lose at the border between boxes.
    return enter if enter <= leave + abs(leave) * EDGE else FAR


@compiled_internal
def _triangle(
    triangles: NDArray[np.float32],
    k: int,
    q: Vector,
    d: Vector,
    low: np.float32,
    high: np.float32,
) -> np.float32:
    """Return t of the intersection with a triangle (Möller and Trumbore 1997), or infinity."""
    dx, dy, dz = d
    ux, uy, uz = triangles[k, 3], triangles[k, 4], triangles[k, 5]
    vx, vy, vz = triangles[k, 6], triangles[k, 7], triangles[k, 8]
    px, py, pz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
    volume = ux * px + uy * py + uz * pz
    if volume == ZERO:
        return FAR
    inverse = ONE / volume
    sx, sy, sz = q[0] - triangles[k, 0], q[1] - triangles[k, 1], q[2] - triangles[k, 2]
    a = (sx * px + sy * py + sz * pz) * inverse
    if a < ZERO or a > ONE:
        return FAR
    rx, ry, rz = sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux
    b = (dx * rx + dy * ry + dz * rz) * inverse
    if b < ZERO or a + b > ONE:
        return FAR
    t = (vx * rx + vy * ry + vz * rz) * inverse
    return t if low < t < high else FAR
