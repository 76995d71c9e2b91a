"""Surfaces of a town as polygons: roads, junctions, sidewalks, crossings and painted lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.worlds.road.town.curves import arclengths, connection, cut, parallel, tangents
from offnominal.worlds.road.town.description import KERB, LANE_WIDTH, SIDEWALK_WIDTH
from offnominal.worlds.road.town.junctions import Junction
from offnominal.worlds.road.town.lanes import BuiltRoad
from offnominal.worlds.road.town.road_graph import RoadGraph
from offnominal.worlds.road.town.sidewalks import CROSSING_DEPTH, CROSSING_DISTANCE

LINE_WIDTH = 0.15
OVERLAP = 0.3
DASH, DASH_PERIOD = 3.0, 9.0
SHORTEST_MARKING = 2.0
STRIPE, STRIPE_PERIOD = 0.5, 1.0


@dataclass(frozen=True, slots=True)
class Surface:
    """A flat polygon on the ground.

    Args:
        kind: ``road``, ``median``, ``sidewalk``, ``crossing`` or ``line``.
        corners: (k, 2): corners in order.
        yellow: For lines, whether it is yellow (between directions) or white.
    """

    kind: str
    corners: FloatArray
    yellow: bool = False


def surfaces_of(graph: RoadGraph) -> list[Surface]:
    """Return all surfaces of a town, the lower ones first.

    Example:
        >>> from offnominal.worlds.road.town import make_town
        >>> sorted({surface.kind for surface in surfaces_of(make_town("grid").graph)})
        ['crossing', 'line', 'median', 'road', 'sidewalk']
    """
    surfaces = [
        Surface("road", _band(_extended(built.line), -built.road.right_edge, built.road.left_edge))
        for built in graph.roads
    ]
    surfaces += [Surface("road", _area(junction)) for junction in graph.junctions]
    for junction in graph.junctions:
        surfaces += _corners(graph, junction)
    for walk in graph.walks:
        if walk.crossing < 0:
            surfaces.append(
                Surface("sidewalk", _band(walk.points, -0.5 * SIDEWALK_WIDTH - KERB, 0.5 * SIDEWALK_WIDTH + KERB))
            )
    for number, built in enumerate(graph.roads):
        crossed = [crossing.at for crossing in graph.crossings if crossing.road == number]
        for line in _between_crossings(built, crossed):
            surfaces += _markings(built, line)
    for crossing in graph.crossings:
        surfaces += _stripes(graph.walks[crossing.walk].points, graph.roads[crossing.road])
    surfaces += _stop_lines(graph)
    return surfaces


def _band(points: FloatArray, right: float, left: float) -> FloatArray:
    """Return the polygon between two parallels of a curve."""
    return np.concatenate([parallel(points, right), parallel(points, left)[::-1]])


def _extended(points: FloatArray) -> FloatArray:
    """Return a curve that is a little longer at both ends, so that neighbouring surfaces overlap."""
    along = tangents(points)
    return np.concatenate([points[:1] - OVERLAP * along[:1], points, points[-1:] + OVERLAP * along[-1:]])


def _corners(graph: RoadGraph, junction: Junction) -> list[Surface]:
    """Return the paved ground between the kerb of a junction and the sidewalks around its corners."""
    found = []
    for arm, after in zip(junction.arms, junction.arms[1:] + junction.arms[:1], strict=True):
        sides = ("left" if arm.at_start else "right", "right" if after.at_start else "left")
        roads = (graph.roads[arm.road].road, graph.roads[after.road].road)
        if arm is after or not all(road.has_sidewalk(side) for road, side in zip(roads, sides, strict=True)):
            continue
        kerb = connection(arm.beside(arm.left), -arm.outward, after.beside(-after.right), after.outward)
        beside = KERB + 0.5 * SIDEWALK_WIDTH
        a = arm.beside(arm.left + beside, CROSSING_DISTANCE)
        b = after.beside(-after.right - beside, CROSSING_DISTANCE)
        walk = connection(a, -arm.outward, b, after.outward)
        ends = (arm.beside(arm.left, CROSSING_DISTANCE), after.beside(-after.right, CROSSING_DISTANCE))
        found.append(Surface("sidewalk", np.concatenate([ends[0][None], kerb, ends[1][None], walk[::-1]])))
    return found


def _area(junction: Junction) -> FloatArray:
    """Return the outline of a junction: the ends of its roads, joined by rounded corners."""
    parts = []
    for arm, after in zip(junction.arms, junction.arms[1:] + junction.arms[:1], strict=True):
        right, left = arm.beside(-arm.right), arm.beside(arm.left)
        parts.append(np.stack([right, left]))
        if after is not arm:
            parts.append(connection(left, -arm.outward, after.beside(-after.right), after.outward)[1:-1])
    return np.concatenate(parts)


def _between_crossings(built: BuiltRoad, crossed: list[float]) -> list[FloatArray]:
    """Return the parts of the line of a road before, between and after its crossings."""
    if not crossed:
        return [built.line]
    half = 0.5 * CROSSING_DEPTH
    starts = [0.0, *(at + half for at in sorted(crossed))]
    stops = [*(at - half for at in sorted(crossed)), built.length]
    spans = [(start, stop) for start, stop in zip(starts, stops, strict=True) if stop - start > SHORTEST_MARKING]
    return [cut(built.line, start, stop) for start, stop in spans]


def _markings(built: BuiltRoad, line: FloatArray) -> list[Surface]:
    """Return the median and the painted lines along a part of the line of a road."""
    road = built.road
    found: list[Surface] = []
    if road.median > 0.0:
        found.append(Surface("median", _band(line, -0.5 * road.median + 0.3, 0.5 * road.median - 0.3)))
        found += [_line(line, side * 0.5 * road.median, True) for side in (-1, 1)]
    elif not road.one_way:
        found += [_line(line, side * 0.12, True) for side in (-1, 1)]
    for forward, count in ((True, road.lanes), (False, road.lanes_back)):
        for k in range(1, count):
            border = road.lane_offset(k, forward) + (0.5 if forward else -0.5) * LANE_WIDTH
            found += _dashes(line, border)
    edges = (-road.right_edge + 0.2, road.left_edge - 0.2)
    return found + [_line(line, edge, False) for edge in edges]


def _line(points: FloatArray, offset: float, yellow: bool) -> Surface:
    return Surface("line", _band(points, offset - 0.5 * LINE_WIDTH, offset + 0.5 * LINE_WIDTH), yellow)


def _dashes(line: FloatArray, offset: float) -> list[Surface]:
    starts = np.arange(1.0, arclengths(line)[-1] - DASH, DASH_PERIOD)
    return [_line(cut(line, float(start), float(start) + DASH), offset, False) for start in starts]


def _stripes(points: FloatArray, built: BuiltRoad) -> list[Surface]:
    """Return the stripes of a crossing, parallel to the direction of traffic."""
    edge = KERB + 0.5 * SIDEWALK_WIDTH
    width = built.road.left_edge + built.road.right_edge
    found = []
    for start in np.arange(edge + 0.25, edge + width - STRIPE, STRIPE_PERIOD):
        middle = cut(points, float(start), float(start) + STRIPE, STRIPE)
        found.append(Surface("crossing", _band(middle, -0.5 * CROSSING_DEPTH + 0.2, 0.5 * CROSSING_DEPTH - 0.2)))
    return found


def _stop_lines(graph: RoadGraph) -> list[Surface]:
    found = []
    for lane in graph.lanes:
        if lane.is_connector or graph.junctions[lane.junction].kind == "priority":
            continue
        at = float(graph.network.stop[lane.id]) + 0.5
        piece = cut(lane.points, at, at + 0.4, 0.4)
        found.append(Surface("line", _band(piece, -0.45 * LANE_WIDTH, 0.45 * LANE_WIDTH)))
    return found
