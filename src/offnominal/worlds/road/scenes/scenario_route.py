"""The route of a scenario: planned from its start and end, or drawn from its seed."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from offnominal.core.deterministic_math import arctan2
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray
from offnominal.worlds.road.scenarios.description import Place, Scenario
from offnominal.worlds.road.town.description import LANE_WIDTH
from offnominal.worlds.road.town.errors import NoRoute
from offnominal.worlds.road.town.road_graph import LanePosition
from offnominal.worlds.road.town.routes import Route, plan_route
from offnominal.worlds.road.town.spawning import spawn_points
from offnominal.worlds.road.town.town import Town

TRIES = 300
OFF_ROUTE = 1.5 * LANE_WIDTH
VIAS = 20


def route_of(scenario: Scenario, town: Town) -> Route | None:
    """Return the route of a scenario; None leaves it to the simulation.

    Raises:
        InvalidSpawn: Start or end are inside a building or off the road.
        NoRoute: No route leads from the start to the end, or through the given points.
    """
    if scenario.route is not None:
        return _through(scenario, town)
    start, end = _position(scenario.start, town), _position(scenario.end, town)
    if start is None and end is None:
        return None
    if start is not None and end is not None:
        return plan_route(town.graph, start, end)
    stream = Stream.named(scenario.seed, 0, "route")
    points = spawn_points(town.graph)
    for draw in range(TRIES):
        other = points[int(stream.uniform(1, step=draw)[0] * len(points))]
        try:
            route = plan_route(town.graph, start or other, end or other)
        except NoRoute:
            continue
        if not route.problems:
            return route
    raise NoRoute(f"no valid route of {town.name} has the given {'start' if start else 'end'}; choose another one.")


def _position(place: Place | None, town: Town) -> LanePosition | None:
    return None if place is None else town.lane_at(place.x, place.y, math.radians(place.yaw))


def _lane(town: Town, point: FloatArray, heading: float) -> LanePosition:
    return town.lane_at(float(point[0]), float(point[1]), heading)


def _through(scenario: Scenario, town: Town) -> Route:
    """Return the route through given points: the shortest one, with detours where it misses a point."""
    assert scenario.route is not None
    points = np.array(scenario.route)[:, :2]
    headings = [arctan2(float(b[1] - a[1]), float(b[0] - a[0])) for a, b in pairwise(points)]
    headings.append(headings[-1])
    first = _position(scenario.start, town) or _lane(town, points[0], headings[0])
    last = _position(scenario.end, town) or _lane(town, points[-1], headings[-1])
    vias: dict[int, LanePosition] = {}
    for _ in range(VIAS):
        stops = [first, *(vias[k] for k in sorted(vias)), last]
        route = _joined([plan_route(town.graph, a, b) for a, b in pairwise(stops)])
        way = route.waypoints[0]
        missed = [k for k, point in enumerate(points) if ((way - point) ** 2).sum(axis=1).min() > OFF_ROUTE**2]
        missed = [k for k in missed if k not in vias]
        if not missed:
            return route
        at = missed[len(missed) // 2]
        vias[at] = _lane(town, points[at], headings[at])
    raise NoRoute(f"no route of {town.name} leads through the {len(points)} given points; choose others.")


def _joined(routes: list[Route]) -> Route:
    """Return routes one after the other; each begins on the lane on which the one before ends."""
    lanes = list(routes[0].lanes)
    for route in routes[1:]:
        lanes += route.lanes[1:]
    return Route(routes[0].graph, tuple(lanes), routes[0].start, routes[-1].stop)
