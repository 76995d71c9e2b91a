"""Triangles of the flat polygons of a town."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.sensing.shapes import Patches

Face = tuple[int, int, int]
EVEN = 0.02


def triangulate(corners: FloatArray) -> list[Face]:
    """Return the triangles of a simple polygon as indices of its corners.

    A band, whose corners lie opposite each other at the same distance, becomes a strip of triangles. Other polygons
    lose one ear after the other.

    Example:
        >>> triangulate(np.array([(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (3.0, 1.0)]))
        [(3, 0, 1), (1, 2, 3)]
    """
    points = np.asarray(corners, np.float64)
    return _strip(len(points)) if _is_band(points) else _ears(points)


def patches_of(polygons: Sequence[FloatArray]) -> Patches:
    """Return one shape of many polygons."""
    vertices = np.concatenate([np.asarray(polygon, np.float64) for polygon in polygons])
    faces: list[Face] = []
    first = 0
    for polygon in polygons:
        faces += [(first + a, first + b, first + c) for a, b, c in triangulate(polygon)]
        first += len(polygon)
    return Patches(vertices, faces)


def _is_band(points: FloatArray) -> bool:
    n = len(points)
    if n % 2 or n < 4:
        return False
    across = points[: n // 2] - points[n // 2 :][::-1]
    widths = np.sqrt((across**2).sum(axis=1))
    return bool(widths.min() > 0.0 and widths.max() - widths.min() <= EVEN * widths.max())


def _strip(n: int) -> list[Face]:
    faces: list[Face] = []
    for k in range(n // 2 - 1):
        faces += [(k, k + 1, n - 1 - k), (k + 1, n - 2 - k, n - 1 - k)]
    return faces


def _ears(points: FloatArray) -> list[Face]:
    following = np.roll(points, -1, axis=0)
    area = float((points[:, 0] * following[:, 1] - points[:, 1] * following[:, 0]).sum())
    left = np.arange(len(points)) if area > 0.0 else np.arange(len(points))[::-1]
    faces: list[Face] = []
    while len(left) > 3:
        ring = points[left]
        at = next((k for k in range(len(left)) if _is_ear(ring, k)), None)
        if at is None:
            # Only rounding leaves a polygon without ears; what remains is thinner than a line.
            break
        faces.append((int(left[at - 1]), int(left[at]), int(left[(at + 1) % len(left)])))
        left = np.delete(left, at)
    return [*faces, (int(left[0]), int(left[1]), int(left[2]))] if len(left) == 3 else faces


def _is_ear(ring: FloatArray, k: int) -> bool:
    """Return whether corner k is convex and its triangle contains no other corner."""
    a, b, c = ring[k - 1], ring[k], ring[(k + 1) % len(ring)]
    if (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) <= 0.0:
        return False
    inside = (_cross(a, b, ring) > 0.0) & (_cross(b, c, ring) > 0.0) & (_cross(c, a, ring) > 0.0)
    return not inside.any()


def _cross(a: FloatArray, b: FloatArray, points: FloatArray) -> FloatArray:
    """Return twice the area of the triangles from a to b to each point; positive to the left."""
    result: FloatArray = (b[0] - a[0]) * (points[:, 1] - a[1]) - (b[1] - a[1]) * (points[:, 0] - a[0])
    return result
