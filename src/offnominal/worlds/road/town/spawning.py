"""Where vehicles and pedestrians start: on lanes and sidewalks, without overlap, away from the ego vehicle."""

from __future__ import annotations

import numpy as np

from offnominal.core.streams import Stream
from offnominal.core.types import BoolArray, FloatArray, IntArray
from offnominal.worlds.road.town.path_kernel import cap_at, pose_at
from offnominal.worlds.road.town.road_graph import LanePosition, RoadGraph
from offnominal.worlds.road.town.traffic_state import Vehicles, Walkers
from offnominal.worlds.road.town.vehicle_kinds import KINDS, VehicleKind, driver_of

SPACING = 15.0
FROM_START, TO_STOP = 9.0, 8.0
AROUND_EGO = 15.0
AROUND_ROUTE = 5.0
BETWEEN = 3.0
FAST_ROAD = 18.0
KIND_LANE, PLACE_LANE, DRIVER_LANE, WALKER_LANE = range(4)


def spawn_points(graph: RoadGraph) -> list[LanePosition]:
    """Return the places where vehicles may start: on all lanes of roads, at equal distances.

    Example:
        >>> from offnominal.worlds.road.town import make_town
        >>> len(spawn_points(make_town("grid").graph)) > 150
        True
    """
    net = graph.network
    return [
        LanePosition(lane.id, float(s))
        for lane in graph.lanes
        if not lane.is_connector
        for s in np.arange(FROM_START, net.stop[lane.id] - TO_STOP, SPACING)
    ]


def place_vehicle(graph: RoadGraph, cars: Vehicles, v: int, at: LanePosition, kind: int, driver: FloatArray) -> None:
    """Put a vehicle at rest on a lane."""
    chosen = KINDS[kind]
    cars.lane[v], cars.s[v], cars.d[v] = at.lane, at.s, at.d
    cars.path[v, 0] = at.lane
    cars.kind[v] = kind
    cars.size[v] = chosen.size
    cars.axle[v] = chosen.axle
    cars.driver[v] = driver
    cars.pose[v] = pose_at(graph.structure, at.lane, at.s, at.d)
    sources = graph.lanes[at.lane].predecessors
    cars.before[v] = sources[0] if sources else -1


def spawn_traffic(graph: RoadGraph, stream: Stream, cars: Vehicles, placed: int, avoid: FloatArray) -> int:
    """Place the vehicles from index `placed` on at random spawn points; return how many there are in the end.

    Args:
        graph: Road graph.
        stream: Random stream.
        cars: Vehicles; the first `placed` are in place.
        placed: Number of vehicles that are in place.
        avoid: (k, 2): points of the ego vehicle's route that other vehicles keep free.
    """
    points = spawn_points(graph)
    order = np.argsort(stream.uniform(len(points), lane=PLACE_LANE), kind="stable")
    ego = cars.pose[0, :2].copy()
    shares = np.cumsum([kind.share for kind in KINDS])
    count = placed
    for k in order:
        if count == len(cars.lane):
            break
        at = points[k]
        pose = pose_at(graph.structure, at.lane, at.s, 0.0)
        here = np.array(pose[:2])
        if _in_box(here, ego[None], AROUND_EGO) or _in_box(here, avoid, AROUND_ROUTE):
            continue
        u = stream.uniform(7, step=count, lane=KIND_LANE)
        kind = int(np.searchsorted(shares, u[0] * shares[-1]))
        if KINDS[kind].offset and graph.network.limit[at.lane] > FAST_ROAD:
            kind = 0
        if not _has_room(graph, cars, count, at, KINDS[kind]):
            continue
        position = LanePosition(at.lane, at.s, KINDS[kind].offset)
        place_vehicle(graph, cars, count, position, kind, np.array(driver_of(KINDS[kind], u[2:])))
        count += 1
    return count


def _in_box(here: FloatArray, points: FloatArray, reach: float) -> bool:
    return bool((np.abs(points - here).max(axis=1) < reach).any()) if len(points) else False


def _has_room(graph: RoadGraph, cars: Vehicles, count: int, at: LanePosition, kind: VehicleKind) -> bool:
    """Return whether a vehicle overlaps no other one and does not reach into a junction."""
    half = 0.5 * kind.size[0]
    if at.s - half < 1.0 or at.s + half > graph.network.stop[at.lane]:
        return False
    same = cars.lane[:count] == at.lane
    return bool((np.abs(cars.s[:count] - at.s) > half + 0.5 * cars.size[:count, 0] + BETWEEN)[same].all())


def set_speeds(graph: RoadGraph, cars: Vehicles, moving: BoolArray) -> None:
    """Give vehicles a speed from which they can stop behind the next one, and before the next junction."""
    net = graph.network
    for v in np.flatnonzero(moving):
        lane, s, half = cars.lane[v], cars.s[v], 0.5 * cars.size[v, 0]
        ahead = (cars.lane == lane) & (cars.s > s)
        rears = (cars.s - 0.5 * cars.size[:, 0])[ahead]
        room = min([float(net.stop[lane]), *rears.tolist()]) - s - half - 3.0
        wish = 0.75 * min(float(cap_at(graph.structure, int(lane), float(s))), float(cars.driver[v, 5]))
        cars.speed[v] = min(wish, np.sqrt(2.0 * 1.2 * max(room, 0.0)))


def spawn_walkers(graph: RoadGraph, stream: Stream, walkers: Walkers) -> int:
    """Place pedestrians on sidewalks and corners, not closer than 1 m; return how many there is room for."""
    net = graph.network
    walks: IntArray = np.flatnonzero(net.walk_crossing < 0)
    if not len(walks):
        return 0
    ends = np.cumsum(net.walk_length[walks])
    count, draw = 0, 0
    spots: dict[tuple[int, bool, bool], list[float]] = {}
    while count < len(walkers.walk) and draw < 8 * len(walkers.walk):
        u = stream.uniform(6, step=draw, lane=WALKER_LANE)
        draw += 1
        walk = int(walks[int(np.searchsorted(ends, u[0] * ends[-1]))])
        s = float(u[1] * net.walk_length[walk])
        forward, outer = bool(u[2] < 0.5), bool(u[3] < 0.5)
        taken = spots.setdefault((walk, forward, outer), [])
        if any(abs(s - other) < 1.0 for other in taken):
            continue
        taken.append(s)
        walkers.walk[count], walkers.s[count], walkers.forward[count] = walk, s, forward
        walkers.side[count] = 0.95 if outer else 0.35
        walkers.pace[count] = walkers.speed[count] = 1.05 + 0.5 * u[4]
        count += 1
    return count
