"""Placing all actors of a simulation: the ego vehicle, a lead or companion car, traffic, pedestrians, an object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.road.town.behaviour import Behaviour, make_behaviour
from offnominal.worlds.road.town.errors import NoRoute
from offnominal.worlds.road.town.incidents import TemporalAnomaly
from offnominal.worlds.road.town.obstacle import Ego, Obstacle, blocks_of, points_to_keep_free, roads_to_avoid
from offnominal.worlds.road.town.path_kernel import lateral_shift
from offnominal.worlds.road.town.road_graph import LanePosition, Pose, RoadGraph
from offnominal.worlds.road.town.routes import Route, plan_route, route_table
from offnominal.worlds.road.town.spawning import place_vehicle, set_speeds, spawn_points, spawn_traffic, spawn_walkers
from offnominal.worlds.road.town.traffic_state import (
    Control,
    Vehicles,
    Walkers,
    empty_control,
    empty_vehicles,
    empty_walkers,
)
from offnominal.worlds.road.town.vehicle_kinds import CAR_KINDS, EGO_KIND, KINDS

ROUTE_TRIES = 300
LEAD_DISTANCES = (7, 12)
COMPANION_DISTANCE = 8.0
ROOM_FOR_TWO = 50.0
BLOCKS = 64
LEAD_LANE = 9


@dataclass(frozen=True, slots=True)
class Partner:
    """The car that accompanies the ego vehicle, if an anomaly needs one.

    Args:
        kind: Name of its kind, such as ``"sedan"``; None, or one that is not a car, draws it.
        distance: Distance ahead along the route in metres, for a lead car; None draws it.
    """

    kind: str | None = None
    distance: float | None = None


@dataclass(slots=True)
class Actors:
    """All actors of a simulation at its start."""

    cars: Vehicles
    walkers: Walkers
    control: Control
    routes: IntArray
    obstacle: Pose | None


ANY_PARTNER = Partner()


def draw_routes(graph: RoadGraph, seed: int, *, lanes: int = 1) -> Iterator[Route]:
    """Return random valid routes, and raise :class:`NoRoute` after too many draws.

    Args:
        graph: Road graph.
        seed: Seed of the simulation.
        lanes: Number of lanes in its direction that the first road needs.
    """
    stream = Stream.named(seed, 0, "route")
    points = spawn_points(graph)
    for draw in range(ROUTE_TRIES):
        u = stream.uniform(2, step=draw)
        start, stop = (points[int(x * len(points))] for x in u)
        if lanes > 1 and not _has_company(graph, start):
            continue
        try:
            route = plan_route(graph, start, stop)
        except NoRoute:
            continue
        if not route.problems:
            yield route
    raise NoRoute(f"{graph.plan.name} has no valid route in {ROUTE_TRIES} draws; use a larger town.")


def _has_company(graph: RoadGraph, at: LanePosition) -> bool:
    net = graph.network
    return bool(max(net.left[at.lane], net.right[at.lane]) >= 0 and net.stop[at.lane] - at.s > ROOM_FOR_TWO)


def place_actors(
    graph: RoadGraph,
    seed: int,
    route: Route,
    agent: Behaviour,
    vehicles: int,
    pedestrians: int,
    anomaly: TemporalAnomaly | None,
    obstacle: Obstacle | None,
    *,
    partner: Partner = ANY_PARTNER,
    nominal: bool = False,
    ego: Ego = "blind",
) -> Actors:
    """Return all actors of a simulation, without overlap; there are fewer if there is no room.

    The nominal twin has the same actors, but not the object. Unless they avoid the object, nothing else differs.
    """
    stream = Stream.named(seed, 0, "reset")
    cars = empty_vehicles(vehicles + 1 + (anomaly is not None and (anomaly.lead or anomaly.lanes > 1)))
    place_vehicle(graph, cars, 0, LanePosition(route.lanes[0], route.start), EGO_KIND, np.array(agent.driver))
    cars.route[0] = 0
    placed = 1
    if anomaly is not None and (anomaly.lead or anomaly.lanes > 1):
        _place_partner(graph, stream, cars, route, partner, lead=anomaly.lead)
        placed = 2
    first = placed
    free = points_to_keep_free(route, obstacle.distance) if obstacle is not None else np.zeros((0, 2))
    placed = spawn_traffic(graph, stream, cars, placed, free)
    cars = Vehicles._make(array[:placed].copy() for array in cars)
    set_speeds(graph, cars, np.arange(placed) >= first)
    walkers = empty_walkers(pedestrians)
    count = spawn_walkers(graph, stream, walkers)
    control = empty_control(graph.network, BLOCKS)
    pose = None if obstacle is None else obstacle.pose_on(route)
    if obstacle is not None and pose is not None and not (nominal and ego == "avoiding"):
        control.forbidden[:] = roads_to_avoid(graph, route, obstacle.distance)
        if ego != "blind":
            block(graph, control, obstacle.size, pose)
    there = None if nominal else pose
    return Actors(cars, Walkers._make(a[:count].copy() for a in walkers), control, route_table([route]), there)


def _place_partner(
    graph: RoadGraph, stream: Stream, cars: Vehicles, route: Route, partner: Partner, *, lead: bool
) -> None:
    """Place the car with index 1: ahead on the ego vehicle's route, or on the lane beside it."""
    u: FloatArray = stream.uniform(2, lane=LEAD_LANE)
    given = [k for k in CAR_KINDS if KINDS[k].name == partner.kind]
    kind = given[0] if given else CAR_KINDS[int(u[0] * len(CAR_KINDS))]
    low, high = LEAD_DISTANCES
    if lead:
        distance = low + int(u[1] * (high - low + 1)) if partner.distance is None else partner.distance
        at = route.position_at(float(distance))
        cars.route[1] = 0
        cars.route_at[1] = next(k for k, (lane, _, _) in enumerate(route.pieces()) if lane == at.lane)
        driver = np.array(make_behaviour("aggressive").driver)
    else:
        net, lane = graph.network, route.lanes[0]
        side = int(net.left[lane]) if net.left[lane] >= 0 else int(net.right[lane])
        at = LanePosition(side, lateral_shift(graph.structure, lane, side, route.start)[0] + COMPANION_DISTANCE)
        driver = cars.driver[0].copy()
    place_vehicle(graph, cars, 1, at, kind, driver)


def block(graph: RoadGraph, control: Control, size: tuple[float, float, float], pose: Pose) -> None:
    """List an object on the lanes, in place of the one before."""
    blocks = blocks_of(graph, size, pose)[:BLOCKS]
    control.blocks[:] = 0.0
    control.blocks[: len(blocks)] = blocks
