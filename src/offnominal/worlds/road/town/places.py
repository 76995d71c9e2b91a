"""Everything that stands beside the roads of a town, as data for a renderer: buildings, trees, lamps, signs, rails."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import arctan2, sincos
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray
from offnominal.worlds.road.town.curves import arclengths, cut, parallel, tangents
from offnominal.worlds.road.town.description import KERB, SIDEWALK_WIDTH
from offnominal.worlds.road.town.lanes import BuiltRoad
from offnominal.worlds.road.town.road_graph import RoadGraph

PLACE_KINDS = ("building", "tree", "lamp", "light", "sign", "rail")
CLEAR_OF_LANE = 2.4
CLEAR_OF_WALK = 1.6


@dataclass(frozen=True, slots=True)
class Place:
    """One thing beside the road.

    Args:
        kind: ``building``, ``tree``, ``lamp``, ``light`` (traffic light), ``sign`` or ``rail``.
        x: Centre in metres.
        y: Centre in metres.
        heading: Direction in radians: of a building's front, of a light's or sign's face, along a rail.
        length: Size along the heading in metres; diameter of the crown of a tree.
        width: Size across in metres.
        height: Height in metres.
        seed: Seed of its appearance.
        text: Text of a sign, such as ``"50"``, ``"yield"`` or ``"stop"``.
        head: Index of the traffic light, or -1.
    """

    kind: str
    x: float
    y: float
    heading: float
    length: float
    width: float
    height: float
    seed: int = 0
    text: str = ""
    head: int = -1

    @property
    def corners(self) -> FloatArray:
        """Corners of the footprint (4, 2), counter-clockwise."""
        return _corners(self.x, self.y, self.heading, self.length, self.width)

    def contains(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Return whether a position is inside the footprint, or nearer to it than a margin."""
        sine, cosine = sincos(self.heading)
        dx, dy = x - self.x, y - self.y
        along, across = dx * cosine + dy * sine, dy * cosine - dx * sine
        return abs(along) < 0.5 * self.length + margin and abs(across) < 0.5 * self.width + margin


def _corners(x: float, y: float, heading: float, length: float, width: float) -> FloatArray:
    sine, cosine = sincos(heading)
    offsets = ((0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5))
    return np.array(
        [(x + a * length * cosine - b * width * sine, y + a * length * sine + b * width * cosine) for a, b in offsets]
    )


class _Plot:
    """The places so far, and the ground that is still free."""

    def __init__(self, graph: RoadGraph) -> None:
        self.places: list[Place] = []
        self.lane_points = graph.network.point
        walks = [walk.points for walk in graph.walks]
        self.walk_points = np.concatenate(walks) if walks else np.zeros((0, 2))
        self.circles: list[tuple[float, float, float]] = []
        self.buildings: list[tuple[float, float, float, FloatArray]] = []

    def is_free(self, corners: FloatArray) -> bool:
        """Return whether a rectangle touches no lane, no sidewalk and no earlier building or tree."""
        middle = corners.mean(axis=0)
        reach = math.sqrt(float(((corners[0] - middle) ** 2).sum()))
        for x, y, radius in self.circles:
            if (x - middle[0]) ** 2 + (y - middle[1]) ** 2 < (radius + reach) ** 2 and _gap(
                corners, np.array([[x, y]])
            ) < radius:
                return False
        for points, clear in ((self.lane_points, CLEAR_OF_LANE), (self.walk_points, CLEAR_OF_WALK)):
            if _gap(corners, points) < clear:
                return False
        for x, y, radius, other in self.buildings:
            close = (x - middle[0]) ** 2 + (y - middle[1]) ** 2 < (radius + reach) ** 2
            if close and _overlap(corners, other):
                return False
        return True

    def add(self, place: Place) -> None:
        """Add a place; later ones keep away from buildings and crowns."""
        self.places.append(place)
        if place.kind == "tree":
            self.circles.append((place.x, place.y, 0.5 * place.length))
        elif place.kind == "building":
            reach = 0.5 * math.sqrt(place.length**2 + place.width**2)
            self.buildings.append((place.x, place.y, reach, place.corners))


@compiled
def _gap(corners: FloatArray, points: FloatArray) -> float:
    """Return the smallest distance from points to a rectangle, 0 inside."""
    x, y = 0.5 * (corners[0, 0] + corners[2, 0]), 0.5 * (corners[0, 1] + corners[2, 1])
    ax, ay = corners[0, 0] - corners[3, 0], corners[0, 1] - corners[3, 1]
    length = math.sqrt(ax * ax + ay * ay)
    ax, ay = ax / length, ay / length
    wx, wy = corners[1, 0] - corners[0, 0], corners[1, 1] - corners[0, 1]
    width = math.sqrt(wx * wx + wy * wy)
    nearest = math.inf
    for k in range(points.shape[0]):
        dx, dy = points[k, 0] - x, points[k, 1] - y
        along = max(abs(dx * ax + dy * ay) - 0.5 * length, 0.0)
        across = max(abs(dy * ax - dx * ay) - 0.5 * width, 0.0)
        nearest = min(nearest, along * along + across * across)
    return math.sqrt(nearest)


def _overlap(a: FloatArray, b: FloatArray) -> bool:
    """Return whether two rectangles overlap (separating axes)."""
    for first, second in ((a, b), (b, a)):
        for axis in (first[0] - first[3], first[1] - first[0]):
            p, q = (first * axis).sum(axis=1), (second * axis).sum(axis=1)
            if p.max() <= q.min() or q.max() <= p.min():
                return False
    return True


def make_places(graph: RoadGraph) -> tuple[Place, ...]:
    """Return everything that stands beside the roads of a town; the same town has the same places."""
    plot = _Plot(graph)
    for built in graph.roads:
        for side in ("right", "left"):
            _add_lamps_and_rails(plot, graph, built, side)
    _add_lights_and_signs(plot, graph)
    for built in graph.roads:
        for side in ("right", "left"):
            _add_buildings(plot, graph, built, side)
    for built in graph.roads:
        for side in ("right", "left"):
            _add_trees(plot, graph, built, side)
    _add_woods(plot, graph)
    return tuple(plot.places)


def _stream(graph: RoadGraph, road: int, purpose: str) -> Stream:
    return Stream.named(road, 0, f"{graph.plan.name}/{purpose}")


def _edge(built: BuiltRoad, side: str) -> tuple[float, float]:
    """Return the sign of a side (1 is left) and the distance from the reference line to the end of its sidewalk."""
    sign = 1.0 if side == "left" else -1.0
    edge = built.road.left_edge if side == "left" else built.road.right_edge
    walk = KERB + SIDEWALK_WIDTH + KERB if built.road.has_sidewalk(side) else KERB
    return sign, edge + walk


def _beside(built: BuiltRoad, at: float, offset: float) -> tuple[FloatArray, FloatArray]:
    """Return a point beside the road at an arclength, and the road's unit tangent there."""
    low, high = max(0.0, at - 0.5), min(built.length, at + 0.5)
    piece = cut(built.line, low, high, 0.5)
    middle = len(piece) // 2
    return parallel(piece, offset)[middle], tangents(piece)[middle]


def _add_lamps_and_rails(plot: _Plot, graph: RoadGraph, built: BuiltRoad, side: str) -> None:
    around = graph.plan.surroundings
    sign, edge = _edge(built, side)
    walk = built.road.has_sidewalk(side)
    if around.lamps > 0.0 and (walk or not around.rails):
        offset = edge - SIDEWALK_WIDTH - KERB + 0.35 if walk else edge + 1.5
        start = 0.5 * around.lamps if side == "left" else 8.0
        for at in np.arange(start, built.length - 6.0, around.lamps):
            point, along = _beside(built, float(at), sign * offset)
            inward = -sign * np.array([-along[1], along[0]])
            heading = arctan2(float(inward[1]), float(inward[0]))
            plot.add(Place("lamp", float(point[0]), float(point[1]), heading, 0.25, 0.25, 7.5))
    if around.rails and not walk and (built.road.limit > 40.0):
        _add_rail(plot, built, sign * (edge + 0.6))


def _add_rail(plot: _Plot, built: BuiltRoad, offset: float) -> None:
    line = parallel(built.line, offset)
    lanes = plot.lane_points
    ends = cut(line, 0.0, float(arclengths(line)[-1]), 8.0)
    for a, b in pairwise(ends):
        middle, along = 0.5 * (a + b), b - a
        length = math.sqrt(float((along**2).sum()))
        # Rails leave openings where another road joins.
        heading = arctan2(float(along[1]), float(along[0]))
        if _gap(_corners(float(middle[0]), float(middle[1]), heading, length, 0.25), lanes) < CLEAR_OF_LANE - 0.2:
            continue
        plot.add(Place("rail", float(middle[0]), float(middle[1]), heading, length, 0.25, 0.8))


def _add_lights_and_signs(plot: _Plot, graph: RoadGraph) -> None:
    for junction in graph.junctions:
        ranks = {arm.rank for arm in junction.arms if arm.incoming}
        for arm in junction.arms:
            if not arm.incoming or len(junction.arms) < 3:
                continue
            lane = graph.lanes[arm.incoming[-1]]
            heading = arctan2(float(arm.outward[1]), float(arm.outward[0]))
            # The right side of incoming traffic is the left side when looking outward.
            point = arm.beside(arm.left + KERB + 0.5, 0.6)
            x, y = float(point[0]), float(point[1])
            if junction.kind == "lights":
                plot.add(Place("light", x, y, heading, 0.35, 0.35, 5.5, head=lane.head))
            elif junction.kind == "stop":
                plot.add(Place("sign", x, y, heading, 0.1, 0.75, 2.6, text="stop"))
            elif arm.rank < max(ranks):
                plot.add(Place("sign", x, y, heading, 0.1, 0.75, 2.6, text="yield"))
    for built in graph.roads:
        if built.length < 50.0:
            continue
        _add_limit(plot, built, 12.0, forward=True)
        if not built.road.one_way:
            _add_limit(plot, built, built.length - 12.0, forward=False)


def _add_limit(plot: _Plot, built: BuiltRoad, at: float, *, forward: bool) -> None:
    edge = built.road.right_edge if forward else built.road.left_edge
    sign = -1.0 if forward else 1.0
    point, along = _beside(built, at, sign * (edge + KERB + 0.35))
    face = -along if forward else along
    heading = arctan2(float(face[1]), float(face[0]))
    plot.add(Place("sign", float(point[0]), float(point[1]), heading, 0.1, 0.65, 2.6, text=f"{built.road.limit:g}"))


def _add_buildings(plot: _Plot, graph: RoadGraph, built: BuiltRoad, side: str) -> None:
    around = graph.plan.surroundings
    stream = _stream(graph, built.id, f"buildings/{side}")
    sign, edge = _edge(built, side)
    if not built.road.has_sidewalk(side):
        if around.rails:
            return
        edge += 6.0
    at, step = -6.0, 0
    while at < built.length + 6.0:
        u = stream.uniform(6, step=step)
        step += 1
        front = around.depths[0] + u[0] * (around.depths[1] - around.depths[0])
        depth = around.depths[0] + u[1] * (around.depths[1] - around.depths[0])
        if u[2] > around.buildings:
            at += 0.5 * front
            continue
        low, high = around.heights
        height = low + u[3] * u[3] * (high - low)
        middle = min(max(at + 0.5 * front, 0.5), built.length - 0.5)
        point, along = _beside(built, middle, sign * (edge + around.setback + 0.5 * depth))
        point = point + (at + 0.5 * front - middle) * along
        inward = -sign * np.array([-along[1], along[0]])
        heading = arctan2(float(inward[1]), float(inward[0]))
        place = Place("building", float(point[0]), float(point[1]), heading, depth, front, height, int(u[4] * 2**31))
        if plot.is_free(_corners(place.x, place.y, heading, depth + 1.0, front + 1.0)):
            plot.add(place)
            at += front + 1.5 + 4.0 * u[5] * (1.0 - around.buildings)
        else:
            at += 4.0


def _add_trees(plot: _Plot, graph: RoadGraph, built: BuiltRoad, side: str) -> None:
    stream = _stream(graph, built.id, f"trees/{side}")
    sign, edge = _edge(built, side)
    count = int(graph.plan.surroundings.trees * built.length / 100.0)
    for k in range(count):
        u = stream.uniform(5, step=k)
        point, _ = _beside(built, 5.0 + u[0] * (built.length - 10.0), sign * (edge + 1.6 + 9.0 * u[1] * u[1]))
        _try_tree(plot, point, u)


def _add_woods(plot: _Plot, graph: RoadGraph) -> None:
    density = graph.plan.surroundings.woods
    left, bottom, right, top = graph.bounds
    width, height = right - left + 60.0, top - bottom + 60.0
    stream = _stream(graph, 0, "woods")
    for k in range(int(density * width * height / 1e4)):
        u = stream.uniform(6, step=k)
        _try_tree(plot, np.array([left - 30.0 + u[5] * width, bottom - 30.0 + u[0] * height]), u)


def _try_tree(plot: _Plot, point: FloatArray, u: FloatArray) -> None:
    crown, height = 2.5 + 3.0 * float(u[2]), 4.5 + 6.5 * float(u[3])
    x, y = float(point[0]), float(point[1])
    if plot.is_free(_corners(x, y, 0.0, 0.7 * crown, 0.7 * crown)):
        plot.add(Place("tree", x, y, 0.0, crown, crown, height, int(u[4] * 2**31)))
