"""Temporal anomalies: which actor behaves anomalously, how, and when. The moment is found in the nominal simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.core.types import FloatArray
from offnominal.worlds.road.town import traffic_state as ts
from offnominal.worlds.road.town.path_kernel import lateral_shift, project
from offnominal.worlds.road.town.road_graph import RoadGraph
from offnominal.worlds.road.town.snapshot import TICKS
from offnominal.worlds.road.town.trace import Trace
from offnominal.worlds.road.town.traffic_state import RED

BRAKING_TICKS = (140, 170)
EARLIEST, LATEST = 30, 165
LEAD = 1


@dataclass(frozen=True, slots=True)
class Incident:
    """An anomaly of an actor's behaviour.

    Args:
        kind: Kind of anomaly.
        actor: Index of the vehicle, or of the pedestrian for a jaywalker.
        start: First tick whose state differs from the nominal twin.
        stop: Last tick at which the anomaly is active; None means until the actor has finished.
        script: Script of a vehicle.
        value: Parameters of the script, or the goal of a jaywalker.
        rejoin: Walk and arclength on which a jaywalker goes on.
    """

    kind: str
    actor: int
    start: int
    stop: int | None
    script: int = ts.NO_SCRIPT
    value: tuple[float, float] = (0.0, 0.0)
    rejoin: tuple[int, float] = (-1, 0.0)

    @property
    def is_jaywalker(self) -> bool:
        """Whether the actor is a pedestrian."""
        return self.kind == "jaywalker"


def _on_open_road(graph: RoadGraph, trace: Trace, tick: int, v: int, room: float) -> bool:
    lane = int(trace.lane[tick, v])
    return bool(graph.network.road[lane] >= 0 and graph.network.stop[lane] - trace.s[tick, v] > room)


def _near_lead(trace: Trace, tick: int, within: float = 45.0) -> bool:
    gap = trace.pose[tick, LEAD, :2] - trace.pose[tick, 0, :2]
    ahead = float((gap * trace.pose[tick, 0, 2:]).sum())
    return bool(np.sqrt((gap**2).sum()) < within and ahead > 0.0 and trace.speed[tick, LEAD] > 3.0)


def _sudden_braking(graph: RoadGraph, trace: Trace) -> Iterator[Incident]:
    start, stop = BRAKING_TICKS
    if _near_lead(trace, start - 1):
        yield Incident("sudden-braking", LEAD, start, stop, ts.FULL_BRAKING)


def _stopped_car(graph: RoadGraph, trace: Trace) -> Iterator[Incident]:
    for tick in range(EARLIEST + 30, LATEST - 30, 5):
        speed = float(trace.speed[tick, LEAD])
        if _near_lead(trace, tick) and _on_open_road(graph, trace, tick, LEAD, speed * speed / 5.0 + 8.0):
            yield Incident("stopped-car", LEAD, tick + 1, TICKS, ts.SLOW_STOP)


def _swerving_car(graph: RoadGraph, trace: Trace) -> Iterator[Incident]:
    for tick in range(EARLIEST, LATEST - 60, 5):
        if _near_lead(trace, tick) and _on_open_road(graph, trace, tick, LEAD, 15.0):
            yield Incident("swerving-car", LEAD, tick + 1, tick + 60, ts.SWERVE, (1.2, 2.8))


def _cut_in(graph: RoadGraph, trace: Trace) -> Iterator[Incident]:
    net = graph.network
    for tick in range(EARLIEST - 5, LATEST):
        lane, s = int(trace.lane[tick, 0]), float(trace.s[tick, 0])
        if trace.speed[tick, 0] < 4.0 or trace.changing[tick, 0] >= 0 or not _on_open_road(graph, trace, tick, 0, 45.0):
            continue
        for side in (int(net.left[lane]), int(net.right[lane])):
            if side < 0:
                continue
            here = lateral_shift(graph.structure, lane, side, s)[0]
            beside = np.flatnonzero((trace.lane[tick] == side) & (trace.changing[tick] < 0))
            for v in beside:
                ahead = float(trace.s[tick, v]) - here
                if 6.8 < ahead < 17.0 and abs(trace.speed[tick, v] - trace.speed[tick, 0]) < 3.0:
                    yield Incident("cut-in", int(v), tick + 1, tick + 20, ts.CUT_IN, (float(lane), 0.0))


def _wrong_way(graph: RoadGraph, trace: Trace, ticks: int = 44) -> Iterator[Incident]:
    net = graph.network
    for tick in range(EARLIEST, LATEST - ticks, 2):
        lane = int(trace.lane[tick, 0])
        road = int(net.road[lane])
        if road < 0 or trace.speed[tick, 0] < 4.0 or graph.roads[road].road.median > 0.0:
            continue
        own = graph.lanes[lane]
        for other in graph.roads[road].backward if own.forward else graph.roads[road].forward:
            width = abs(graph.roads[road].road.lane_offset(own.index, own.forward))
            width += abs(graph.roads[road].road.lane_offset(graph.lanes[other].index, graph.lanes[other].forward))
            for v in np.flatnonzero(trace.lane[tick] == other):
                later = min(tick + ticks, TICKS)
                if _ahead(trace, tick, int(v)) < 25.0 or _ahead(trace, later, int(v)) < 4.0:
                    continue
                stays = trace.lane[later, v] == other and trace.lane[later, 0] == lane
                if stays and trace.speed[tick, v] > 4.0:
                    yield Incident("wrong-way", int(v), tick + 1, tick + ticks, ts.WRONG_WAY, (width, 0.0))


def _ahead(trace: Trace, tick: int, v: int) -> float:
    gap = trace.pose[tick, v, :2] - trace.pose[tick, 0, :2]
    return float((gap * trace.pose[tick, 0, 2:]).sum())


def _light_ignored(graph: RoadGraph, trace: Trace) -> Iterator[Incident]:
    net = graph.network
    for tick in range(EARLIEST, LATEST, 2):
        path = int(trace.following[tick, 0])
        if net.road[int(trace.lane[tick, 0])] < 0 or path < 0 or net.head[path] < 0:
            continue
        away = float(net.length[trace.lane[tick, 0]] - trace.s[tick, 0])
        if not 12.0 < away < 45.0 or trace.speed[tick, 0] < 3.0:
            continue
        junction = net.junction[path]
        for v in range(1, trace.lane.shape[1]):
            lane = int(trace.lane[tick, v])
            if net.road[lane] < 0 or net.junction[lane] != junction or net.head[lane] < 0:
                continue
            left = float(net.stop[lane] - trace.s[tick, v])
            first = not ((trace.lane[tick] == lane) & (trace.s[tick] > trace.s[tick, v])).any()
            if first and trace.light[tick, net.head[lane]] == RED and 0.5 < left < 22.0:
                yield Incident("light-ignored", v, tick + 1, None, ts.IGNORE_LIGHT)


def _jaywalker(graph: RoadGraph, trace: Trace) -> Iterator[Incident]:
    net = graph.network
    for tick in range(EARLIEST, LATEST, 2):
        lane = int(trace.lane[tick, 0])
        road = int(net.road[lane])
        if road < 0 or trace.speed[tick, 0] < 4.0 or graph.roads[road].road.sidewalks != "both":
            continue
        for p in range(trace.walk.shape[1]):
            walk = graph.walks[int(trace.walk[tick, p])]
            if walk.road != road or walk.crossing >= 0:
                continue
            x, y = trace.walker[tick, p, :2]
            s, _ = project(graph.structure, lane, float(x), float(y))
            if not 16.0 < s - trace.s[tick, 0] < 40.0 or net.stop[lane] - s < 6.0:
                continue
            goal, rejoin = _other_side(graph, road, walk.side, np.array([x, y]))
            yield Incident("jaywalker", p, tick + 1, None, value=(float(goal[0]), float(goal[1])), rejoin=rejoin)


def _other_side(graph: RoadGraph, road: int, side: str, here: FloatArray) -> tuple[FloatArray, tuple[int, float]]:
    """Return the nearest point on the other sidewalk of a road, and its place there."""
    best: tuple[float, int, int] | None = None
    for walk in graph.walks:
        if walk.road == road and walk.crossing < 0 and walk.side != side:
            away = ((walk.points - here) ** 2).sum(axis=1)
            k = int(away.argmin())
            if best is None or away[k] < best[0]:
                best = (float(away[k]), walk.id, k)
    assert best is not None
    points = graph.walks[best[1]].points
    share = best[2] / (len(points) - 1)
    return points[best[2]], (best[1], share * float(graph.network.walk_length[best[1]]))


@dataclass(frozen=True, slots=True)
class TemporalAnomaly:
    """A kind of temporal anomaly.

    Args:
        name: Name of the kind.
        summary: What happens, in one line.
        find: Function that finds incidents in a nominal simulation, the best one first.
        lead: Whether a lead car drives in front of the ego vehicle.
        lanes: Number of lanes in its direction that the first road of the route needs.
        pedestrians: Whether it needs pedestrians.
    """

    name: str
    summary: str
    find: Callable[[RoadGraph, Trace], Iterator[Incident]]
    lead: bool = False
    lanes: int = 1
    pedestrians: bool = False


TEMPORAL_ANOMALIES: dict[str, TemporalAnomaly] = {
    entry.name: entry
    for entry in (
        TemporalAnomaly("sudden-braking", "the car ahead brakes with full force", _sudden_braking, lead=True),
        TemporalAnomaly("cut-in", "a car cuts in closely in front of the ego vehicle", _cut_in, lanes=2),
        TemporalAnomaly("wrong-way", "an oncoming car drives in the ego vehicle's lane", _wrong_way),
        TemporalAnomaly("jaywalker", "a pedestrian crosses the road outside a crossing", _jaywalker, pedestrians=True),
        TemporalAnomaly("swerving-car", "the car ahead swerves in its lane", _swerving_car, lead=True),
        TemporalAnomaly("stopped-car", "the car ahead stops in its lane", _stopped_car, lead=True),
        TemporalAnomaly("light-ignored", "a car drives through a red traffic light", _light_ignored),
    )
}


def temporal_anomaly(name: str) -> TemporalAnomaly:
    """Return a kind of temporal anomaly by its name.

    Example:
        >>> temporal_anomaly("cut-in").summary
        'a car cuts in closely in front of the ego vehicle'
        >>> temporal_anomaly("cutin")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no temporal anomaly named 'cutin'. Did you mean 'cut-in'?
    """
    if name not in TEMPORAL_ANOMALIES:
        raise UnknownName(f"no temporal anomaly named {name!r}.{did_you_mean(str(name), TEMPORAL_ANOMALIES)}")
    return TEMPORAL_ANOMALIES[name]
