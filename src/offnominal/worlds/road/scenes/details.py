"""Details that the plan of a town leaves open: paved yards, garden paths, shrubs, benches, bins and bus stops."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from offnominal.core.deterministic_math import sincos
from offnominal.core.types import FloatArray
from offnominal.worlds.road.assets.asset import Asset
from offnominal.worlds.road.assets.draws import Draws
from offnominal.worlds.road.assets.street_furniture import bench, bus_stop, litter_bin
from offnominal.worlds.road.assets.vegetation import shrub
from offnominal.worlds.road.town.description import KERB, SIDEWALK_WIDTH
from offnominal.worlds.road.town.places import Place
from offnominal.worlds.road.town.town import Town

SHRUBS = 8
# Distances from the kerb behind the lamps, m: of benches and bins at the outer edge of a sidewalk, and of bus stops.
OUTER_EDGE, BEHIND = SIDEWALK_WIDTH + KERB - 0.55, SIDEWALK_WIDTH + KERB + 0.45
EVERY_BENCH, EVERY_STOP = 3, 11


@dataclass(frozen=True, eq=False)
class Detail:
    """One thing beside the road: asset, position in m, yaw in degrees, and up to which distance it is drawn, m."""

    asset: Asset
    x: float
    y: float
    yaw: float
    reach: float = 90.0


def paved_yards(town: Town, *, paved: bool) -> list[FloatArray]:
    """Return the paved ground around buildings as polygons: yards in a city, else paths and driveways.

    Args:
        town: The town.
        paved: Whether the ground around buildings is paved.
    """
    setback = town.plan.surroundings.setback + KERB
    walks = _walk_points(town)
    found = []
    for place in town.places:
        if place.kind != "building":
            continue
        front, half = 0.5 * place.length, 0.5 * place.width
        if paved:
            found.append(_rectangle(place, -front - 1.2, front + setback, -half - 2.6, half + 2.6))
            continue
        end = front + setback + 6.0 * _is_open(place, town, walks)
        found.append(_rectangle(place, 0.0, end, -0.65, 0.65))
        found.append(_rectangle(place, -0.2 * front, end, half - 0.4, half + 2.6))
    return found


def street_details(town: Town, *, paved: bool) -> list[Detail]:
    """Return shrubs beside houses, and benches, bins and bus stops along sidewalks."""
    found: list[Detail] = []
    for number, place in enumerate(each for each in town.places if each.kind == "building"):
        if not paved:
            found += _shrubs(place, number)
    lamps, walks = [each for each in town.places if each.kind == "lamp"], _walk_points(town)
    for number, lamp in enumerate(lamps):
        found += _furniture(lamp, number, walks)
    return [each for each in found if town.building_at(each.x, each.y, 0.3) is None]


def _walk_points(town: Town) -> FloatArray:
    walks = [walk.points for walk in town.graph.walks]
    return np.concatenate(walks) if walks else np.full((1, 2), np.inf)


def _distance(points: FloatArray, x: float, y: float) -> float:
    return math.sqrt(float(((points - (x, y)) ** 2).sum(axis=1).min()))


def _is_open(place: Place, town: Town, walks: FloatArray) -> bool:
    """Return whether a building stands away from sidewalks, so that its path is longer."""
    x, y = point_beside(place, 0.5 * place.length + town.plan.surroundings.setback + 3.0, 0.0)
    return _distance(walks, x, y) > 4.0


def _rectangle(place: Place, back: float, front: float, right: float, left: float) -> FloatArray:
    return np.array(
        [point_beside(place, a, b) for a, b in ((back, right), (front, right), (front, left), (back, left))]
    )


def point_beside(place: Place, ahead: float, left: float) -> tuple[float, float]:
    """Return a point at distances ahead and to the left of a place."""
    sine, cosine = sincos(place.heading)
    return place.x + ahead * cosine - left * sine, place.y + ahead * sine + left * cosine


def _shrubs(place: Place, number: int) -> list[Detail]:
    draws = Draws(number, "shrubs of a town")
    found = []
    for side in (-1.0, 1.0):
        for k in range(draws.whole(0, 3)):
            ahead = 0.5 * place.length + draws.between(0.5, 1.3)
            x, y = point_beside(place, ahead, side * (1.5 + 1.1 * k + draws.between(0.0, 0.5)))
            found.append(Detail(shrub(draws.whole(0, SHRUBS)), x, y, draws.between(0.0, 360.0)))
    return found


def _furniture(lamp: Place, number: int, walks: FloatArray) -> list[Detail]:
    """Return what stands at the outer edge of the sidewalk near a lamp; its arm points to the road."""
    x, y = point_beside(lamp, -OUTER_EDGE, 0.0)
    if _distance(walks, x, y) > 2.0:
        return []
    yaw = math.degrees(lamp.heading)
    if number % EVERY_STOP == 5:
        return [Detail(bus_stop(), *point_beside(lamp, -BEHIND, 6.0), yaw)]
    if number % EVERY_BENCH == 0:
        seat = Detail(bench(), *point_beside(lamp, -OUTER_EDGE, 3.0), yaw)
        return [seat, Detail(litter_bin(number), *point_beside(lamp, -OUTER_EDGE, 4.6), yaw)]
    return []
