"""Routes of the ego vehicle on a map of CARLA."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from offnominal.core.streams import Stream
from offnominal.core.types import BoolArray, FloatArray, IntArray
from offnominal.worlds.road.carla.coordinates import heading, lifted, location, transform, vector
from offnominal.worlds.road.carla.errors import NotOnServer, server_errors
from offnominal.worlds.road.scenarios.anomaly import ContentAnomaly
from offnominal.worlds.road.scenarios.description import Place, Scenario
from offnominal.worlds.road.town.errors import NoRoute
from offnominal.worlds.road.town.routes import FIRST_WAYPOINTS, MAX_ELSEWHERE, SHORTEST

STEP = 1.0
DRAWS = 300
LONGEST = 5000
# Farthest distance of a given place from the centre of a lane, m.
NEAR = 3.0
# Height at which vehicles are placed, m; they drop on the road.
ABOVE = 0.5
Segment: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class CarlaRoute:
    """A way through a map of CARLA.

    Args:
        points: (k, 3): points at distances of 1 m, m.
        roads: (k,): ids of their roads.
        lanes: (k,): numbers of their lanes in CARLA.
        in_junction: (k,): whether they are in a junction.
    """

    points: FloatArray
    roads: IntArray
    lanes: IntArray
    in_junction: BoolArray

    @property
    def waypoints(self) -> tuple[FloatArray, IntArray]:
        """Positions (k, 2) at distances of 1 m, and a number (k,) for the lane of each."""
        _, numbers = np.unique(np.stack([self.roads, self.lanes], axis=1), axis=0, return_inverse=True)
        return self.points[:, :2], numbers.reshape(-1)

    @property
    def length(self) -> int:
        """Number of waypoints, which is the length in metres."""
        return len(self.points)

    @property
    def problems(self) -> tuple[str, ...]:
        """Why a route is not valid for a scenario, after the published rules; empty if it is valid."""
        found = []
        if self.length < SHORTEST:
            found.append(f"it has {self.length} waypoints; expected at least {SHORTEST}")
        early = slice(0, FIRST_WAYPOINTS)
        if np.count_nonzero(self.lanes[early] != self.lanes[0]) > MAX_ELSEWHERE:
            found.append("it leaves its lane at once")
        if len(set(self.roads[early].tolist())) > 1:
            found.append("it leaves its road at once")
        return tuple(found)

    def pose_at(self, distance: float) -> tuple[FloatArray, float]:
        """Return the point (3,) at a distance along the route, and its direction in degrees to the left.

        Raises:
            NoRoute: The route is shorter.
        """
        k = round(distance)
        if not 0 <= k < self.length:
            raise NoRoute(f"the route is {self.length} m long, so that nothing is at {distance:g} m.")
        before, after = self.points[max(k - 1, 0)], self.points[min(k + 1, self.length - 1)]
        along = after - before
        return self.points[k], math.degrees(math.atan2(along[1], along[0]))

    def after(self, point: FloatArray) -> CarlaRoute:
        """Return the rest of the route behind the waypoint that is nearest to a point (3,)."""
        first = min(self.nearest(point) + 1, self.length - 1)
        return CarlaRoute(self.points[first:], self.roads[first:], self.lanes[first:], self.in_junction[first:])

    def nearest(self, point: FloatArray) -> int:
        """Return the number of the waypoint that is nearest to a point (3,), which is its distance in metres."""
        return int(((self.points - point)[:, :2] ** 2).sum(axis=1).argmin())


class RoutePlanner:
    """Plans routes on a map of CARLA. They keep their lane between junctions.

    Args:
        carla: The module ``carla``.
        roads: The map.
    """

    def __init__(self, carla: Any, roads: Any) -> None:
        self._carla, self._map = carla, roads
        self._length: dict[Segment, float] = {}
        self._after: dict[Segment, list[Segment]] = {}
        with server_errors("give the roads of its map"):
            for start, end in roads.get_topology():
                key = segment(start)
                self._length[key] = max(STEP, start.transform.location.distance(end.transform.location))
                after = {segment(each) for each in end.next(STEP)} - {key}
                self._after.setdefault(key, []).extend(sorted(after))

    def waypoint(self, place: Place) -> Any:
        """Return the waypoint at a place of a scenario file.

        Raises:
            NotOnServer: It is not on a road of the map.
        """
        point = location(self._carla, (place.x, place.y, place.z))
        found = self.nearest(point)
        away = math.inf if found is None else math.hypot(*(vector(found.transform.location) - vector(point))[:2])
        if away > NEAR:
            raise NotOnServer(
                f"the place x={place.x:.1f}, y={place.y:.1f} is not on a road of {self._map.name.rpartition('/')[2]}. "
                "The towns of this package have other layouts; leave out start, end and route."
            )
        return found

    def nearest(self, point: Any) -> Any:
        """Return the waypoint on a driving lane that is nearest to a location of CARLA."""
        return self._map.get_waypoint(point)

    def spawn_points(self) -> list[Any]:
        """Return the poses of CARLA at which vehicles can be placed."""
        return list(self._map.get_spawn_points())

    def standing(self, waypoint: Any) -> Any:
        """Return the pose of CARLA of a vehicle above a waypoint."""
        above = lifted(vector(waypoint.transform.location), ABOVE)
        return transform(self._carla, above, math.degrees(heading(waypoint.transform)))

    def plan(self, start: Any, end: Any) -> CarlaRoute:
        """Return the shortest route between two waypoints.

        Raises:
            NoRoute: None leads there.
        """
        path = self._path(segment(start), segment(end))
        points = [start]
        goal = end.transform.location
        k = 0
        while not (k == len(path) - 1 and points[-1].transform.location.distance(goal) <= STEP):
            ahead = {segment(each): each for each in points[-1].next(STEP)}
            # Lanes in junctions may be shorter than a step.
            j = next((j for j in range(k, min(k + 3, len(path))) if path[j] in ahead), None)
            if j is None or len(points) >= LONGEST:
                raise NoRoute("the route ends before its destination; choose another one.")
            points.append(ahead[path[j]])
            k = j
        return _route(points)

    def through(self, places: tuple[tuple[float, float, float], ...]) -> CarlaRoute:
        """Return the route through given points."""
        return _route([self.waypoint(Place(*place)) for place in places])

    def _path(self, start: Segment, goal: Segment) -> list[Segment]:
        if start == goal:
            return [start]
        best, before = {start: 0.0}, dict[Segment, Segment]()
        heap = [(0.0, start)]
        while heap:
            cost, here = heapq.heappop(heap)
            if here == goal:
                path = [here]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return path[::-1]
            for after in self._after.get(here, ()) if cost <= best[here] else ():
                price = cost + self._length.get(here, STEP)
                if price < best.get(after, math.inf):
                    best[after], before[after] = price, here
                    heapq.heappush(heap, (price, after))
        raise NoRoute("no route without a lane change leads to the destination; choose another one.")


def choose_route(scenario: Scenario, planner: RoutePlanner) -> tuple[CarlaRoute, Any]:
    """Return the route of a scenario and the pose of the ego vehicle at its start, as a transform of CARLA.

    What the scenario leaves open is drawn from its seed among the spawn points of the map.

    Raises:
        NotOnServer: The scenario has places that are not on a road of the map.
        NoRoute: No route leads from the start to the end, or there is no valid one.
    """
    if scenario.route is not None:
        route = planner.through(scenario.route)
        return route, planner.standing(planner.waypoint(scenario.start or Place(*scenario.route[0])))
    start, end = (None if each is None else planner.waypoint(each) for each in (scenario.start, scenario.end))
    if start is not None and end is not None:
        return planner.plan(start, end), planner.standing(start)
    farthest = scenario.anomaly.distance if isinstance(scenario.anomaly, ContentAnomaly) else 0.0
    points = planner.spawn_points()
    stream = Stream.named(scenario.seed, 0, "route")
    for draw in range(DRAWS if points else 0):
        poses = [points[int(u * len(points))] for u in stream.uniform(2, step=draw)]
        first, last = (planner.nearest(each.location) for each in poses)
        try:
            route = planner.plan(start or first, end or last)
        except NoRoute:
            continue
        if not route.problems and route.length > farthest + 1.0:
            return route, poses[0] if start is None else planner.standing(start)
    raise NoRoute(f"no valid route in {DRAWS} draws among {len(points)} spawn points; use another seed or town.")


def segment(waypoint: Any) -> Segment:
    """Return the part of a lane that a waypoint is on: road, section and lane."""
    return waypoint.road_id, waypoint.section_id, waypoint.lane_id


def _route(waypoints: list[Any]) -> CarlaRoute:
    return CarlaRoute(
        np.array([vector(each.transform.location) for each in waypoints]).reshape(-1, 3),
        np.array([each.road_id for each in waypoints], np.int64),
        np.array([each.lane_id for each in waypoints], np.int64),
        np.array([each.is_junction for each in waypoints], np.bool_),
    )
