"""An object on the road: a content anomaly in front of the ego vehicle, and the roads that others then avoid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from offnominal.core.checks import integer_in, number_in, positive_number, text
from offnominal.core.deterministic_math import sincos
from offnominal.core.types import BoolArray, FloatArray
from offnominal.worlds.road.town.description import LANE_WIDTH
from offnominal.worlds.road.town.path_kernel import project
from offnominal.worlds.road.town.road_graph import Pose, RoadGraph
from offnominal.worlds.road.town.routes import Route

Ego: TypeAlias = Literal["blind", "stopping", "avoiding"]
"""What vehicles do about an object on the road: drive on as without it, stop before its place whether or not it is
there, or stop before it."""
MARGIN = 5.0
FARTHEST_BESIDE = 20.0


@dataclass(frozen=True, slots=True)
class Obstacle:
    """An object on the ego vehicle's route.

    Args:
        name: Name of the object.
        label: Semantic label, such as ``Label.ANIMAL``.
        distance: Distance along the route from its start in metres; published scenarios use 65 to 105.
        size: Length, width and height in metres.
        offset: Distance to the left of the centre of the lane in metres.
        yaw: Rotation relative to the lane in radians.

    Example:
        >>> Obstacle("cow", 30, -5.0)
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: distance is -5.0; expected a number of at least 0.
    """

    name: str
    label: int
    distance: float
    size: tuple[float, float, float] = (1.0, 1.0, 1.0)
    offset: float = 0.0
    yaw: float = 0.0

    def __post_init__(self) -> None:
        text("name", self.name)
        integer_in("label", self.label, 0, 255)
        number_in("distance", self.distance, 0.0)
        number_in("offset", self.offset, -FARTHEST_BESIDE, FARTHEST_BESIDE)
        number_in("yaw", self.yaw)
        for side in self.size:
            positive_number("size", side)

    def pose_on(self, route: Route) -> Pose:
        """Return where the object stands."""
        at = route.position_at(self.distance)
        pose = route.graph.to_cartesian(at.lane, at.s, self.offset)
        return Pose(pose.x, pose.y, pose.heading + self.yaw)


def blocks_of(
    graph: RoadGraph, size: tuple[float, float, float], pose: Pose
) -> list[tuple[float, float, float, float]]:
    """Return (lane, arclength, half length, 1) for every lane that an object reaches into."""
    net = graph.network
    sine, cosine = sincos(pose.heading)
    found = []
    for lane in graph.lanes:
        s, d = project(graph.structure, lane.id, pose.x, pose.y)
        if not -2.0 <= s <= lane.length + 2.0 or abs(d) > 20.0:
            continue
        tangent = net.tangent[net.first[lane.id] + int(min(max(s, 0.0) / lane.length, 1.0) * (len(lane.points) - 1))]
        along = abs(float(tangent[0] * cosine + tangent[1] * sine))
        across = math.sqrt(max(0.0, 1.0 - along * along))
        half = 0.5 * (along * size[0] + across * size[1])
        reach = 0.5 * (across * size[0] + along * size[1])
        if abs(d) < 0.5 * LANE_WIDTH + reach - 0.3:
            found.append((float(lane.id), float(s), half, 1.0))
    return found


def roads_to_avoid(graph: RoadGraph, route: Route, distance: float) -> BoolArray:
    """Return which roads other vehicles do not enter: those between the last junction before an object and the object.

    The last entry stands for paths through junctions, which are never avoided.
    """
    lanes = route.waypoints[1]
    here = min(int(distance), len(lanes) - 1)
    roads = np.array([graph.lanes[lane].road for lane in lanes])
    first = here
    while first > 0 and roads[first - 1] >= 0:
        first -= 1
    low, high = max(0, first - int(MARGIN)), min(len(lanes), here + int(MARGIN) + 1)
    avoided = np.zeros(len(graph.roads) + 1, np.bool_)
    avoided[roads[low:high]] = True
    # The road on which the route arrives at that junction stays open.
    if first > 0:
        before = roads[:first][roads[:first] >= 0]
        if len(before):
            avoided[before[-1]] = False
    avoided[-1] = False
    return avoided


def points_to_keep_free(route: Route, distance: float) -> FloatArray:
    """Return the waypoints from the start of a route to an object, where no other vehicle starts."""
    return route.waypoints[0][: int(distance) + 1]
