"""Routes on a road graph: shortest paths over lanes, with lane changes, and their waypoints."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from offnominal.core.checks import number_in, positive_number
from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.road.town.errors import NoRoute
from offnominal.worlds.road.town.path_kernel import lateral_shift, pose_at
from offnominal.worlds.road.town.road_graph import LanePosition, RoadGraph

CHANGE_COST = 30.0
CHANGE_ROOM = 45.0
SHORTEST = 105
AGAIN = -1
FIRST_WAYPOINTS, MAX_ELSEWHERE = 5, 2


@dataclass(frozen=True)
class Route:
    """A way through a town.

    Args:
        graph: Road graph.
        lanes: Lanes in order; a lane may be followed by the one beside it, which is a lane change.
        start: Arclength on the first lane.
        stop: Arclength on the last lane.
    """

    graph: RoadGraph
    lanes: tuple[int, ...]
    start: float
    stop: float

    @cached_property
    def waypoints(self) -> tuple[FloatArray, IntArray]:
        """Positions (k, 2) at distances of 1 m, and the lane (k,) of each."""
        positions: list[tuple[float, float]] = []
        lanes: list[int] = []
        for lane, first, last in self.pieces():
            for s in np.arange(first, last, 1.0):
                x, y, _, _ = pose_at(self.graph.structure, lane, float(s), 0.0)
                positions.append((x, y))
                lanes.append(lane)
        return np.array(positions, np.float64).reshape(-1, 2), np.array(lanes, np.int64)

    def pieces(self) -> list[tuple[int, float, float]]:
        """Return (lane, from, to) of every part of the route; lanes are changed as early as possible."""
        net = self.graph.network
        found: list[tuple[int, float, float]] = []
        s = self.start
        for k, lane in enumerate(self.lanes):
            after = self.lanes[k + 1] if k + 1 < len(self.lanes) else -1
            end = self.stop if after < 0 else float(net.length[lane])
            if after >= 0 and after in (net.left[lane], net.right[lane]):
                change = min(s + 12.0, float(net.length[lane]))
                found.append((lane, s, change))
                s = lateral_shift(self.graph.structure, lane, int(after), change)[0]
            else:
                found.append((lane, s, end))
                s = 0.0
        return found

    @property
    def length(self) -> int:
        """Number of waypoints, which is the length in metres."""
        return len(self.waypoints[1])

    def position_at(self, distance: float) -> LanePosition:
        """Return the lane position at a distance along the route, or raise :class:`NoRoute` beyond its end.

        Example:
            >>> from offnominal.worlds.road.town import make_town
            >>> graph = make_town("grid").graph
            >>> route = plan_route(graph, LanePosition(0, 10.0), LanePosition(20, 20.0))
            >>> route.position_at(-1.0)
            Traceback (most recent call last):
                ...
            offnominal.core.errors.InvalidParameter: distance is -1.0; expected a number of at least 0.
        """
        left = number_in("distance", distance, 0.0)
        for lane, first, last in self.pieces():
            if left <= last - first:
                return LanePosition(lane, first + left)
            left -= last - first
        raise NoRoute(f"the route is {self.length} m long, so that nothing is at {distance:g} m.")

    @property
    def problems(self) -> tuple[str, ...]:
        """Why a route is not valid for a scenario, after the published rules; empty if it is valid."""
        found = []
        lanes = self.waypoints[1]
        if len(lanes) < SHORTEST:
            found.append(f"it has {len(lanes)} waypoints; expected at least {SHORTEST}")
        early = lanes[:FIRST_WAYPOINTS]
        if np.count_nonzero(early != early[:1]) > MAX_ELSEWHERE:
            found.append("it leaves its lane at once")
        if len({self.graph.lanes[lane].road for lane in early}) > 1:
            found.append("it leaves its road at once")
        return tuple(found)


def plan_route(graph: RoadGraph, start: LanePosition, stop: LanePosition) -> Route:
    """Return the shortest route between two places, or raise :class:`NoRoute`.

    Example:
        >>> from offnominal.worlds.road.town import make_town
        >>> graph = make_town("grid").graph
        >>> plan_route(graph, LanePosition(0, 10.0), LanePosition(20, 20.0)).problems
        ()
    """
    net = graph.network
    if start.lane == stop.lane and stop.s >= start.s:
        return Route(graph, (start.lane,), start.s, stop.s)
    # A route that returns to its first lane ends there, at a node of its own.
    goal = AGAIN if stop.lane == start.lane else stop.lane
    best: dict[int, float] = {start.lane: 0.0}
    before: dict[int, int] = {}
    heap = [(0.0, start.lane)]
    while heap:
        cost, lane = heapq.heappop(heap)
        if cost > best[lane]:
            continue
        if lane == goal:
            return Route(graph, (*_traced(before, start.lane, goal), stop.lane), start.s, stop.s)
        left = float(net.length[lane]) - (start.s if lane == start.lane else 0.0)
        steps = [(after, left) for after in graph.lanes[lane].successors]
        if left > CHANGE_ROOM and net.road[lane] >= 0:
            steps += [(int(beside), CHANGE_COST) for beside in (net.left[lane], net.right[lane]) if beside >= 0]
        for after, price in steps:
            node = AGAIN if after == start.lane else after
            if (node != AGAIN or goal == AGAIN) and cost + price < best.get(node, np.inf):
                best[node] = cost + price
                before[node] = lane
                heapq.heappush(heap, (cost + price, node))
    raise NoRoute(f"no route leads from lane {start.lane} to lane {stop.lane}; choose another destination.")


def _traced(before: dict[int, int], start: int, goal: int) -> tuple[int, ...]:
    """Return the lanes from the start to the one before the goal."""
    lanes = [before[goal]]
    while lanes[-1] != start:
        lanes.append(before[lanes[-1]])
    return tuple(reversed(lanes))


def route_table(routes: list[Route], room: int = 128) -> IntArray:
    """Return the lanes of routes as rows, padded with -1."""
    positive_number("room", room)
    table = np.full((max(1, len(routes)), room), -1, np.int64)
    for k, route in enumerate(routes):
        table[k, : min(len(route.lanes), room - 1)] = route.lanes[: room - 1]
    return table
