"""Building blocks of the assets: boxes, balls, tubes, surfaces of revolution, rings, prisms and sheets.

`at` is the centre of the base, except for a ball and a ring, where it is the centre. Lengths are in metres.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from offnominal.core.deterministic_math import sincos
from offnominal.core.types import FloatArray
from offnominal.sensing.shapes import Triple
from offnominal.sensing.vectors import cross, perpendicular, unit
from offnominal.worlds.road.assets.solid import Solid

ORIGIN: Triple = (0.0, 0.0, 0.0)
BOX_FACES = (
    (0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4),
    (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5),
)  # fmt: skip


def circle(n: int, phase: float = 0.0) -> list[tuple[float, float]]:
    """Return n points of the unit circle as (x, y), starting at a phase in turns."""
    return [(c, s) for s, c in (sincos(2.0 * math.pi * (k / n + phase)) for k in range(n))]


def box(
    name: str, x: float, y: float, z: float, at: Triple = ORIGIN, taper: float | tuple[float, float] = 1.0
) -> Solid:
    """Return a box of sides x, y and z; `taper` scales its upper side along x and y."""
    tx, ty = taper if isinstance(taper, tuple) else (taper, taper)
    corners = [
        (a * x * (tx if high else 1.0), b * y * (ty if high else 1.0), z if high else 0.0)
        for high in (False, True)
        for b in (-0.5, 0.5)
        for a in (-0.5, 0.5)
    ]
    return Solid.painted(name, np.array(corners) + at, BOX_FACES)


def ball(name: str, x: float, y: float, z: float, at: Triple = ORIGIN, n: int = 10) -> Solid:
    """Return an ellipsoid with the radii x, y and z around its centre `at`; n is its number of corners around."""
    rings = max(4, 2 * ((n + 2) // 4))
    profile = [sincos(math.pi * k / rings - 0.5 * math.pi) for k in range(rings + 1)]
    return lathe(name, [(flat, up) for up, flat in profile], n=n).scale(x, y, z).move(*at)


def lathe(name: str, profile: Sequence[tuple[float, float]], at: Triple = ORIGIN, n: int = 12) -> Solid:
    """Return a surface of revolution about the z axis, given its (radius, z) from the bottom to the top."""
    around = circle(n)
    vertices: list[Triple] = []
    rows = []
    for radius, z in profile:
        if radius <= 1e-9:
            rows.append([len(vertices)] * n)
            vertices.append((0.0, 0.0, z))
        else:
            rows.append(list(range(len(vertices), len(vertices) + n)))
            vertices += [(radius * c, radius * s, z) for c, s in around]
    return Solid.painted(name, np.array(vertices) + at, _strips(rows, closed=True))


def drum(name: str, radius: float, z: float, at: Triple = ORIGIN, top: float | None = None, n: int = 12) -> Solid:
    """Return a closed cylinder of height z, or a truncated cone with another radius on `top`."""
    above = radius if top is None else top
    # The rims are doubled, so that the flat ends are not shaded round.
    lid = lathe(name, [(above, z), (0.0, z)], at, n)
    return lathe(name, [(radius, 0.0), (above, z)], at, n) + lathe(name, [(0.0, 0.0), (radius, 0.0)], at, n) + lid


def wheel(name: str, radius: float, width: float, at: Triple = ORIGIN, n: int = 14) -> Solid:
    """Return a cylinder about the y axis with its centre `at`."""
    return drum(name, radius, width, (0.0, 0.0, -0.5 * width), n=n).turn(x=90.0).move(*at)


def ring(
    name: str, radius: float, thick: float, at: Triple = ORIGIN, n: int = 14, m: int = 6, arc: float = 1.0
) -> Solid:
    """Return a torus in the plane of x and y, or an `arc` of it from the x axis on, as a share of the whole."""
    steps = n + 1 if arc < 1.0 else n
    spine = [sincos(2.0 * math.pi * arc * k / n) for k in range(steps)]
    small = circle(m)
    vertices = [((radius + thick * u) * c, (radius + thick * u) * s, thick * v) for s, c in spine for u, v in small]
    rows = [list(range(k * m, (k + 1) * m)) for k in range(steps)]
    if arc >= 1.0:
        rows.append(rows[0])
    return Solid.painted(name, np.array(vertices) + at, _strips(rows, closed=True))


def tube(name: str, points: Sequence[Triple], radii: float | Sequence[float], n: int = 8, smooth: int = 1) -> Solid:
    """Return a round tube along a polyline, with blunt ends; one radius, or one per point.

    With `smooth` above 1 the tube follows a curve through the points, with so many pieces between two of them.
    """
    sizes = [float(radii)] * len(points) if isinstance(radii, int | float) else list(radii)
    spine = np.array([(*point, size) for point, size in zip(points, sizes, strict=True)])
    if smooth > 1:
        spine = _curve(spine, smooth)
    path, sizes = spine[:, :3], spine[:, 3].tolist()
    around = circle(n)
    vertices: list[FloatArray] = []
    side, up = perpendicular(unit("tube", (path[1] - path[0]).tolist()))
    for k, centre in enumerate(path):
        ahead = unit("tube", (path[min(k + 1, len(path) - 1)] - path[max(k - 1, 0)]).tolist())
        # The frame is carried along, so that the tube does not twist.
        side = unit("tube", cross(up, ahead))
        up = cross(ahead, side)
        vertices += [centre + sizes[k] * (c * np.array(side) + s * np.array(up)) for c, s in around]
    rows = [list(range(k * n, (k + 1) * n)) for k in range(len(path))]
    first = path[0] - _direction(path[1] - path[0]) * 0.4 * sizes[0]
    last = path[-1] + _direction(path[-1] - path[-2]) * 0.4 * sizes[-1]
    rows = [[len(vertices)] * n, *rows, [len(vertices) + 1] * n]
    return Solid.painted(name, np.array([*vertices, first, last]), _strips(rows, closed=True))


def prism(
    name: str, outline: Sequence[tuple[float, float]], y: float, at: Triple = ORIGIN, taper: float = 1.0
) -> Solid:
    """Return an outline in x and z drawn out along y, centred; its corners must be visible from their mean.

    `taper` scales the width of the corners above the mean height.
    """
    n = len(outline)
    middle = np.array(outline).mean(axis=0)
    halves = [0.5 * y * (taper if z > middle[1] else 1.0) for _, z in outline]
    left = [(x, half, z) for (x, z), half in zip(outline, halves, strict=True)]
    right = [(x, -half, z) for (x, z), half in zip(outline, halves, strict=True)]
    mean = float(np.mean(halves))
    ends = [(middle[0], mean, middle[1]), (middle[0], -mean, middle[1])]
    faces = []
    for k in range(n):
        m = (k + 1) % n
        faces += [(k, m, n + k), (m, n + m, n + k)]
        # The ends have their own corners, so that their edges stay sharp.
        faces += [(4 * n, 2 * n + m, 2 * n + k), (4 * n + 1, 3 * n + k, 3 * n + m)]
    return Solid.painted(name, np.array([*left, *right, *left, *right, *ends]) + at, faces)


def plate(name: str, outline: Sequence[tuple[float, float]], z: float, at: Triple = ORIGIN) -> Solid:
    """Return an outline in x and y of height z; its corners must be visible from their mean."""
    flat = prism(name, [(x, -y) for x, y in outline], z)
    return flat.turn(x=-90.0).move(at[0], at[1], at[2] + 0.5 * z)


def sheet(name: str, grid: object) -> Solid:
    """Return the surface over a grid of points (rows, columns, 3), visible from both sides."""
    points = np.asarray(grid, np.float64)
    rows, columns, _ = points.shape
    lines = [list(range(k * columns, (k + 1) * columns)) for k in range(rows)]
    return Solid.painted(name, points.reshape(-1, 3), _strips(lines, closed=False))


def _strips(rows: Sequence[Sequence[int]], *, closed: bool) -> list[tuple[int, int, int]]:
    """Return two triangles between neighbouring points of neighbouring rows; one where a row is a single point."""
    faces = []
    n = len(rows[0])
    for below, above in itertools.pairwise(rows):
        for k in range(n if closed else n - 1):
            m = (k + 1) % n
            if below[k] != below[m]:
                faces.append((below[k], below[m], above[k]))
            if above[k] != above[m]:
                faces.append((below[m], above[m], above[k]))
    return faces


def _curve(rows: FloatArray, pieces: int) -> FloatArray:
    """Return a Catmull-Rom curve through rows of numbers."""
    padded = np.vstack([2.0 * rows[:1] - rows[1:2], rows, 2.0 * rows[-1:] - rows[-2:-1]])
    out = []
    for k in range(len(rows) - 1):
        a, b, c, d = padded[k : k + 4]
        for step in range(pieces):
            t = step / pieces
            out.append(b + 0.5 * t * ((c - a) + t * ((2.0 * a - 5.0 * b + 4.0 * c - d) + t * (3.0 * (b - c) + d - a))))
    return np.array([*out, rows[-1]])


def _direction(vector: FloatArray) -> FloatArray:
    return np.array(unit("tube", vector.tolist()))
