"""Ground of a town: road surface, markings, raised sidewalks and medians, and the terrain around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray, IntArray
from offnominal.sensing.material import Material
from offnominal.sensing.scene import Instance
from offnominal.sensing.shapes import Patches
from offnominal.worlds.road.assets.asset import Part, asset
from offnominal.worlds.road.assets.colours import colour
from offnominal.worlds.road.assets.ground import (
    ASPHALT,
    GRASS,
    KERB,
    LINE_HEIGHT,
    TERRAIN_HEIGHT,
    WHITE_LINE,
    YELLOW_LINE,
    terrain,
)
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.scenes.details import paved_yards
from offnominal.worlds.road.town.surfaces import Surface, surfaces_of
from offnominal.worlds.road.town.town import Town

# Identities of the surfaces: above those of all actors, below those of all places.
FIRST_IDENTITY = 5001
CONCRETE = Material(colour("concrete"))
PAVING = Material((0.55, 0.54, 0.52), (0.585, 0.575, 0.555), "checker", 0.5)
YARD = Material((0.44, 0.43, 0.41), (0.50, 0.49, 0.46), "noise", 1.6)
WORN_ASPHALT = Material((0.275, 0.28, 0.288), (0.295, 0.298, 0.30), "asphalt")
# Yards lie between the terrain and the road surface, so that sidewalks and roads cover them.
YARD_HEIGHT = 0.5 * TERRAIN_HEIGHT


class TownGround:
    """All flat surfaces of a town.

    Args:
        town: The town.
        paved: Whether the ground around its buildings is paved.
        worn: Whether roads and markings are worn, see :class:`~offnominal.worlds.road.scenes.looks.Look`.
    """

    def __init__(self, town: Town, *, paved: bool = True, worn: bool = False) -> None:
        surfaces = surfaces_of(town.graph)
        surfaces += [Surface("yard", corners) for corners in paved_yards(town, paved=paved)]
        road, walk, median = (_patches(surfaces, kind) for kind in ("road", "sidewalk", "median"))
        self._road = road
        self._raised = [each for each in (walk, median) if each is not None]
        self.instances: tuple[Instance, ...] = _instances(surfaces, road, walk, median, worn=worn)

    def height_at(self, x: float, y: float) -> float:
        """Return the height of the ground: of a sidewalk or median, of the road, or of the terrain.

        Example:
            >>> from offnominal.worlds.road.town import make_town
            >>> town = make_town("grid")
            >>> x, y = town.graph.lanes[0].points[5].tolist()
            >>> TownGround(town).height_at(x, y)
            0.0
        """
        if any(_covers(each, x, y) for each in self._raised):
            return KERB
        return 0.0 if self._road is not None and _covers(self._road, x, y) else TERRAIN_HEIGHT


def _patches(surfaces: list[Surface], *kinds: str, yellow: bool | None = None) -> Patches | None:
    found = [each.corners for each in surfaces if each.kind in kinds and yellow in (None, each.yellow)]
    return patches_of(found) if found else None


def _instances(
    surfaces: list[Surface], road: Patches | None, walk: Patches | None, median: Patches | None, *, worn: bool
) -> tuple[Instance, ...]:
    line, kerb, top = (0.0, 0.0, LINE_HEIGHT), (0.0, 0.0, 0.5 * LINE_HEIGHT), (0.0, 0.0, KERB)
    white = _patches(surfaces, "line", "crossing", yellow=False)
    yellow = _patches(surfaces, "line", yellow=True)
    yards = _patches(surfaces, "yard")
    made = [terrain()]
    if yards is not None:
        made.append(asset("yards", Part(yards, Label.GROUND, YARD, (0.0, 0.0, YARD_HEIGHT))))
    if road is not None:
        made.append(asset("road", Part(road, Label.ROAD, WORN_ASPHALT if worn else ASPHALT)))
    if white is not None:
        made.append(asset("white lines", Part(white, Label.ROAD_LINE, _paint(WHITE_LINE, worn), line)))
    if yellow is not None:
        made.append(asset("yellow lines", Part(yellow, Label.ROAD_LINE, _paint(YELLOW_LINE, worn), line)))
    # A ray that passes below the edge of a raised surface hits the same area in the colour of kerbs.
    if walk is not None:
        made.append(
            asset("sidewalks", Part(walk, Label.SIDEWALK, CONCRETE, kerb), Part(walk, Label.SIDEWALK, PAVING, top))
        )
    if median is not None:
        made.append(
            asset("medians", Part(median, Label.SIDEWALK, CONCRETE, kerb), Part(median, Label.TERRAIN, GRASS, top))
        )
    return tuple(part for k, each in enumerate(made) for part in each.placed(identity=FIRST_IDENTITY + k))


def _paint(line: Material, worn: bool) -> Material:
    return replace(line, second=WORN_ASPHALT.colour, texture="worn") if worn else line


def _covers(patches: Patches, x: float, y: float) -> bool:
    """Return whether a point is on the patches."""
    return bool(_is_covered(*patches.grid, x, y))


@compiled
def _is_covered(
    header: FloatArray, starts: IntArray, members: IntArray, triangles: FloatArray, x: float, y: float
) -> bool:
    across, down = (x - header[0]) * header[2], (y - header[1]) * header[3]
    columns, rows = int(header[4]), int(header[5])
    if not (0.0 <= across < columns and 0.0 <= down < rows):
        return False
    number = int(down) * columns + int(across)
    for k in range(starts[number], starts[number + 1]):
        triangle = triangles[members[k]]
        dx, dy = x - float(triangle[0]), y - float(triangle[1])
        a = float(triangle[2]) * dx + float(triangle[3]) * dy
        b = float(triangle[4]) * dx + float(triangle[5]) * dy
        if a >= 0.0 and b >= 0.0 and a + b <= 1.0:
            return True
    return False


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
