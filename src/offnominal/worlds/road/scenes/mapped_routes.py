"""Routes of CARLA's towns as routes of ours: mapped by what a driver does on them, not by coordinates.

Our towns are of the kind of CARLA's, but their roads are elsewhere. Two routes agree if they have the same turns in the
same order, at about the same distances from the start.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import require_shape
from offnominal.core.types import FloatArray
from offnominal.worlds.road.scenarios.description import Place, Scenario
from offnominal.worlds.road.scenarios.errors import InvalidScenario
from offnominal.worlds.road.town.road_graph import LanePosition
from offnominal.worlds.road.town.routes import Route
from offnominal.worlds.road.town.spawning import spawn_points
from offnominal.worlds.road.town.town import Town

TURN = np.pi / 4.0
"""Smallest change of heading that is a turn."""
WITHIN = 40
"""Length of the road on which a turn is made, m."""
SLACK = 40.0
"""Largest difference between the distances of a turn from the start, m."""
LONGEST_STEP = 5.0
"""Largest distance between two points of a route, m."""


@dataclass(frozen=True)
class Turn:
    """A turn of a route.

    Args:
        distance: Distance from the start of the route to its middle, m.
        left: Whether it turns to the left.
    """

    distance: float
    left: bool


@dataclass(frozen=True)
class MappedRoute:
    """A route in our town with the turns of another one.

    Args:
        route: The route.
        turns: Turns of the other route.
        difference: Largest difference between the distances of a turn from the start, m.
    """

    route: Route
    turns: tuple[Turn, ...]
    difference: float


def turns_of(points: FloatArray) -> tuple[Turn, ...]:
    """Return the turns of a route, given points (n, 2) in order.

    Example:
        >>> ahead = [(float(x), 0.0) for x in range(60)]
        >>> left = [(60.0, float(y)) for y in range(50)]
        >>> [(round(turn.distance), turn.left) for turn in turns_of(np.array(ahead + left))]
        [(60, True)]
    """
    steps = np.diff(points, axis=0)
    lengths = np.sqrt((steps**2).sum(axis=1))
    steps, lengths = steps[lengths > 1e-6], lengths[lengths > 1e-6]
    if not len(steps):
        return ()
    heading = np.unwrap(np.arctan2(steps[:, 1], steps[:, 0]))
    along = np.concatenate([[0.0], np.cumsum(lengths)])[:-1]
    found = []
    k = 0
    while k < len(heading):
        last = int(np.searchsorted(along, along[k] + WITHIN, side="right"))
        change = heading[k:last] - heading[k]
        far = int(np.abs(change).argmax())
        if abs(change[far]) < TURN:
            k += 1
            continue
        half = int(np.argmax(np.abs(change) >= 0.5 * abs(change[far])))
        found.append(Turn(float(along[k + half]), bool(change[far] > 0.0)))
        k = last
    return tuple(found)


def map_route(points: FloatArray, town: Town) -> MappedRoute:
    """Return the route of a town that has the turns of another route most nearly at their distances.

    Args:
        points: (n, 2): points of the other route in order, m, with y to the left.
        town: The town.

    Raises:
        InvalidScenario: The points are no route, or no route of the town has these turns.
    """
    require_shape("points", points, "n", 2)
    steps = np.sqrt((np.diff(points, axis=0) ** 2).sum(axis=1))
    if len(points) < 2 or not np.isfinite(points).all():
        raise InvalidScenario(f"its route has {len(points)} points; expected at least two finite ones.")
    if steps.max() > LONGEST_STEP:
        raise InvalidScenario(
            f"its route jumps {steps.max():.0f} m between points {int(steps.argmax())} and {int(steps.argmax()) + 1}; "
            f"expected at most {LONGEST_STEP:g} m."
        )
    turns, length = turns_of(points), float(steps.sum())
    best: MappedRoute | None = None
    for route in _candidates(town, turns, length):
        if route.problems:
            continue
        own = turns_of(route.waypoints[0])
        if [each.left for each in own] != [each.left for each in turns]:
            continue
        off = max((abs(a.distance - b.distance) for a, b in zip(own, turns, strict=True)), default=0.0)
        if off <= SLACK and (best is None or off < best.difference):
            best = MappedRoute(route, turns, off)
            if off < 1.0:
                break
    if best is None:
        way = ", ".join(f"{'left' if each.left else 'right'} after {each.distance:.0f} m" for each in turns)
        raise InvalidScenario(
            f"no route of {town.name} is {length:.0f} m long and turns {way or 'nowhere'}, within {SLACK:g} m."
        )
    return best


def _candidates(town: Town, turns: tuple[Turn, ...], length: float) -> Iterator[Route]:
    """Yield routes from every spawn point along lanes whose turns can be the given ones."""
    graph = town.graph
    net = graph.network
    own = {lane.id: turns_of(lane.points) for lane in graph.lanes}
    for start in spawn_points(graph):
        waiting: list[tuple[tuple[int, ...], float, int]] = [((start.lane,), -start.s, 0)]
        while waiting:
            lanes, before, done = waiting.pop()
            ahead = [before + each.distance for each in own[lanes[-1]] if before + each.distance >= 0.0]
            if done + len(ahead) > len(turns) or any(
                abs(at - turns[done + k].distance) > SLACK for k, at in enumerate(ahead)
            ):
                continue
            done += len(ahead)
            end = before + float(net.length[lanes[-1]])
            if end >= length:
                stop = float(net.length[lanes[-1]]) - (end - length)
                if done == len(turns):
                    yield Route(graph, lanes, start.s, stop)
                continue
            if done < len(turns) and end > turns[done].distance + SLACK:
                continue
            waiting += [((*lanes, after), end, done) for after in graph.lanes[lanes[-1]].successors]


def map_scenario(scenario: Scenario, town: Town) -> tuple[Scenario, MappedRoute]:
    """Return a scenario whose route in CARLA's town is mapped onto ours, and how.

    Raises:
        InvalidScenario: It has no route, or no route of the town has its turns, or the place of its object is behind
            the end of the route.
    """
    if scenario.route is None:
        raise InvalidScenario("it has no ego_route, so that its way through CARLA's town is not known.")
    found = map_route(np.array(scenario.route, np.float64)[:, :2], town)
    route = found.route
    distance = getattr(scenario.anomaly, "distance", 0.0)
    if distance >= route.length:
        raise InvalidScenario(f"its object is at {distance:g} m, but its route is {route.length} m long.")
    waypoints = route.waypoints[0]
    mapped = scenario.replace(
        start=_place(town, LanePosition(route.lanes[0], route.start)),
        end=_place(town, LanePosition(route.lanes[-1], route.stop)),
        route=tuple((float(x), float(y), 0.0) for x, y in waypoints),
    )
    return mapped, found


def _place(town: Town, at: LanePosition) -> Place:
    pose = town.graph.to_cartesian(at.lane, at.s)
    return Place(pose.x, pose.y, yaw=float(np.rad2deg(pose.heading)))
