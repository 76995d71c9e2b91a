"""Sidewalks and crossings: the graph on which pedestrians walk."""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.worlds.road.town.curves import connection, cut, parallel
from offnominal.worlds.road.town.description import KERB, SIDEWALK_WIDTH
from offnominal.worlds.road.town.junctions import Junction
from offnominal.worlds.road.town.lanes import Arm, BuiltRoad, Lane

CROSSING_DISTANCE = 2.6
CROSSING_DEPTH = 3.4


@dataclass(frozen=True, slots=True)
class Crossing:
    """A place where pedestrians cross a road.

    Args:
        id: Index of the crossing.
        road: Index of the road.
        at: Arclength on the road's reference line.
        walk: Index of the walk that leads across.
        head: Traffic light of the vehicles at this end of the road, or -1 at a zebra crossing.
        spans: (lane, start, stop) of the crossed part of every lane.
    """

    id: int
    road: int
    at: float
    walk: int
    head: int
    spans: tuple[tuple[int, float, float], ...]


@dataclass(frozen=True, slots=True)
class Walk:
    """A way for pedestrians between two nodes: a sidewalk, a corner or a crossing."""

    id: int
    points: FloatArray
    start: int
    end: int
    road: int = -1
    side: str = ""
    crossing: int = -1


@dataclass(slots=True)
class WalkGraph:
    """All ways for pedestrians, and the crossings among them."""

    walks: list[Walk] = field(default_factory=list)
    crossings: list[Crossing] = field(default_factory=list)
    nodes: dict[Hashable, int] = field(default_factory=dict)

    def node(self, key: Hashable) -> int:
        """Return the index of a node, a new one if there is none with this key."""
        return self.nodes.setdefault(key, len(self.nodes))


def build_sidewalks(
    roads: list[BuiltRoad], junctions: list[Junction], lanes: list[Lane], at_node: set[str]
) -> WalkGraph:
    """Return the sidewalks of all roads, joined at corners and by crossings.

    Args:
        roads: Roads of the town.
        junctions: Junctions of the town.
        lanes: Lanes of the town.
        at_node: Names of the nodes with crossings.
    """
    graph = WalkGraph()
    for built in roads:
        for side in ("left", "right"):
            if built.road.has_sidewalk(side):
                _add_sidewalk(graph, built, side)
        for share in built.road.crossings:
            if built.road.sidewalks == "both":
                at = share * built.length
                _add_crossing(graph, built, at, at, -1, lanes)
    for junction in junctions:
        _add_corners(graph, junction, roads)
        for arm in junction.arms:
            built = roads[arm.road]
            if junction.name in at_node and built.road.sidewalks == "both":
                at = CROSSING_DISTANCE if arm.at_start else built.length - CROSSING_DISTANCE
                head = lanes[arm.incoming[0]].head if arm.incoming else -1
                _add_crossing(graph, built, at, "start" if arm.at_start else "end", head, lanes)
    return graph


def walk_offset(built: BuiltRoad, side: str) -> float:
    """Return the distance of a sidewalk's centre to the left of the road's reference line."""
    edge = built.road.left_edge if side == "left" else -built.road.right_edge
    beside = KERB + 0.5 * SIDEWALK_WIDTH
    return edge + beside if side == "left" else edge - beside


def _add_sidewalk(graph: WalkGraph, built: BuiltRoad, side: str) -> None:
    stops: list[tuple[float, object]] = [(CROSSING_DISTANCE, "start")]
    if built.road.sidewalks == "both":
        stops += [(share * built.length, share * built.length) for share in sorted(built.road.crossings)]
    stops.append((built.length - CROSSING_DISTANCE, "end"))
    for (first, a), (last, b) in itertools.pairwise(stops):
        points = parallel(cut(built.line, first, last), walk_offset(built, side))
        start, end = graph.node((built.id, side, a)), graph.node((built.id, side, b))
        graph.walks.append(Walk(len(graph.walks), points, start, end, built.id, side))


def _add_crossing(graph: WalkGraph, built: BuiltRoad, at: float, key: object, head: int, lanes: list[Lane]) -> None:
    around = cut(built.line, max(0.0, at - 1.0), min(built.length, at + 1.0), 0.5)
    middle = len(around) // 2
    ends = [parallel(around, walk_offset(built, side))[middle] for side in ("right", "left")]
    number = len(graph.crossings)
    start, end = graph.node((built.id, "right", key)), graph.node((built.id, "left", key))
    walk = Walk(len(graph.walks), cut(np.stack(ends), 0.0, _distance(*ends)), start, end, built.id, "", number)
    graph.walks.append(walk)
    spans = []
    for lane in (*built.forward, *built.backward):
        share = at / built.length
        centre = lanes[lane].length * (share if lanes[lane].forward else 1.0 - share)
        spans.append((lane, centre - 0.5 * CROSSING_DEPTH, centre + 0.5 * CROSSING_DEPTH))
    graph.crossings.append(Crossing(number, built.id, at, walk.id, head, tuple(spans)))


def _add_corners(graph: WalkGraph, junction: Junction, roads: list[BuiltRoad]) -> None:
    for arm, after in zip(junction.arms, junction.arms[1:] + junction.arms[:1], strict=True):
        here, there = ("left" if arm.at_start else "right"), ("right" if after.at_start else "left")
        if not (roads[arm.road].road.has_sidewalk(here) and roads[after.road].road.has_sidewalk(there)):
            continue
        if arm is after:
            continue
        beside = KERB + 0.5 * SIDEWALK_WIDTH
        a = arm.beside(arm.left + beside, CROSSING_DISTANCE)
        b = after.beside(-after.right - beside, CROSSING_DISTANCE)
        points = connection(a, -arm.outward, b, after.outward)
        start, end = graph.node(_end(arm, here)), graph.node(_end(after, there))
        graph.walks.append(Walk(len(graph.walks), points, start, end))


def _end(arm: Arm, side: str) -> tuple[int, str, str]:
    return arm.road, side, "start" if arm.at_start else "end"


def _distance(a: FloatArray, b: FloatArray) -> float:
    gap = b - a
    return float(np.sqrt(gap[0] ** 2 + gap[1] ** 2))
