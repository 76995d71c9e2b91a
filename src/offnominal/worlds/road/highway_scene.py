"""What the camera of the lane-keeping world can see: road, guard rails, trees, hills and cars, in dry air or rain."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.sensing.light import Light, Sky
from offnominal.sensing.material import Colour, Material
from offnominal.sensing.mesh_models import car
from offnominal.sensing.scene import Instance, Scene
from offnominal.sensing.shapes import Cylinder, Ellipsoid, Mesh, Plane
from offnominal.worlds.road.highway import LANE_WIDTH
from offnominal.worlds.road.traffic import CARS, ONCOMING

SEGMENT = 12.0
"""Length of a straight piece of road, and distance between two dashes of its lines, m."""
SEGMENTS = 21
SHOULDER = 1.75
HALF_ROAD = 1.5 * LANE_WIDTH + SHOULDER
"""Half the width of a carriageway: three lanes and two shoulders, m."""
MEDIAN = 3.0
OTHER_SIDE = 2.0 * HALF_ROAD + MEDIAN
"""Distance between the middles of the two carriageways, m."""
RAILS = (-HALF_ROAD - 0.6, HALF_ROAD + 0.5 * MEDIAN, OTHER_SIDE + HALF_ROAD + 0.6)
"""Guard rails, as distances to the left of the middle of the carriageway, m."""
TREES = 2 * SEGMENTS
HILLS = (
    (0.0, 1400.0, 520.0, 95.0),
    (0.7, 1150.0, 380.0, 70.0),
    (1.7, 1300.0, 460.0, 110.0),
    (2.6, 1100.0, 420.0, 60.0),
    (3.6, 1350.0, 500.0, 120.0),
    (4.5, 1200.0, 400.0, 80.0),
    (5.5, 1250.0, 430.0, 90.0),
)
"""Direction, rad, distance, width and height of the hills at the horizon, m."""

PAINTS: tuple[Colour, ...] = (
    (0.72, 0.10, 0.10),
    (0.12, 0.26, 0.55),
    (0.88, 0.88, 0.90),
    (0.16, 0.17, 0.19),
    (0.55, 0.58, 0.62),
    (0.80, 0.62, 0.14),
    (0.14, 0.36, 0.26),
)
GLASS: Colour = (0.07, 0.08, 0.10)
WET = 60.0
"""Rain at which everything is half as grey and dark as in a deluge, mm/h."""

# The instances of a scene, in their order.
GRASS = 0
ROAD = GRASS + 1
OTHER_ROAD = ROAD + SEGMENTS
RAIL = OTHER_ROAD + SEGMENTS
POST = RAIL + len(RAILS) * SEGMENTS
TRUNK = POST + SEGMENTS
CROWN = TRUNK + TREES
HILL = CROWN + TREES
BODY = HILL + len(HILLS)
WRONG_WAY = BODY + CARS + ONCOMING
LAMPS = WRONG_WAY + 1
BRAKE_LAMPS = LAMPS + CARS + ONCOMING + 1
COUNT = BRAKE_LAMPS + CARS


def _boxes(boxes: list[tuple[tuple[float, float, float], tuple[float, float, float], bool]]) -> Mesh:
    """Return the union of boxes, each given by its middle, its half sides and whether it is trim."""
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
    sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = np.array([face for a, b, c, d in sides for face in ((a, b, c), (a, c, d))])
    vertices = np.concatenate([np.array(middle) + corners * half for middle, half, _ in boxes])
    trim = np.repeat([dark for _, _, dark in boxes], len(faces))
    return Mesh(vertices, np.concatenate([faces + 8 * k for k in range(len(boxes))]), trim)


@lru_cache(maxsize=1)
def _meshes() -> dict[str, Mesh]:
    """Return the meshes of all scenes."""
    half = 0.5 * SEGMENT
    posts = [((x, 0.0, 0.3), (0.05, 0.06, 0.3), True) for x in (-4.0, 0.0, 4.0)]
    rail = [((0.0, 0.0, 0.52), (half + 0.15, 0.03, 0.07), False), ((0.0, 0.0, 0.70), (half + 0.15, 0.03, 0.07), False)]
    return {
        "car": car(),
        "rail": _boxes([*posts, *rail, ((0.0, 0.0, 0.61), (half + 0.15, 0.02, 0.03), True)]),
        "post": _boxes([((0.0, 0.0, 0.5), (0.05, 0.06, 0.5), False), ((0.0, 0.0, 0.85), (0.055, 0.065, 0.08), True)]),
        "rear": _boxes([((-2.13, y, 0.72), (0.04, 0.15, 0.07), False) for y in (-0.62, 0.62)]),
        "braking": _boxes([((-2.15, y, 0.72), (0.05, 0.2, 0.1), False) for y in (-0.62, 0.62)]),
        "front": _boxes([((2.08, y, 0.66), (0.06, 0.14, 0.07), False) for y in (-0.6, 0.6)]),
        "conifer": _cone(9),
    }


def _cone(corners: int) -> Mesh:
    """Return a conifer of three cones, 1 m wide and 2 m high, around the origin."""
    from offnominal.core.deterministic_math import sincos

    vertices: list[tuple[float, float, float]] = []
    faces: list[tuple[int, int, int]] = []
    for low, high, radius in ((-1.0, 0.1, 0.5), (-0.45, 0.6, 0.4), (0.15, 1.0, 0.28)):
        first = len(vertices)
        for k in range(corners):
            s, c = sincos(2.0 * np.pi * k / corners)
            vertices.append((radius * c, radius * s, low))
        vertices += [(0.0, 0.0, high), (0.0, 0.0, low)]
        for k in range(corners):
            here, following = first + k, first + (k + 1) % corners
            faces += [(here, following, first + corners), (following, here, first + corners + 1)]
    return Mesh(np.array(vertices), np.array(faces))


def _scaled(mesh: Mesh, wide: float, high: float) -> Mesh:
    return Mesh(np.asarray(mesh.vertices) * np.array((wide, wide, high)), mesh.faces, mesh.trim)


def _mixed(first: Colour, second: Colour, share: float) -> Colour:
    a, b, c = ((1.0 - share) * x + share * y for x, y in zip(first, second, strict=True))
    return (a, b, c)


def _landscape(wet: float) -> list[Instance]:
    """Return ground, road, rails and posts; positions come with each frame."""
    grass = Material(_mixed((0.40, 0.50, 0.26), (0.26, 0.33, 0.20), wet), (0.50, 0.56, 0.32), "noise", 2.5)
    asphalt = _mixed((0.33, 0.34, 0.36), (0.17, 0.18, 0.20), wet)
    road = Material(asphalt, _mixed((0.90, 0.90, 0.88), (0.62, 0.63, 0.64), wet), "highway", LANE_WIDTH)
    steel = Material((0.66, 0.68, 0.70), (0.38, 0.39, 0.41))
    post = Material((0.92, 0.92, 0.92), (0.12, 0.12, 0.13))
    meshes = _meshes()
    # Each piece overlaps the next one a little, so that no gap opens on the outside of a curve.
    piece = Plane((0.5 * SEGMENT + 0.3, HALF_ROAD))
    return [
        Instance(Plane(), material=grass),
        *[Instance(piece, (0.0, 0.0, 0.02), material=road)] * (2 * SEGMENTS),
        *[Instance(meshes["rail"], material=steel)] * (len(RAILS) * SEGMENTS),
        *[Instance(meshes["post"], material=post)] * SEGMENTS,
    ]


@lru_cache(maxsize=1)
def tree_sizes() -> FloatArray:
    """Return width and height of the crown and height of the trunk of every tree, (trees, 3) in metres."""
    from offnominal.core.streams import Stream

    drawn = Stream.named(0, 0, "trees").uniform(3 * TREES).reshape(TREES, 3)
    sizes: FloatArray = np.array((2.2, 4.0, 1.4)) + drawn * np.array((1.6, 2.6, 1.2))
    return sizes


@lru_cache(maxsize=1)
def _crowns() -> list[Ellipsoid | Mesh]:
    conifer = _meshes()["conifer"]
    return [
        _scaled(conifer, 1.5 * float(w), float(h)) if k % 3 == 1 else Ellipsoid((float(w), float(w), 0.6 * float(h)))
        for k, (w, h, _) in enumerate(tree_sizes())
    ]


def _trees(wet: float) -> list[Instance]:
    bark = Material(_mixed((0.34, 0.26, 0.20), (0.20, 0.16, 0.13), wet))
    greens = (((0.22, 0.40, 0.16), (0.34, 0.52, 0.22)), ((0.12, 0.28, 0.16), (0.16, 0.34, 0.18)))
    leaves = [
        Material(_mixed(a, (0.14, 0.22, 0.14), wet), _mixed(b, (0.20, 0.30, 0.18), wet), "noise", 0.6)
        for a, b in greens
    ]
    trunks = [Instance(Cylinder(0.16, 0.5 * float(h) + 0.5), material=bark) for _, _, h in tree_sizes()]
    return [*trunks, *(Instance(crown, material=leaves[k % 3 == 1]) for k, crown in enumerate(_crowns()))]


def _hills(wet: float) -> list[Instance]:
    green = Material(_mixed((0.36, 0.45, 0.36), (0.30, 0.35, 0.33), wet), (0.42, 0.50, 0.38), "noise", 60.0)
    return [Instance(Ellipsoid((width, width, height)), material=green) for _, _, width, height in HILLS]


def _vehicles() -> list[Instance]:
    meshes = _meshes()
    number = CARS + ONCOMING + 1
    bodies = [Instance(meshes["car"], material=Material(PAINTS[k % len(PAINTS)], GLASS)) for k in range(number)]
    dim, bright, white = Material((0.55, 0.05, 0.05)), Material((1.0, 0.16, 0.10)), Material((1.0, 1.0, 0.92))
    lamps = [Instance(meshes["rear"], material=dim)] * CARS + [Instance(meshes["front"], material=white)] * (
        ONCOMING + 1
    )
    return [*bodies, *lamps, *[Instance(meshes["braking"], material=bright)] * CARS]


@lru_cache(maxsize=8)
def highway_scene(rain: float) -> Scene:
    """Return the scene for an amount of rain in mm/h; the poses of its instances come with each frame."""
    wet = rain / (rain + WET)
    dry = 1.0 - wet
    light = Light(
        towards_sun=(-0.35, 0.5, 0.8),
        sun=(0.62 * dry, 0.60 * dry, 0.55 * dry),
        above=_mixed((0.50, 0.53, 0.58), (0.58, 0.60, 0.63), wet),
        below=(0.30, 0.28, 0.26),
        shadows=rain < 0.5 * WET,
    )
    sky = Sky(
        horizon=_mixed((0.84, 0.89, 0.94), (0.60, 0.63, 0.66), wet),
        zenith=_mixed((0.40, 0.58, 0.84), (0.42, 0.45, 0.50), wet),
        visibility=4000.0 / (1.0 + rain / 2.0),
    )
    return Scene((*_landscape(wet), *_trees(wet), *_hills(wet), *_vehicles()), light, sky)
