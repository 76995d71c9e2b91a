"""Search for the moment of a temporal anomaly: nominal simulations first, then those with the anomaly."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice

from offnominal.worlds.road.town.incidents import Incident, TemporalAnomaly
from offnominal.worlds.road.town.road_graph import RoadGraph
from offnominal.worlds.road.town.routes import Route
from offnominal.worlds.road.town.snapshot import TICKS
from offnominal.worlds.road.town.trace import Trace, Traffic, record

CANDIDATES = 5
MAX_FOUND = 200
NEAR_TICKS = 5


def find_incident(
    traffic: Traffic,
    graph: RoadGraph,
    routes: Iterable[Route],
    start: Callable[[Route, Incident | None], None],
    kind: TemporalAnomaly,
    ticks: tuple[int, int] | None = None,
) -> tuple[Route, Incident] | None:
    """Return a route and an incident on it, or None if there is none.

    Args:
        traffic: Simulation in which to search.
        graph: Roads of its town.
        routes: Routes of the ego vehicle, tried in order.
        start: Function that places all actors for a route and an incident.
        kind: Kind of anomaly.
        ticks: First and last tick of the anomaly; None uses those at which it is possible.
    """
    for route in routes:
        start(route, None)
        nominal = record(traffic)
        found = _at_ticks(islice(kind.find(graph, nominal), MAX_FOUND), ticks)
        for incident in found[:: max(1, len(found) // CANDIDATES)]:
            start(route, incident)
            if _is_clean(traffic, nominal, incident):
                return route, incident
    return None


def _at_ticks(found: Iterable[Incident], ticks: tuple[int, int] | None) -> list[Incident]:
    """Return the incidents that begin at about the wanted tick, moved to the wanted ticks."""
    if ticks is None:
        return list(found)
    near = [each for each in found if each.kind == "sudden-braking" or abs(each.start - ticks[0]) <= NEAR_TICKS]
    return [replace(each, start=ticks[0], stop=ticks[1]) for each in near]


def _is_clean(traffic: Traffic, nominal: Trace, incident: Incident) -> bool:
    """Return whether the actor deviates from its first anomalous tick on, and no actors collide."""
    actor = incident.actor
    for _ in range(TICKS):
        traffic.advance()
        if traffic.tick == incident.start:
            pose = traffic.walkers.pose[actor] if incident.is_jaywalker else traffic.cars.pose[actor]
            before = nominal.walker if incident.is_jaywalker else nominal.pose
            if pose.tobytes() == before[traffic.tick, actor].tobytes():
                return False
        if traffic.tick >= incident.start and traffic.collisions():
            return False
    return True
