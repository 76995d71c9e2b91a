"""Lanes and arms: what the builder makes of every road."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.worlds.road.town.curves import arclengths, cut, heading_of, parallel, rounded, tangents
from offnominal.worlds.road.town.description import KMH, Road, TownPlan
from offnominal.worlds.road.town.errors import InvalidTown

SHORTEST_ROAD = 8.0
TURN_SPACE = 6.0


@dataclass(slots=True)
class Lane:
    """One lane of a road, or one path through a junction.

    Args:
        id: Index of the lane in the graph.
        points: Centre line (k, 2), at distances of about 1 m, in the direction of traffic.
        limit: Speed limit in m/s.
        road: Index of the road; -1 for a path through a junction.
        index: Position in its direction, 0 is the leftmost lane.
        forward: Whether it leads from the start of the road to its end.
        junction: Index of the junction of a path, or of the junction at the end of a lane.
        left: Lane to the left in the same direction, or -1.
        right: Lane to the right in the same direction, or -1.
        successors: Lanes that follow.
        predecessors: Lanes before.
        turn: -1 for a right turn, 0 straight on, 1 for a left turn.
        precedence: Paths of higher precedence go first.
        head: Index of the traffic light, or -1.
    """

    id: int
    points: FloatArray
    limit: float
    road: int = -1
    index: int = 0
    forward: bool = True
    junction: int = -1
    left: int = -1
    right: int = -1
    successors: list[int] = field(default_factory=list)
    predecessors: list[int] = field(default_factory=list)
    turn: int = 0
    precedence: int = 0
    head: int = -1

    @property
    def length(self) -> float:
        """Length of the centre line in metres."""
        return float(arclengths(self.points)[-1])

    @property
    def is_connector(self) -> bool:
        """Whether it is a path through a junction."""
        return self.road < 0


@dataclass(frozen=True, slots=True)
class BuiltRoad:
    """A road with its reference line and its lanes, leftmost first in each direction."""

    id: int
    road: Road
    line: FloatArray
    forward: tuple[int, ...]
    backward: tuple[int, ...]

    @property
    def length(self) -> float:
        """Length of the reference line in metres."""
        return float(arclengths(self.line)[-1])


@dataclass(frozen=True, slots=True)
class Arm:
    """The end of a road at a junction.

    Args:
        road: Index of the road.
        at_start: Whether the road begins here.
        point: End of the reference line.
        outward: Unit vector away from the junction.
        incoming: Lanes that lead into the junction.
        outgoing: Lanes that lead out of it.
        rank: Rank of the road.
        right: Distance from the reference line to the kerb on the right when looking outward.
        left: Distance to the kerb on the left when looking outward.
    """

    road: int
    at_start: bool
    point: FloatArray
    outward: FloatArray
    incoming: tuple[int, ...]
    outgoing: tuple[int, ...]
    rank: int
    right: float
    left: float

    def beside(self, offset: float, along: float = 0.0) -> FloatArray:
        """Return a point at a distance to the left, when looking outward, and at a distance outward."""
        normal = np.array([-self.outward[1], self.outward[0]])
        return self.point + offset * normal + along * self.outward


def node_radius(name: str, plan: TownPlan) -> float:
    """Return the distance from a node to the ends of its roads: its own, or one that leaves room for turns."""
    node = plan.nodes[name]
    if node.radius is not None:
        return node.radius
    meeting = [road for road in plan.roads if name in (road.start, road.end)]
    return max((max(road.left_edge, road.right_edge) for road in meeting), default=0.0) + TURN_SPACE


def build_lanes(plan: TownPlan) -> tuple[list[BuiltRoad], list[Lane]]:
    """Return the roads of a plan with their lanes. Parallel lanes have as many points, side by side."""
    roads: list[BuiltRoad] = []
    lanes: list[Lane] = []
    for number, road in enumerate(plan.roads):
        line = _reference_line(road, plan)
        forward = [_add_lane(lanes, road, number, line, k, True) for k in range(road.lanes)]
        backward = [_add_lane(lanes, road, number, line, k, False) for k in range(road.lanes_back)]
        for ids in (forward, backward):
            for left, right in itertools.pairwise(ids):
                lanes[left].right, lanes[right].left = right, left
        roads.append(BuiltRoad(number, road, line, tuple(forward), tuple(backward)))
    return roads, lanes


def _reference_line(road: Road, plan: TownPlan) -> FloatArray:
    start, end = plan.nodes[road.start], plan.nodes[road.end]
    corners = np.array([(start.x, start.y), *road.via, (end.x, end.y)], np.float64)
    curve = rounded(corners, road.bend)
    total = float(arclengths(curve)[-1])
    first, last = node_radius(road.start, plan), node_radius(road.end, plan)
    if total - first - last < SHORTEST_ROAD:
        raise InvalidTown(
            f"{plan.name}: the road from {road.start} to {road.end} is {total:.0f} m long, of which its junctions take "
            f"{first + last:.0f} m; move its nodes apart."
        )
    return cut(curve, first, total - last)


def _add_lane(lanes: list[Lane], road: Road, number: int, line: FloatArray, index: int, forward: bool) -> int:
    points = parallel(line, road.lane_offset(index, forward))
    lane = Lane(len(lanes), points if forward else points[::-1].copy(), road.limit * KMH, number, index, forward)
    lanes.append(lane)
    return lane.id


def build_arms(name: str, plan: TownPlan, roads: list[BuiltRoad]) -> list[Arm]:
    """Return the ends of roads at a node, sorted counter-clockwise."""
    arms: list[Arm] = []
    for built in roads:
        for at_start in (True, False):
            if name != (built.road.start if at_start else built.road.end):
                continue
            along = tangents(built.line)
            outward = along[0] if at_start else -along[-1]
            incoming, outgoing = (built.backward, built.forward) if at_start else (built.forward, built.backward)
            edges = (built.road.right_edge, built.road.left_edge)
            right, left = edges if at_start else edges[::-1]
            point = built.line[0] if at_start else built.line[-1]
            arms.append(Arm(built.id, at_start, point, outward, incoming, outgoing, built.road.rank, right, left))
    node = plan.nodes[name]
    return sorted(arms, key=lambda arm: heading_of(arm.point - np.array([node.x, node.y])))
