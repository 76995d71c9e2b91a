"""A road graph as flat arrays, for the compiled kernels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from offnominal.core.types import BoolArray, FloatArray, IntArray
from offnominal.worlds.road.town.curves import arclengths, curvatures, tangents
from offnominal.worlds.road.town.junctions import CLEARANCE, Conflict, Junction
from offnominal.worlds.road.town.lanes import Lane
from offnominal.worlds.road.town.sidewalks import WalkGraph

LATERAL_ACCELERATION = 2.0
PROFILE_BRAKING = 1.8
STOP_MARGIN = 1.2


class Network(NamedTuple):
    """Lanes, conflicts, crossings and sidewalks. Lists of lists are stored with an array of first indices.

    Args:
        point: (points, 2): centre lines of all lanes, one after the other.
        tangent: (points, 2): unit tangents.
        arc: (points,): arclength within the lane.
        cap: (points,): highest comfortable speed, from limit and curvature, braking within the lane included.
        first: (lanes + 1,): first point of each lane.
        length: (lanes,): length in metres.
        limit: (lanes,): speed limit in m/s.
        road: (lanes,): index of the road, -1 for a path through a junction.
        junction: (lanes,): junction of a path, or at the end of a lane.
        left: (lanes,): lane to the left in the same direction, or -1.
        right: (lanes,): lane to the right in the same direction, or -1.
        precedence: (lanes,): paths of higher precedence go first.
        head: (lanes,): traffic light at the end of a lane or at the start of a path, or -1.
        stop: (lanes,): arclength of the stop line at the end of a lane.
        source: (lanes,): lane before a path, or -1.
        target: (lanes,): lane after a path, or -1.
        after_first: (lanes + 1,): first entry of each lane in `after`.
        after: Paths that begin at the end of a lane, or the lane after a path.
        into_first: (lanes + 1,): first entry of each lane in `into`.
        into: Paths that end at the start of a lane.
        conflict_first: (lanes + 1,): first entry of each path in `conflict`.
        conflict: Other path.
        conflict_span: (conflicts, 4): start and stop on the own path and on the other one.
        conflict_wide: (conflicts,): whether only long vehicles touch.
        sibling_first: (lanes + 1,): first entry of each path in `sibling`.
        sibling: Other path from the same lane.
        sibling_until: Arclength up to which two vehicles on both would touch.
        lane_crossing_first: (lanes + 1,): first entry of each lane in `lane_crossing`.
        lane_crossing: Crossing.
        lane_crossing_span: (entries, 2): start and stop on the lane.
        crossing_first: (crossings + 1,): first entry of each crossing in `crossing_lane`.
        crossing_lane: Lane.
        crossing_span: (entries, 2): start and stop on the lane.
        crossing_head: (crossings,): traffic light of the vehicles, or -1.
        walk_point: (points, 2): centre lines of all walks.
        walk_first: (walks + 1,): first point of each walk.
        walk_length: (walks,): length in metres.
        walk_ends: (walks, 2): nodes at start and end.
        walk_crossing: (walks,): crossing, or -1.
        node_first: (nodes + 1,): first entry of each node in `node_walk`.
        node_walk: Walks that meet at a node.
        head_junction: (heads,): junction of a traffic light.
        head_phase: (heads,): phase in which it is green.
        phases: (junctions,): number of phases, 0 without traffic lights.
    """

    point: FloatArray
    tangent: FloatArray
    arc: FloatArray
    cap: FloatArray
    first: IntArray
    length: FloatArray
    limit: FloatArray
    road: IntArray
    junction: IntArray
    left: IntArray
    right: IntArray
    precedence: IntArray
    head: IntArray
    stop: FloatArray
    source: IntArray
    target: IntArray
    after_first: IntArray
    after: IntArray
    into_first: IntArray
    into: IntArray
    conflict_first: IntArray
    conflict: IntArray
    conflict_span: FloatArray
    conflict_wide: BoolArray
    sibling_first: IntArray
    sibling: IntArray
    sibling_until: FloatArray
    lane_crossing_first: IntArray
    lane_crossing: IntArray
    lane_crossing_span: FloatArray
    crossing_first: IntArray
    crossing_lane: IntArray
    crossing_span: FloatArray
    crossing_head: IntArray
    walk_point: FloatArray
    walk_first: IntArray
    walk_length: FloatArray
    walk_ends: IntArray
    walk_crossing: IntArray
    node_first: IntArray
    node_walk: IntArray
    head_junction: IntArray
    head_phase: IntArray
    phases: IntArray


def pack_network(
    lanes: Sequence[Lane], junctions: Sequence[Junction], conflicts: Sequence[Conflict], sidewalks: WalkGraph
) -> Network:
    """Return a road graph as flat arrays."""
    arcs = [arclengths(lane.points) for lane in lanes]
    paths = [lane.is_connector for lane in lanes]
    by_path = sorted(conflicts, key=lambda entry: (entry.path, entry.other))
    siblings = _siblings(lanes)
    spans = sorted(
        (lane, start, stop, crossing.id) for crossing in sidewalks.crossings for lane, start, stop in crossing.spans
    )
    walks = sidewalks.walks
    meeting = sorted((node, walk.id) for walk in walks for node in (walk.start, walk.end))
    heads = [
        (head, junction.id, k) for junction in junctions for k, phase in enumerate(junction.phases) for head in phase
    ]
    heads.sort()
    count = len(lanes)
    return Network(
        point=np.concatenate([lane.points for lane in lanes]),
        tangent=np.concatenate([tangents(lane.points) for lane in lanes]),
        arc=np.concatenate(arcs),
        cap=np.concatenate([_caps(lane, arc) for lane, arc in zip(lanes, arcs, strict=True)]),
        first=_firsts([len(lane.points) for lane in lanes]),
        length=np.array([arc[-1] for arc in arcs]),
        limit=np.array([lane.limit for lane in lanes]),
        road=_integers(lane.road for lane in lanes),
        junction=_integers(lane.junction for lane in lanes),
        left=_integers(lane.left for lane in lanes),
        right=_integers(lane.right for lane in lanes),
        precedence=_integers(lane.precedence for lane in lanes),
        head=_integers(lane.head for lane in lanes),
        stop=_stop_lines(lanes, arcs, spans),
        source=_integers(lane.predecessors[0] if path else -1 for lane, path in zip(lanes, paths, strict=True)),
        target=_integers(lane.successors[0] if path else -1 for lane, path in zip(lanes, paths, strict=True)),
        after_first=_firsts([len(lane.successors) for lane in lanes]),
        after=_integers(after for lane in lanes for after in lane.successors),
        into_first=_firsts([0 if lane.is_connector else len(lane.predecessors) for lane in lanes]),
        into=_integers(path for lane in lanes if not lane.is_connector for path in lane.predecessors),
        conflict_first=_groups([entry.path for entry in by_path], count),
        conflict=_integers(entry.other for entry in by_path),
        conflict_span=_rows([(e.start, e.stop, e.other_start, e.other_stop) for e in by_path], 4),
        conflict_wide=np.array([entry.wide for entry in by_path], np.bool_),
        sibling_first=_groups([path for path, _, _ in siblings], count),
        sibling=_integers(other for _, other, _ in siblings),
        sibling_until=np.array([until for _, _, until in siblings], np.float64),
        lane_crossing_first=_groups([lane for lane, _, _, _ in spans], count),
        lane_crossing=_integers(crossing for _, _, _, crossing in spans),
        lane_crossing_span=_rows([(start, stop) for _, start, stop, _ in spans], 2),
        crossing_first=_firsts([len(crossing.spans) for crossing in sidewalks.crossings]),
        crossing_lane=_integers(lane for crossing in sidewalks.crossings for lane, _, _ in crossing.spans),
        crossing_span=_rows([(a, b) for crossing in sidewalks.crossings for _, a, b in crossing.spans], 2),
        crossing_head=_integers(crossing.head for crossing in sidewalks.crossings),
        walk_point=np.concatenate([walk.points for walk in walks]) if walks else np.zeros((0, 2)),
        walk_first=_firsts([len(walk.points) for walk in walks]),
        walk_length=np.array([arclengths(walk.points)[-1] for walk in walks], np.float64),
        walk_ends=np.array([(walk.start, walk.end) for walk in walks], np.int64).reshape(-1, 2),
        walk_crossing=_integers(walk.crossing for walk in walks),
        node_first=_groups([node for node, _ in meeting], len(sidewalks.nodes)),
        node_walk=_integers(walk for _, walk in meeting),
        head_junction=_integers(junction for _, junction, _ in heads),
        head_phase=_integers(phase for _, _, phase in heads),
        phases=_integers(len(junction.phases) for junction in junctions),
    )


def _integers(values: Iterable[int]) -> IntArray:
    return np.array(list(values), np.int64)


def _rows(values: list[tuple[float, ...]], width: int) -> FloatArray:
    return np.array(values, np.float64).reshape(-1, width)


def _firsts(counts: list[int]) -> IntArray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _groups(sorted_keys: list[int], count: int) -> IntArray:
    return _firsts(np.bincount(np.array(sorted_keys, np.int64), minlength=count).tolist())


def _caps(lane: Lane, arc: FloatArray) -> FloatArray:
    curved = np.sqrt(LATERAL_ACCELERATION / np.maximum(curvatures(lane.points), 1e-6))
    caps = np.minimum(lane.limit, curved)
    for k in range(len(caps) - 2, -1, -1):
        reachable = np.sqrt(caps[k + 1] ** 2 + 2.0 * PROFILE_BRAKING * (arc[k + 1] - arc[k]))
        caps[k] = min(caps[k], reachable)
    return caps


def _stop_lines(
    lanes: Sequence[Lane], arcs: list[FloatArray], spans: list[tuple[int, float, float, int]]
) -> FloatArray:
    stops = np.array([arc[-1] - STOP_MARGIN for arc in arcs])
    for lane, start, stop, _ in spans:
        if arcs[lane][-1] - stop < 2.0:
            stops[lane] = start - STOP_MARGIN
    return stops


def _siblings(lanes: Sequence[Lane]) -> list[tuple[int, int, float]]:
    """Return (path, other path from the same lane, arclength up to which they are too close)."""
    return [
        (lane.id, other, _diverging(lane.points, lanes[other].points))
        for lane in lanes
        if lane.is_connector
        for other in lanes[lane.predecessors[0]].successors
        if other != lane.id
    ]


def _diverging(points: FloatArray, other: FloatArray) -> float:
    arc = arclengths(points)
    for k, point in enumerate(points):
        gaps = other - point
        if float(np.sqrt((gaps**2).sum(axis=1)).min()) > CLEARANCE:
            return float(arc[k])
    return float(arc[-1])
