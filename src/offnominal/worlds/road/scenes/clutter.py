"""Where normal clutter is in a town: parked cars beside buildings, bins before doors, litter along the streets."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from offnominal.core.deterministic_math import sincos
from offnominal.core.types import FloatArray
from offnominal.worlds.road.assets.asset import Asset
from offnominal.worlds.road.assets.clutter import litter, rubbish_bag, wheelie_bin
from offnominal.worlds.road.assets.draws import Draws
from offnominal.worlds.road.assets.vehicles import car
from offnominal.worlds.road.scenes.details import Detail, point_beside
from offnominal.worlds.road.town.places import Place
from offnominal.worlds.road.town.town import Town

# Distances up to which things are drawn, m.
CAR_REACH, BIN_REACH, LITTER_REACH = 150.0, 70.0, 40.0
PARKED, BINS = 0.6, 0.5
# Free space around a parked car: to the next one, to other places and to the middle of lanes and walks, m.
APART, CLEAR, LANE_CLEAR, WALK_CLEAR = 5.4, 1.7, 3.0, 2.2
EVERY_LITTER, EVERY_ROAD_LITTER = 9.0, 45.0
KINDS = 48
"""Different pieces of each sort; equal ones share their meshes."""


def clutter(town: Town, others: list[Detail], *, paved: bool) -> list[Detail]:
    """Return the clutter of a town; it is the same for every scenario.

    Args:
        town: The town.
        others: Details that are there already.
        paved: Whether the ground around buildings is paved: cars stand along the street, otherwise on driveways.
    """
    buildings = [place for place in town.places if place.kind == "building"]
    taken = [(place.x, place.y) for place in town.places if place.kind in ("tree", "lamp", "light", "sign")]
    taken += [(each.x, each.y) for each in others]
    walks = [walk.points for walk in town.graph.walks]
    ways = np.concatenate(walks) if walks else np.full((1, 2), np.inf)
    found: list[Detail] = []
    parked: list[tuple[float, float]] = []
    for number, place in enumerate(buildings):
        for made in _cars(place, number, town, paved=paved):
            if _is_free(made, town, np.array(taken).reshape(-1, 2), np.array(parked).reshape(-1, 2), ways):
                parked.append((made.x, made.y))
                found.append(made)
        bins = list(_bins(place, number, town))
        blocked = np.array(parked + taken).reshape(-1, 2)
        found += [each for each in bins if _distance(blocked, each.x, each.y) > CLEAR]
    found += _walk_litter(walks)
    found += _road_litter(town)
    return [each for each in found if town.building_at(each.x, each.y, 0.2) is None]


def _cars(place: Place, number: int, town: Town, *, paved: bool) -> Iterator[Detail]:
    draws = Draws(number, "parked cars of a town")
    front, setback = 0.5 * place.length, town.plan.surroundings.setback
    spots = max(1, int(place.width / 6.0)) if paved else 1
    for k in range(spots):
        there, turned, aside, seed = (
            draws.between(0, 1),
            draws.between(0, 1),
            draws.between(-0.3, 0.3),
            draws.whole(0, KINDS),
        )
        if there > PARKED:
            continue
        if paved:
            x, y = point_beside(place, front + 0.5 * setback, (k + 0.5) * place.width / spots - 0.5 * place.width)
            yaw = 90.0 if turned < 0.5 else -90.0
        else:
            x, y = point_beside(place, 0.3 * front + 2.0 * aside, 0.5 * place.width + 1.1 + 0.5 * aside)
            yaw = 0.0 if turned < 0.3 else 180.0
        yaw += math.degrees(place.heading) + 8.0 * aside
        yield Detail(car(seed), x, y, yaw, CAR_REACH)


def _is_free(made: Detail, town: Town, taken: FloatArray, parked: FloatArray, ways: FloatArray) -> bool:
    if _distance(parked, made.x, made.y) < APART or _distance(ways, made.x, made.y) < WALK_CLEAR:
        return False
    sine, cosine = sincos(math.radians(made.yaw))
    for along in (-2.1, -0.7, 0.7, 2.1):
        x, y = made.x + along * cosine, made.y + along * sine
        if _distance(taken, x, y) < CLEAR or abs(town.graph.to_lane(x, y).d) < LANE_CLEAR:
            return False
        if town.building_at(x, y, 0.95) is not None:
            return False
    return True


def _bins(place: Place, number: int, town: Town) -> Iterator[Detail]:
    draws = Draws(number, "bins of a town")
    if draws.between(0.0, 1.0) > BINS:
        return
    side = 0.5 * place.width - draws.between(0.6, 2.0)
    for k in range(draws.whole(1, 3)):
        x, y = point_beside(place, 0.5 * place.length + draws.between(0.5, 0.7), side - 0.72 * k)
        yield Detail(
            wheelie_bin(draws.whole(0, KINDS)), x, y, math.degrees(place.heading) + draws.between(-9, 9), BIN_REACH
        )
    if draws.between(0.0, 1.0) < 0.5:
        x, y = point_beside(place, 0.5 * place.length + 0.6, side + 0.8)
        yield Detail(rubbish_bag(draws.whole(0, KINDS)), x, y, draws.between(0.0, 360.0), BIN_REACH)


def _walk_litter(walks: list[FloatArray]) -> list[Detail]:
    """Return litter on and beside sidewalks, at both edges."""
    found = []
    for number, points in enumerate(walks):
        draws = Draws(number, "litter of a walk")
        for at, along in _along(points, EVERY_LITTER, draws):
            aside = draws.between(0.7, 2.1) * (1.0 if draws.between(0.0, 1.0) < 0.5 else -1.0)
            x, y = at[0] - aside * along[1], at[1] + aside * along[0]
            found.append(_piece(litter(draws.whole(0, KINDS)), x, y, draws))
    return found


def _road_litter(town: Town) -> list[Detail]:
    """Return litter on the lanes; it is flat, so that cars drive over it."""
    found = []
    for number, lane in enumerate(town.graph.lanes):
        draws = Draws(number, "litter of a lane")
        for at, along in _along(lane.points, EVERY_ROAD_LITTER, draws):
            aside = draws.between(-1.5, 1.5)
            kind = draws.one_of(("leaves", "leaves", "paper", "newspaper", "can"))
            x, y = at[0] - aside * along[1], at[1] + aside * along[0]
            found.append(_piece(litter(draws.whole(0, KINDS), kind=kind), x, y, draws))
    return found


def _piece(made: Asset, x: float, y: float, draws: Draws) -> Detail:
    return Detail(made, float(x), float(y), draws.between(0.0, 360.0), LITTER_REACH)


def _along(points: FloatArray, every: float, draws: Draws) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield positions along a polyline at random distances with a mean, and the direction there."""
    steps = np.diff(points, axis=0)
    lengths = np.sqrt((steps**2).sum(axis=1))
    marks = np.concatenate([[0.0], np.cumsum(lengths)])
    at = draws.between(0.0, 2.0 * every)
    while at < marks[-1]:
        k = min(len(steps) - 1, int(np.searchsorted(marks, at, "right")) - 1)
        along = steps[k] / max(lengths[k], 1e-9)
        yield points[k] + (at - marks[k]) * along, along
        at += draws.between(0.2, 1.8) * every


def _distance(points: FloatArray, x: float, y: float) -> float:
    return math.sqrt(float(((points - (x, y)) ** 2).sum(axis=1).min())) if len(points) else math.inf
