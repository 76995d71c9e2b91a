"""Meshes built from formulas: a car, and animals of any proportions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.sensing.shapes import Mesh, Triple

HULL = ((2.1, 0.25), (2.2, 0.6), (1.9, 0.78), (1.0, 0.92), (-1.5, 0.95), (-2.05, 0.85), (-2.15, 0.5), (-2.05, 0.25))
CABIN = ((0.85, 0.9), (0.25, 1.38), (-1.0, 1.42), (-1.65, 0.93))
WHEELS = ((1.35, 0.78), (1.35, -0.78), (-1.3, 0.78), (-1.3, -0.78))


def car() -> Mesh:
    """Return a car on z = 0 that points along x; glass and tyres are trim.

    Example:
        >>> car()
        Mesh(136 vertices, 248 faces)
    """
    hull = _prism(np.array(HULL), 0.86)
    cabin = _prism(np.array(CABIN), 0.70)
    # The whole cabin is glass except its roof, the two triangles over the second side of the outline.
    glass = np.ones(len(cabin[1]), np.bool_)
    glass[2:4] = False
    parts = [(*hull, np.zeros(len(hull[1]), np.bool_)), (*cabin, glass)]
    for x, y in WHEELS:
        vertices, faces = _drum(0.33, 0.12, 13)
        parts.append((vertices + np.array((x, y, 0.33)), faces, np.ones(len(faces), np.bool_)))
    return _join(parts)


def animal(size: float = 1.0) -> Mesh:
    """Return a four-legged animal on z = 0 that faces along x, made of ten ellipsoids.

    Example:
        >>> animal(0.5).faces.shape
        (2880, 3)
    """
    balls: list[tuple[Triple, Triple]] = [
        ((0.0, 0.0, 0.75), (0.55, 0.2, 0.24)),
        ((0.58, 0.0, 1.0), (0.14, 0.11, 0.3)),
        ((0.74, 0.0, 1.25), (0.23, 0.11, 0.12)),
        ((0.66, 0.09, 1.42), (0.04, 0.04, 0.12)),
        ((0.66, -0.09, 1.42), (0.04, 0.04, 0.12)),
        ((-0.62, 0.0, 0.8), (0.22, 0.04, 0.05)),
    ]
    balls += [((x, y, 0.33), (0.08, 0.07, 0.33)) for x in (0.38, -0.38) for y in (0.12, -0.12)]
    parts = []
    for centre, radii in balls:
        vertices, faces = _ball(12, 13)
        parts.append((size * (vertices * radii + centre), faces, np.zeros(len(faces), np.bool_)))
    return _join(parts)


def _prism(outline: FloatArray, half: float) -> tuple[FloatArray, IntArray]:
    """Return a convex outline in x and z drawn out along y; the sides come first, two triangles each."""
    n = len(outline)
    vertices = np.array([(x, y, z) for y in (half, -half) for x, z in outline])
    sides = [t for k in range(n) for t in ((k, (k + 1) % n, n + k), ((k + 1) % n, n + (k + 1) % n, n + k))]
    ends = [t for k in range(1, n - 1) for t in ((0, k, k + 1), (n, n + k + 1, n + k))]
    return vertices, np.array(sides + ends)


def _drum(radius: float, half: float, n: int) -> tuple[FloatArray, IntArray]:
    """Return a wheel about the y axis with n corners."""
    from offnominal.core.deterministic_math import sincos

    rotations = [sincos(2.0 * np.pi * k / n) for k in range(n)]
    rim = [(radius * c, y, radius * s) for y in (half, -half) for s, c in rotations]
    vertices = np.array([*rim, (0.0, half, 0.0), (0.0, -half, 0.0)])
    faces = []
    for k in range(n):
        following = (k + 1) % n
        faces += [(k, following, n + k), (following, n + following, n + k)]
        faces += [(2 * n, k, following), (2 * n + 1, n + following, n + k)]
    return vertices, np.array(faces)


def _ball(around: int, rings: int) -> tuple[FloatArray, IntArray]:
    """Return a ball of radius one with 2 around (rings - 1) triangles."""
    from offnominal.core.deterministic_math import sincos

    rotations = [sincos(2.0 * np.pi * k / around) for k in range(around)]
    heights = [sincos(np.pi * k / rings - np.pi / 2.0) for k in range(1, rings)]
    vertices = [(flat * c, flat * s, up) for up, flat in heights for s, c in rotations]
    faces = []
    for ring in range(rings - 2):
        for k in range(around):
            a, b = ring * around + k, ring * around + (k + 1) % around
            faces += [(a, b, a + around), (b, b + around, a + around)]
    south, north, last = len(vertices), len(vertices) + 1, (rings - 2) * around
    for k in range(around):
        faces += [(south, (k + 1) % around, k), (north, last + k, last + (k + 1) % around)]
    return np.array([*vertices, (0.0, 0.0, -1.0), (0.0, 0.0, 1.0)]), np.array(faces)


def _join(parts: Sequence[tuple[FloatArray, IntArray, BoolArray]]) -> Mesh:
    """Return the union of several meshes."""
    firsts = np.cumsum([0, *(len(vertices) for vertices, _, _ in parts)])
    faces: Array = np.concatenate([part[1] + first for part, first in zip(parts, firsts, strict=False)])
    return Mesh(np.concatenate([part[0] for part in parts]), faces, np.concatenate([part[2] for part in parts]))
