"""The road graph of a town: lanes, junctions, traffic lights, crossings and sidewalks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from offnominal.core.checks import integer_in, number_in
from offnominal.core.deterministic_math import PI, arctan2, sincos
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.worlds.road.town.curves import arc, heading_of
from offnominal.worlds.road.town.description import Node, Road, TownPlan, changed
from offnominal.worlds.road.town.junctions import Conflict, Junction, build_junction, find_conflicts
from offnominal.worlds.road.town.lanes import BuiltRoad, Lane, build_arms, build_lanes
from offnominal.worlds.road.town.network import Network, pack_network
from offnominal.worlds.road.town.sidewalks import Crossing, Walk, WalkGraph, build_sidewalks


@dataclass(frozen=True, slots=True)
class LanePosition:
    """A place in the frame of a lane.

    Args:
        lane: Index of the lane.
        s: Arclength along the centre line in metres.
        d: Distance to the left of the centre line in metres.
        heading: Angle relative to the lane's direction in radians, counter-clockwise.
    """

    lane: int
    s: float
    d: float = 0.0
    heading: float = 0.0


@dataclass(frozen=True, slots=True)
class Pose:
    """A place in the plane: position in metres and heading in radians, counter-clockwise from x."""

    x: float
    y: float
    heading: float


class RoadGraph:
    """Lanes and how they are connected.

    Args:
        plan: Description of the town.

    Example:
        >>> from offnominal.worlds.road.town.description import Node, Road, TownPlan
        >>> nodes = {"a": Node(0, 0), "b": Node(200, 0), "c": Node(100, 150)}
        >>> roads = (Road("a", "b"), Road("b", "c"), Road("c", "a"))
        >>> graph = RoadGraph(TownPlan("triangle", "", "", nodes, roads))
        >>> len(graph.roads), len(graph.junctions), sum(lane.is_connector for lane in graph.lanes)
        (3, 3, 6)
        >>> pose = graph.to_cartesian(0, 50.0)
        >>> graph.to_lane(pose.x, pose.y, pose.heading).lane
        0
    """

    def __init__(self, plan: TownPlan) -> None:
        self.plan = expand_roundabouts(plan)
        self.roads: list[BuiltRoad]
        self.lanes: list[Lane]
        self.roads, self.lanes = build_lanes(self.plan)
        self.junctions: list[Junction] = []
        heads = 0
        for number, (name, node) in enumerate(self.plan.nodes.items()):
            arms = build_arms(name, self.plan, self.roads)
            junction, heads = build_junction(number, name, node, arms, self.lanes, heads)
            self.junctions.append(junction)
        self.conflicts: list[Conflict] = [
            c for junction in self.junctions for c in find_conflicts(junction, self.lanes)
        ]
        crossed = {name for name, node in self.plan.nodes.items() if node.crossings}
        self.sidewalks: WalkGraph = build_sidewalks(self.roads, self.junctions, self.lanes, crossed)

    @property
    def walks(self) -> list[Walk]:
        """Sidewalks, corners and crossings."""
        return self.sidewalks.walks

    @property
    def crossings(self) -> list[Crossing]:
        """Crossings for pedestrians."""
        return self.sidewalks.crossings

    @cached_property
    def network(self) -> Network:
        """The graph as flat arrays."""
        return pack_network(self.lanes, self.junctions, self.conflicts, self.sidewalks)

    @cached_property
    def structure(self) -> Network:
        """The same arrays for the compiled kernels."""
        from offnominal.worlds.road.town.structures import structure

        return structure(self.network)

    @cached_property
    def bounds(self) -> tuple[float, float, float, float]:
        """Smallest and largest x and y of all lanes, as (left, bottom, right, top)."""
        points = self.network.point
        (left, bottom), (right, top) = points.min(axis=0), points.max(axis=0)
        return float(left), float(bottom), float(right), float(top)

    def to_cartesian(self, lane: int, s: float, d: float = 0.0) -> Pose:
        """Return the place at an arclength of a lane and a distance to its left.

        Example:
            >>> from offnominal.worlds.road.town import make_town
            >>> make_town("grid").graph.to_cartesian(0, -1.0)
            Traceback (most recent call last):
                ...
            offnominal.core.errors.InvalidParameter: s is -1.0; expected a number in [0, ...
        """
        from offnominal.worlds.road.town.path_kernel import pose_at

        lane = integer_in("lane", lane, 0, len(self.lanes) - 1)
        s = number_in("s", s, 0.0, float(self.network.length[lane]))
        x, y, tx, ty = pose_at(self.structure, lane, s, number_in("d", d))
        return Pose(x, y, arctan2(ty, tx))

    def to_lane(self, x: float, y: float, heading: float | None = None, *, lane: int | None = None) -> LanePosition:
        """Return a place in the frame of the nearest lane, or of a given lane.

        Args:
            x: Position in metres.
            y: Position in metres.
            heading: If given, only lanes in about this direction are considered.
            lane: Lane to use; None uses the nearest one.
        """
        from offnominal.worlds.road.town.path_kernel import nearest_lane, pose_at, project

        x, y = number_in("x", x), number_in("y", y)
        sine, cosine = sincos(number_in("heading", heading)) if heading is not None else (0.0, 1.0)
        if lane is None:
            lane = int(nearest_lane(self.structure, x, y, cosine, sine, heading is not None))
            if lane < 0:
                raise InvalidParameter(f"no lane leads in the direction {heading}; give heading=None to use any lane.")
        lane = integer_in("lane", lane, 0, len(self.lanes) - 1)
        s, d = project(self.structure, lane, x, y)
        _, _, tx, ty = pose_at(self.structure, lane, s, 0.0)
        turned = arctan2(tx * sine - ty * cosine, tx * cosine + ty * sine) if heading is not None else 0.0
        return LanePosition(lane, s, d, turned)

    def distance_to_road(self, x: float, y: float) -> float:
        """Return the distance from a place to the nearest centre line of a lane."""
        return float(np.abs(self.to_lane(x, y).d)) if self.lanes else np.inf

    def lane_points(self, lane: int) -> FloatArray:
        """Return the centre line of a lane."""
        return self.lanes[integer_in("lane", lane, 0, len(self.lanes) - 1)].points


RADIUS = 24.0
RING_LIMIT = 30.0
ARM_RADIUS = 9.5


def expand_roundabouts(plan: TownPlan) -> TownPlan:
    """Return a plan in which every roundabout is a ring of one-way roads with priority."""
    nodes, roads = dict(plan.nodes), list(plan.roads)
    for name, node in plan.nodes.items():
        if node.kind == "roundabout":
            _expand(name, node, nodes, roads)
    return TownPlan(
        plan.name,
        plan.published,
        plan.summary,
        nodes,
        tuple(roads),
        plan.vehicles,
        plan.pedestrians,
        plan.surroundings,
    )


def _expand(name: str, node: Node, nodes: dict[str, Node], roads: list[Road]) -> None:
    radius = node.radius or RADIUS
    arms = sorted(
        (_angle(node, road, at_start, nodes), k, at_start)
        for k, road in enumerate(roads)
        for at_start in (True, False)
        if name == (road.start if at_start else road.end)
    )
    ranks = [roads[k].rank for _, k, _ in arms]
    walk = any(roads[k].sidewalks != "none" for _, k, _ in arms)
    for angle, k, at_start in arms:
        sine, cosine = sincos(angle)
        corner = f"{name}/{k}"
        nodes[corner] = Node(
            node.x + radius * cosine, node.y + radius * sine, "priority", ARM_RADIUS, crossings=node.crossings
        )
        roads[k] = changed(roads[k], **{"start" if at_start else "end": corner})
    del nodes[name]
    for (first, k, _), (second, m, _) in zip(arms, arms[1:] + arms[:1], strict=True):
        stop = second if second > first else second + 2.0 * PI
        points = arc((node.x, node.y), radius, first, stop, 2.0)[1:-1]
        roads.append(
            Road(
                f"{name}/{k}",
                f"{name}/{m}",
                1,
                0,
                RING_LIMIT,
                tuple((float(x), float(y)) for x, y in points),
                sidewalks="right" if walk else "none",
                rank=max(ranks) + 1,
                bend=radius,
            )
        )


def _angle(node: Node, road: Road, at_start: bool, nodes: dict[str, Node]) -> float:
    """Return the direction in which a road leaves a node, as an angle in [0, 2 pi)."""
    other = nodes[road.end if at_start else road.start]
    path = [*road.via] if at_start else [*reversed(road.via)]
    x, y = path[0] if path else (other.x, other.y)
    return math.fmod(heading_of(np.array([x - node.x, y - node.y])) + 2.0 * PI, 2.0 * PI)
