"""Paths through junctions, which of them goes first, where they conflict, and the phases of traffic lights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray
from offnominal.worlds.road.town.curves import connection, tangents
from offnominal.worlds.road.town.description import LANE_WIDTH, Node
from offnominal.worlds.road.town.errors import InvalidTown
from offnominal.worlds.road.town.lanes import Arm, Lane

TURN = math.sqrt(0.5)
BACK = -0.9
CLEARANCE = 3.3
WIDE_CLEARANCE = 5.2
OPPOSITE = -0.7
LEFT_TURN, OTHER_TURN = 1, 2


@dataclass(frozen=True, slots=True)
class Junction:
    """A place where paths cross.

    Args:
        id: Index of the junction.
        name: Name of its node.
        kind: ``lights``, ``priority`` or ``stop``.
        centre: Position of the node.
        arms: Ends of its roads, counter-clockwise.
        connectors: Paths through it.
        phases: For traffic lights, the heads that are green together.
    """

    id: int
    name: str
    kind: str
    centre: tuple[float, float]
    arms: tuple[Arm, ...]
    connectors: tuple[int, ...]
    phases: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """The parts of two paths in which two vehicles would touch, as arclengths.

    Args:
        path: Path through a junction.
        other: Another path.
        start: Start of the part on the path.
        stop: End of the part on the path.
        other_start: Start of the part on the other path.
        other_stop: End of the part on the other path.
        wide: Whether only long vehicles touch, whose ends swing out in turns.
    """

    path: int
    other: int
    start: float
    stop: float
    other_start: float
    other_stop: float
    wide: bool = False


def build_junction(
    number: int, name: str, node: Node, arms: list[Arm], lanes: list[Lane], n_heads: int
) -> tuple[Junction, int]:
    """Add the paths through a node to `lanes`; return the junction and the number of traffic lights so far."""
    connectors: list[int] = []
    heads: dict[int, int] = {}
    for k, arm in enumerate(arms):
        if node.kind == "lights" and arm.incoming:
            heads[k] = n_heads
            n_heads += 1
        for start, end, turn in _pairs(arm, [other for other in arms if other is not arm], lanes):
            path = _add_path(lanes, start, end, number)
            path.turn = turn
            path.precedence = 0 if node.kind == "stop" else 4 * arm.rank + (LEFT_TURN if turn > 0 else OTHER_TURN)
            path.head = heads.get(k, -1)
            connectors.append(path.id)
        for lane in arm.incoming:
            lanes[lane].junction = number
            lanes[lane].head = heads.get(k, -1)
            if not lanes[lane].successors:
                raise InvalidTown(
                    f"no path leads through node {name!r} from lane {lane}; add a road that leads out of it."
                )
    phases = _phases(arms, heads)
    return Junction(number, name, node.kind, (node.x, node.y), tuple(arms), tuple(connectors), phases), n_heads


def _add_path(lanes: list[Lane], start: int, end: int, junction: int) -> Lane:
    a, b = lanes[start].points, lanes[end].points
    points = connection(a[-1], tangents(a)[-1], b[0], tangents(b)[0], 0.5)
    path = Lane(len(lanes), points, min(lanes[start].limit, lanes[end].limit), junction=junction)
    path.predecessors, path.successors = [start], [end]
    lanes.append(path)
    lanes[start].successors.append(path.id)
    lanes[end].predecessors.append(path.id)
    return path


def _pairs(arm: Arm, others: list[Arm], lanes: list[Lane]) -> list[tuple[int, int, int]]:
    """Return (incoming lane, outgoing lane, turn) of all paths from an arm."""
    if not arm.incoming:
        return []
    pairs: list[tuple[int, int, int]] = []
    exits = [(other, *_turn(arm, other)) for other in others if other.outgoing]
    exits = [entry for entry in exits if entry[2] > BACK] or exits
    for other, turn, _ in exits:
        if turn > 0:
            pairs.append((arm.incoming[0], other.outgoing[0], turn))
        elif turn < 0:
            pairs.append((arm.incoming[-1], other.outgoing[-1], turn))
        else:
            pairs.extend((a, b, 0) for a, b in _side_by_side(arm.incoming, other.outgoing, lanes))
    for lane in arm.incoming:
        if exits and lane not in {start for start, _, _ in pairs}:
            other, turn, _ = max(exits, key=lambda entry: entry[2])
            nearest = min(other.outgoing, key=lambda end: _gap(lanes, lane, end))
            pairs.append((lane, nearest, turn))
    return pairs


def _turn(arm: Arm, other: Arm) -> tuple[int, float]:
    """Return the turn from an arm to another one, and its cosine."""
    inward = -arm.outward
    cosine = float(inward[0] * other.outward[0] + inward[1] * other.outward[1])
    cross = float(inward[0] * other.outward[1] - inward[1] * other.outward[0])
    if cosine >= TURN:
        return 0, cosine
    return (1 if cross > 0 else -1), cosine


def _side_by_side(incoming: tuple[int, ...], outgoing: tuple[int, ...], lanes: list[Lane]) -> list[tuple[int, int]]:
    """Return pairs of lanes straight on: each lane of the narrower road with the nearest of the wider one."""
    if len(incoming) <= len(outgoing):
        return [(a, min(outgoing, key=lambda b: _gap(lanes, a, b))) for a in incoming]
    return [(min(incoming, key=lambda a: _gap(lanes, a, b)), b) for b in outgoing]


def _gap(lanes: list[Lane], start: int, end: int) -> float:
    """Return the lateral distance of a lane's first point from the line through another one's last point."""
    along = tangents(lanes[start].points)[-1]
    offset = lanes[end].points[0] - lanes[start].points[-1]
    return abs(float(along[0] * offset[1] - along[1] * offset[0]))


def _phases(arms: list[Arm], heads: dict[int, int]) -> tuple[tuple[int, ...], ...]:
    """Return groups of heads that are green together: opposite arms in pairs, the other arms alone."""
    left = list(heads)
    phases: list[tuple[int, ...]] = []
    while left:
        k = left.pop(0)
        facing = [m for m in left if float(np.sum(arms[k].outward * arms[m].outward)) < OPPOSITE]
        if facing:
            left.remove(facing[0])
            phases.append((heads[k], heads[facing[0]]))
        else:
            phases.append((heads[k],))
    return tuple(phases)


@compiled
def _overlap(a: FloatArray, b: FloatArray, reach: float) -> tuple[int, int, int, int]:
    """Return the first and last indices at which two curves are closer than `reach`; -1 if they never are."""
    first_a = first_b = last_a = last_b = -1
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            dx, dy = a[i, 0] - b[j, 0], a[i, 1] - b[j, 1]
            if dx * dx + dy * dy < reach * reach:
                if first_a < 0:
                    first_a, first_b = i, j
                last_a = i
                first_b, last_b = min(first_b, j), max(last_b, j)
    return first_a, last_a, first_b, last_b


def find_conflicts(junction: Junction, lanes: list[Lane]) -> list[Conflict]:
    """Return all conflicts between paths of a junction that do not come from the same lane, in both directions."""
    conflicts: list[Conflict] = []
    for path in junction.connectors:
        for other in junction.connectors:
            a, b = lanes[path], lanes[other]
            if path == other or a.predecessors == b.predecessors:
                continue
            reach = CLEARANCE if a.successors != b.successors else LANE_WIDTH
            span, wide = _overlap(a.points, b.points, reach), False
            if span[0] < 0 and (a.turn, b.turn) != (0, 0):
                span, wide = _overlap(a.points, b.points, WIDE_CLEARANCE), True
            if span[0] >= 0:
                step, other_step = a.length / (len(a.points) - 1), b.length / (len(b.points) - 1)
                own, theirs = (span[0] * step, span[1] * step), (span[2] * other_step, span[3] * other_step)
                conflicts.append(Conflict(path, other, *own, *theirs, wide))
    return conflicts
