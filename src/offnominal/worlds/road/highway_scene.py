"""What the camera of the lane-keeping world can see: road, guard rails, trees, hills and cars, in dry air or rain."""

from __future__ import annotations

from functools import lru_cache

from offnominal.sensing.light import Light, Sky
from offnominal.sensing.material import Colour, Material
from offnominal.sensing.scene import Instance, Scene
from offnominal.sensing.shapes import Ellipsoid, Plane
from offnominal.worlds.road.assets.asset import Asset, shared_mesh
from offnominal.worlds.road.assets.car_body import BODIES
from offnominal.worlds.road.assets.primitives import box
from offnominal.worlds.road.assets.solid import Solid
from offnominal.worlds.road.assets.street_furniture import guard_rail
from offnominal.worlds.road.assets.vegetation import tree
from offnominal.worlds.road.assets.vehicles import PAINTS, car
from offnominal.worlds.road.highway import LANE_WIDTH
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.traffic import CARS, ONCOMING
from offnominal.worlds.road.weather import Weather

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
KINDS = ("broadleaf", "conifer", "round", "broadleaf", "poplar")
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
CAR_BODIES = ("sedan", "estate", "suv", "hatchback")
WET = 30.0
"""Rain at which everything is half as grey and dark as in a deluge, mm/h."""

# The instances of a scene, in their order.
GRASS = 0
ROAD = GRASS + 1
OTHER_ROAD = ROAD + SEGMENTS
RAIL = OTHER_ROAD + SEGMENTS
POST = RAIL + len(RAILS) * SEGMENTS
TREE = POST + SEGMENTS
HILL = TREE + TREES
BODY = HILL + len(HILLS)
WRONG_WAY = BODY + CARS + ONCOMING
BRAKE_LAMPS = WRONG_WAY + 1
COUNT = BRAKE_LAMPS + CARS


def _delineator() -> Solid:
    return box("white", 0.1, 0.14, 1.0) + box("black", 0.11, 0.15, 0.16, (0.0, 0.0, 0.78))


def _brake_lamps(body: str) -> Solid:
    """Return the brake lights of a car; they are larger than its tail lights."""
    front, rear = BODIES[body][1], BODIES[body][-1]
    lamps = box("red lamp", 0.12, 0.36, 0.24, (rear.x + 0.01, front.half - 0.18, rear.belt - 0.17)).both()
    return lamps + box("red lamp", 0.06, 0.5, 0.06, (rear.x - 0.01, 0.0, rear.top - 0.02))


def _mixed(first: Colour, second: Colour, share: float) -> Colour:
    a, b, c = ((1.0 - share) * x + share * y for x, y in zip(first, second, strict=True))
    return (a, b, c)


def _instance(asset: Asset) -> Instance:
    """Return an asset of one part as an instance; its position comes with each frame."""
    (part,) = asset.parts
    return Instance(part.shape, material=part.material, label=int(part.label))


def _landscape(wet: float) -> list[Instance]:
    """Return ground, road, rails, posts, trees and hills."""
    grass = Material(_mixed((0.33, 0.42, 0.20), (0.22, 0.29, 0.17), wet), (0.46, 0.51, 0.27), "noise", 2.5)
    asphalt = _mixed((0.31, 0.315, 0.325), (0.16, 0.17, 0.19), wet)
    road = Material(asphalt, _mixed((0.90, 0.90, 0.88), (0.62, 0.63, 0.64), wet), "highway", LANE_WIDTH)
    # Each piece overlaps the next one a little, so that no gap opens on the outside of a curve.
    piece = Plane((0.5 * SEGMENT + 0.3, HALF_ROAD))
    green = Material(_mixed((0.36, 0.45, 0.36), (0.30, 0.35, 0.33), wet), (0.42, 0.50, 0.38), "noise", 60.0)
    trees = [_instance(tree(k, kind=KINDS[k % len(KINDS)])) for k in range(TREES)]
    return [
        Instance(Plane(), material=grass, label=int(Label.TERRAIN)),
        *[Instance(piece, material=road, label=int(Label.ROAD))] * (2 * SEGMENTS),
        *[_instance(guard_rail(SEGMENT + 0.3))] * (len(RAILS) * SEGMENTS),
        *[Instance(shared_mesh(_delineator), label=int(Label.POLE))] * SEGMENTS,
        *trees,
        *(Instance(Ellipsoid((w, w, h)), material=green, label=int(Label.TERRAIN)) for _, _, w, h in HILLS),
    ]


def _vehicles() -> list[Instance]:
    """Return the cars, the last one being the wrong-way car, and their brake lights."""
    bodies = [CAR_BODIES[(k + k // len(PAINTS)) % len(CAR_BODIES)] for k in range(CARS + ONCOMING + 1)]
    cars = [_instance(car(body=body, paint=PAINTS[3 * k % len(PAINTS)])) for k, body in enumerate(bodies)]
    lamps = [Instance(shared_mesh(_brake_lamps, body), label=int(Label.CAR)) for body in bodies[:CARS]]
    return [*cars, *lamps]


def wetness(rain: float) -> float:
    """Return how wet everything is, from 0, dry, to 1, in a deluge."""
    return rain / (rain + WET)


def rainy_weather(rain: float) -> Weather:
    """Return the weather whose streaks of rain an image shows."""
    wet = 100.0 * wetness(rain)
    return Weather("rain", cloudiness=wet, precipitation=wet, puddles=0.0, wind=20.0, sun_altitude=60.0, fog=0.0)


@lru_cache(maxsize=8)
def highway_scene(rain: float) -> Scene:
    """Return the scene for an amount of rain in mm/h; the poses of its instances come with each frame."""
    wet = wetness(rain)
    dry = 1.0 - wet
    light = Light(
        towards_sun=(-0.35, 0.5, 0.8),
        sun=(0.62 * dry, 0.60 * dry, 0.55 * dry),
        above=_mixed((0.50, 0.53, 0.58), (0.58, 0.60, 0.63), wet),
        below=(0.30, 0.28, 0.26),
        shadows=rain < WET,
    )
    sky = Sky(
        horizon=_mixed((0.84, 0.89, 0.94), (0.60, 0.63, 0.66), wet),
        zenith=_mixed((0.40, 0.58, 0.84), (0.42, 0.45, 0.50), wet),
        visibility=4000.0 / (1.0 + rain / 2.0),
        label=int(Label.SKY),
    )
    return Scene((*_landscape(wet), *_vehicles()), light, sky)
