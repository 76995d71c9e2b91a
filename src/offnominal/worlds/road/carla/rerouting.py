"""Vehicles in traffic avoid the road of an anomaly object: at junctions they get a path along another road."""

from __future__ import annotations

from typing import Any

from offnominal.core.streams import Stream
from offnominal.worlds.road.carla.participants import Participant
from offnominal.worlds.road.carla.routes import CarlaRoute
from offnominal.worlds.road.carla.semantic_tags import Role

AHEAD = 8.0
BEYOND = 10.0
STEP = 2.0
MARGIN = 5


def closed_roads(route: CarlaRoute, distance: float) -> set[int]:
    """Return the roads from the last junction of a route before an object to 5 m behind the object.

    Args:
        route: Route of the ego vehicle.
        distance: Distance of the object along the route, m.
    """
    here = min(round(distance), route.length - 1)
    first = here
    while first > 0 and not route.in_junction[first - 1]:
        first -= 1
    return set(route.roads[first : here + MARGIN + 1].tolist())


class Rerouting:
    """Sends vehicles around the road of an object.

    Args:
        roads: Map of CARLA.
        manager: Traffic Manager.
        closed: Ids of the roads to avoid.
        seed: Seed of the scenario.
    """

    def __init__(self, roads: Any, manager: Any, closed: set[int], seed: int) -> None:
        self._map, self._manager, self._closed = roads, manager, closed
        self._stream = Stream.named(seed, 0, "world")
        self._chosen: dict[int, int] = {}
        self.dead_end = False

    def update(self, vehicles: list[Participant], tick: int) -> None:
        """Give vehicles in front of a junction a path that avoids the closed roads."""
        for number, vehicle in enumerate(vehicles):
            here = self._map.get_waypoint(vehicle.actor.get_location())
            entries = [] if here.is_junction else [each for each in here.next(AHEAD) if each.is_junction]
            if not entries:
                continue
            junction = entries[0].junction_id
            if self._chosen.get(vehicle.actor.id) == junction:
                continue
            self._chosen[vehicle.actor.id] = junction
            ways = [_way_through(entry) for entry in entries]
            open_ways = [way for way in ways if way[-1].road_id not in self._closed]
            if len(open_ways) == len(ways):
                continue
            if not open_ways:
                self.dead_end = True
                continue
            u = self._stream.uniform(1, step=tick, lane=number)[0]
            way = open_ways[int(u * len(open_ways))]
            self._manager.set_path(vehicle.actor, [each.transform.location for each in way])
            vehicle.role = Role(is_agent=True)


def _way_through(entry: Any) -> list[Any]:
    """Return the waypoints from the entry of a junction to 10 m behind it."""
    way = [entry]
    while way[-1].is_junction and len(way) < 100:
        after = way[-1].next(STEP)
        if not after:
            return way
        way.append(after[0])
    beyond = way[-1].next(BEYOND)
    return [*way, beyond[0]] if beyond else way
