"""Example scenes: a block of a town, and a robot arm at a table."""

from __future__ import annotations

from offnominal.core.streams import Stream
from offnominal.sensing.camera import Camera
from offnominal.sensing.light import Light, Sky
from offnominal.sensing.material import Colour, Material
from offnominal.sensing.mesh_models import animal, car
from offnominal.sensing.scene import Instance, Scene
from offnominal.sensing.shapes import Box, Capsule, Cylinder, Ellipsoid, Plane, Sphere
from offnominal.sensing.vectors import rotation_about_z

LABELS = ("sky", "ground", "road", "building", "car", "tree", "pole", "person", "animal")
GROUND, ROAD, BUILDING, CAR, TREE, POLE, PERSON, ANIMAL = range(1, len(LABELS))
LANE = 3.5
CROSSINGS = (-90.0, 0.0, 90.0)
WALLS: tuple[Colour, ...] = ((0.80, 0.70, 0.60), (0.62, 0.40, 0.34), (0.86, 0.84, 0.78), (0.55, 0.60, 0.66))
PAINTS: tuple[Colour, ...] = ((0.75, 0.12, 0.12), (0.15, 0.30, 0.62), (0.92, 0.92, 0.94), (0.20, 0.22, 0.24))
COATS: tuple[Colour, ...] = ((0.20, 0.28, 0.55), (0.75, 0.35, 0.20), (0.25, 0.45, 0.30), (0.55, 0.25, 0.45))


class _RandomDraws:
    """Random numbers drawn one after the other from one stream."""

    def __init__(self, seed: int) -> None:
        self.stream, self.drawn = Stream.named(seed, 0, "scene"), 0

    def between(self, low: float, high: float) -> float:
        self.drawn += 1
        return low + (high - low) * float(self.stream.uniform(1, step=self.drawn)[0])

    def one_of(self, colours: tuple[Colour, ...]) -> Colour:
        return colours[int(self.between(0.0, len(colours)))]


def town(seed: int = 0) -> Scene:
    """Return a block of a town: three crossings, houses, cars, trees, lamps, people and one animal on the road.

    Labels are indices into ``LABELS``.

    Example:
        >>> town()
        Scene(460 instances)
    """
    draws = _RandomDraws(seed)
    instances = [*_roads(), *_houses(draws), *_cars(draws), *_trees(draws), *_lamps(), *_people(draws)]
    beast = Instance(animal(1.1), (-38.0, -1.2, 0.0), rotation_about_z(70.0), Material((0.50, 0.36, 0.22)), ANIMAL)
    light = Light(towards_sun=(-0.55, -0.6, 0.75))
    return Scene((*instances, beast), light, Sky(visibility=1500.0))


def street_camera(width: int = 256, height: int = 256, samples: int = 1) -> Camera:
    """Return the camera of a car that drives along the town's main road."""
    return Camera((-52.0, -1.75, 1.6), (-20.0, -0.6, 1.4), width, height, fov=60.0, samples=samples)


def _roads() -> list[Instance]:
    asphalt, paint = (0.34, 0.35, 0.37), (0.88, 0.88, 0.84)
    road = Material(asphalt, paint, "lane", LANE)
    streets = [
        Instance(Plane((250.0, LANE + 0.5)), (x, 0.0, z), rotation, road, ROAD)
        for x, z, rotation in ((0.0, 0.02, None), *((x, 0.01, rotation_about_z(90.0)) for x in CROSSINGS))
    ]
    grass = Material((0.50, 0.53, 0.44), (0.60, 0.60, 0.54), "noise", 3.0)
    return [*streets, Instance(Plane(), material=grass, label=GROUND)]


def _houses(draws: _RandomDraws) -> list[Instance]:
    houses = []
    for k in range(160):
        side, row, place = k % 2 * 2 - 1, k // 2 % 2, k // 4
        x = (place - 19.5) * 8.6
        x += 12.0 * (1 if x >= 0.0 else -1) * (1 if abs(x) < 90.0 else 2)
        high, deep = draws.between(3.5, 8.0) * (1.0 + 0.7 * row), draws.between(4.0, 5.5)
        wide = draws.between(3.2, 4.2)
        walls = Material(draws.one_of(WALLS), (0.25, 0.32, 0.40), "windows", draws.between(2.2, 3.0))
        y = side * (13.5 + deep + 15.0 * row)
        houses.append(Instance(Box((wide, deep, high)), (x, y, high), material=walls, label=BUILDING))
    return houses


def _cars(draws: _RandomDraws) -> list[Instance]:
    shape = car()
    cars = []
    for k in range(60):
        paint = Material(draws.one_of(PAINTS), (0.08, 0.09, 0.11))
        side = k % 2 * 2 - 1
        if k < 16:
            x, y, rotation = (
                -150.0 + 20.0 * (k // 2) + draws.between(0.0, 9.0) + (60.0 if k > 7 else 0.0),
                side * 1.75,
                90.0 * (1 + side),
            )
        else:
            x, y, rotation = -165.0 + 15.0 * ((k - 16) // 2) + draws.between(-1.5, 1.5), side * 5.4, 90.0 * (1 + side)
        cars.append(Instance(shape, (x, y, 0.02), rotation_about_z(rotation), paint, CAR))
    return cars


def _trees(draws: _RandomDraws) -> list[Instance]:
    parts = []
    for k in range(60):
        x, y = -170.0 + 11.5 * (k // 2) + draws.between(-1.0, 1.0), (k % 2 * 2 - 1) * 8.3
        high, wide = draws.between(3.2, 4.4), draws.between(1.2, 1.8)
        leaves = Material((0.20, 0.38, 0.16), (0.34, 0.52, 0.22), "noise", 0.5)
        trunk = Instance(Cylinder(0.13, 1.3), (x, y, 1.3), None, Material((0.36, 0.27, 0.20)), TREE, 1000 + k)
        parts += [trunk, Instance(Ellipsoid((wide, wide, 1.3 * wide)), (x, y, high), None, leaves, TREE, 1000 + k)]
    return parts


def _lamps() -> list[Instance]:
    steel = Material((0.45, 0.47, 0.50))
    return [
        Instance(Cylinder(0.07, 3.0), (-160.0 + 12.5 * (k // 2), (k % 2 * 2 - 1) * 7.0, 3.0), None, steel, POLE)
        for k in range(54)
    ]


def _people(draws: _RandomDraws) -> list[Instance]:
    parts = []
    for k in range(30):
        x, y = draws.between(-120.0, 120.0), (k % 2 * 2 - 1) * draws.between(9.2, 11.5)
        coat = Material(draws.one_of(COATS))
        parts.append(Instance(Capsule(0.24, 0.5), (x, y, 0.74), None, coat, PERSON, 2000 + k))
        parts.append(Instance(Sphere(0.14), (x, y, 1.6), None, Material((0.80, 0.62, 0.50)), PERSON, 2000 + k))
    return parts


def arm() -> Scene:
    """Return a six-joint arm of primitives at a table, with a box to grasp.

    Example:
        >>> arm()
        Scene(20 instances)
    """
    steel, blue, dark = Material((0.78, 0.80, 0.83)), Material((0.35, 0.60, 0.80)), Material((0.18, 0.19, 0.21))
    table = Material((0.70, 0.56, 0.41))
    floor = Material((0.82, 0.84, 0.87), (0.74, 0.77, 0.81), "checker", 0.25)
    upright, sideways = None, ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
    tilted = ((0.6, 0.0, 0.8), (0.0, 1.0, 0.0), (-0.8, 0.0, 0.6))
    flat = ((0.28, 0.0, 0.96), (0.0, 1.0, 0.0), (-0.96, 0.0, 0.28))
    return Scene(
        (
            Instance(Plane(), material=floor, label=1),
            Instance(Box((0.5, 0.4, 0.02)), (0.2, 0.0, 0.38), upright, table, 2),
            *(Instance(Cylinder(0.02, 0.18), (x, y, 0.18), upright, dark, 2) for x in (-0.2, 0.6) for y in (-0.3, 0.3)),
            Instance(Cylinder(0.065, 0.02), (0.0, 0.0, 0.42), upright, dark, 3),
            Instance(Cylinder(0.05, 0.055), (0.0, 0.0, 0.49), upright, steel, 3),
            Instance(Cylinder(0.052, 0.06), (0.0, -0.05, 0.55), sideways, blue, 3),
            Instance(Capsule(0.04, 0.11), (0.088, -0.1, 0.62), tilted, steel, 3),
            Instance(Cylinder(0.045, 0.055), (0.185, -0.07, 0.695), sideways, blue, 3),
            Instance(Capsule(0.034, 0.095), (0.275, -0.03, 0.72), flat, steel, 3),
            Instance(Cylinder(0.036, 0.05), (0.375, -0.04, 0.75), sideways, blue, 3),
            Instance(Cylinder(0.034, 0.05), (0.375, -0.01, 0.69), upright, steel, 3),
            Instance(Cylinder(0.036, 0.02), (0.375, -0.01, 0.62), upright, blue, 3),
            Instance(Box((0.02, 0.05, 0.015)), (0.375, -0.01, 0.59), upright, dark, 4),
            Instance(Box((0.01, 0.006, 0.03)), (0.375, -0.045, 0.55), upright, dark, 4),
            Instance(Box((0.01, 0.006, 0.03)), (0.375, 0.025, 0.55), upright, dark, 4),
            Instance(Box((0.022, 0.022, 0.022)), (0.375, -0.01, 0.422), upright, Material((0.85, 0.30, 0.12)), 5),
            Instance(Sphere(0.018), (0.30, 0.16, 0.50), upright, Material((0.15, 0.65, 0.35)), 6),
        ),
        Light(towards_sun=(0.3, -0.6, 0.9)),
    )


def arm_camera(size: int = 128, samples: int = 1) -> Camera:
    """Return a camera that views the arm across its table."""
    return Camera((0.95, -0.85, 1.0), (0.16, 0.0, 0.52), size, size, fov=42.0, samples=samples)
