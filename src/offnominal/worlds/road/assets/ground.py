"""Ground of a town: road surface, lane markings, crossings, sidewalks and terrain.

Every function takes many strips or outlines and returns one asset, whose coordinates are those of the
town: place it at the origin. The surface of the roads is at z = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.sensing.material import Material
from offnominal.sensing.shapes import Patches, Plane
from offnominal.worlds.road.assets.asset import Asset, Part, asset
from offnominal.worlds.road.assets.colours import colour
from offnominal.worlds.road.labels import Label

ASPHALT = Material((0.245, 0.25, 0.26), (0.31, 0.315, 0.32), "noise", 1.1)
PAVING = Material((0.56, 0.55, 0.53), (0.62, 0.61, 0.585), "checker", 0.5)
WHITE_LINE, YELLOW_LINE = Material((0.86, 0.86, 0.83)), Material((0.88, 0.70, 0.18))
GRASS = Material((0.30, 0.38, 0.20), (0.42, 0.46, 0.28), "noise", 2.5)
LINE_HEIGHT, KERB, TERRAIN_HEIGHT = 0.008, 0.12, -0.03


@dataclass(frozen=True, eq=False)
class Strip:
    """A strip beside or along a polyline.

    Args:
        points: (n, 2): the polyline, m.
        left: Offset of the strip's left edge, to the left of the polyline, m.
        right: Offset of its right edge, also to the left, and below `left`, m.
        dash: Length of a dash and of the gap after it, m; None for a strip without gaps.
    """

    points: FloatArray
    left: float
    right: float
    dash: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        points = np.array(self.points, np.float64)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2 or not np.isfinite(points).all():
            raise InvalidParameter(f"a strip got points of shape {points.shape}; expected at least two finite (x, y).")
        if not self.left > self.right:
            raise InvalidParameter(f"a strip has left={self.left} and right={self.right}; expected left above right.")
        object.__setattr__(self, "points", points)

    def edges(self) -> list[tuple[FloatArray, FloatArray]]:
        """Return the left and right edge of the strip, or of each of its dashes."""
        if self.dash is None:
            return [_edges(self.points, self.left, self.right)]
        on, off = self.dash
        lengths = np.sqrt(np.square(np.diff(self.points, axis=0)).sum(axis=1))
        marks = np.concatenate([[0.0], np.cumsum(lengths)])
        starts = np.arange(0.0, marks[-1] - 0.5 * on, on + off)
        return [
            _edges(_piece(self.points, marks, start, min(start + on, marks[-1])), self.left, self.right)
            for start in starts
        ]


def line(
    points: FloatArray, offset: float = 0.0, *, width: float = 0.14, dash: tuple[float, float] | None = None
) -> Strip:
    """Return a painted line at an offset to the left of a polyline."""
    return Strip(points, offset + 0.5 * width, offset - 0.5 * width, dash)


def road_surface(strips: Sequence[Strip], areas: Sequence[FloatArray] = ()) -> Asset:
    """Return the asphalt of roads, and of junctions as `areas` with outlines (n, 2)."""
    return asset("road surface", Part(_patches("road_surface", strips, areas), Label.ROAD, ASPHALT))


def road_lines(strips: Sequence[Strip], *, material: Material = WHITE_LINE) -> Asset:
    """Return painted lines; see :func:`line`, :func:`crossing` and :func:`stop_line`."""
    part = Part(_patches("road_lines", strips, ()), Label.ROAD_LINE, material, (0.0, 0.0, LINE_HEIGHT))
    return asset("road lines", part)


def crossing(start: Sequence[float], end: Sequence[float], *, width: float = 3.0, stripe: float = 0.5) -> list[Strip]:
    """Return the stripes of a pedestrian crossing that leads over the road from one point to another."""
    a, b = np.array(start, np.float64), np.array(end, np.float64)
    along = (b - a) / np.sqrt(np.square(b - a).sum())
    across = np.array((-along[1], along[0]))
    count = max(1, int(np.sqrt(np.square(b - a).sum()) / (2.0 * stripe)))
    stripes = []
    for k in range(count):
        middle = a + (b - a) * (k + 0.5) / count
        stripes.append(
            Strip(np.array((middle - 0.5 * width * across, middle + 0.5 * width * across)), 0.5 * stripe, -0.5 * stripe)
        )
    return stripes


def stop_line(start: Sequence[float], end: Sequence[float]) -> Strip:
    """Return the line at which vehicles stop, from one side of a lane to the other."""
    return Strip(np.array((start, end), np.float64), 0.2, -0.2)


def sidewalks(strips: Sequence[Strip], areas: Sequence[FloatArray] = ()) -> Asset:
    """Return raised sidewalks.

    Below the paving, at the height of the road, there is the same area in the colour of kerbs: a ray that passes below
    the edge of the paving hits it.
    """
    shape = _patches("sidewalks", strips, areas)
    kerb = Part(shape, Label.SIDEWALK, Material(colour("concrete")), (0.0, 0.0, 0.5 * LINE_HEIGHT))
    return asset("sidewalks", kerb, Part(shape, Label.SIDEWALK, PAVING, (0.0, 0.0, KERB)))


def terrain(material: Material = GRASS, label: Label = Label.TERRAIN) -> Asset:
    """Return the ground everywhere else, an infinite plane just below the roads."""
    part = Part(Plane(), label, material, (0.0, 0.0, TERRAIN_HEIGHT))
    return Asset("terrain", (part,), (np.inf, np.inf, 0.0))


def _patches(name: str, strips: Sequence[Strip], areas: Sequence[FloatArray]) -> Patches:
    """Return the patches of strips and of areas, whose corners must be visible from their mean."""
    vertices: list[FloatArray] = []
    faces: list[tuple[int, int, int]] = []
    used = 0
    for strip in strips:
        for left, right in strip.edges():
            n = len(left)
            vertices += [left, right]
            for k in range(used, used + n - 1):
                faces += [(k, n + k, k + 1), (k + 1, n + k, n + k + 1)]
            used += 2 * n
    for outline in areas:
        points = np.array(outline, np.float64)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 3:
            raise InvalidParameter(f"an area got an outline of shape {points.shape}; expected at least three (x, y).")
        n = len(points)
        vertices += [points, points.mean(axis=0, keepdims=True)]
        faces += [(used + k, used + (k + 1) % n, used + n) for k in range(n)]
        used += n + 1
    if not faces:
        raise InvalidParameter(f"{name} got no strips; give at least one.")
    return Patches(np.concatenate(vertices), faces)


def _edges(points: FloatArray, left: float, right: float) -> tuple[FloatArray, FloatArray]:
    """Return polylines parallel to another one, with mitred corners."""
    steps = np.diff(points, axis=0)
    units = steps / np.sqrt(np.square(steps).sum(axis=1))[:, None]
    normals = np.stack([-units[:, 1], units[:, 0]], axis=1)
    before, after = np.vstack([normals[:1], normals]), np.vstack([normals, normals[-1:]])
    mitres = (before + after) / np.maximum(0.3, 1.0 + (before * after).sum(axis=1))[:, None]
    return points + left * mitres, points + right * mitres


def _piece(points: FloatArray, marks: FloatArray, start: float, end: float) -> FloatArray:
    """Return the part of a polyline between two lengths along it."""
    inner = points[(marks > start + 1e-6) & (marks < end - 1e-6)]
    ends = [[float(np.interp(mark, marks, points[:, axis])) for axis in range(2)] for mark in (start, end)]
    return np.array([ends[0], *inner.tolist(), ends[1]])
