"""Pedestrians: they walk on sidewalks, wait at crossings until the vehicles let them go, and cross."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled_internal
from offnominal.core.philox import uniform
from offnominal.worlds.road.town.junction_kernel import holds
from offnominal.worlds.road.town.network import Network
from offnominal.worlds.road.town.traffic_state import RED, Control, Occupancy, Vehicles, Walkers

TICK = 0.1
COMMITTED_BRAKING = 2.5
NEAR_START, NEAR_END = 9.0, 8.0
UPSTREAM = 60.0
CROSSING_SHARE = 0.3
SPACING = 0.9
FASTEST = 2.6
OPEN_TIME = 0.7
WINDOW, OPEN_WINDOW = 220, 100


@compiled_internal
def _walk_pose(net: Network, walk: int, s: float, forward: bool, side: float) -> tuple[float, float, float, float]:
    """Return position and direction of a pedestrian; `side` is to the right in walking direction."""
    first, last = net.walk_first[walk], net.walk_first[walk + 1] - 1
    share = min(max(s / net.walk_length[walk], 0.0), 1.0) * (last - first)
    k = min(first + int(share), last - 1)
    part = share - (k - first)
    dx = net.walk_point[k + 1, 0] - net.walk_point[k, 0]
    dy = net.walk_point[k + 1, 1] - net.walk_point[k, 1]
    norm = math.sqrt(dx * dx + dy * dy)
    x, y = net.walk_point[k, 0] + part * dx, net.walk_point[k, 1] + part * dy
    dx, dy = dx / norm, dy / norm
    if not forward:
        dx, dy = -dx, -dy
    return x + side * dy, y - side * dx, dx, dy


@compiled_internal
def choose_walk(net: Network, walkers: Walkers, key: np.uint64, p: int) -> int:
    """Return the walk after the current one: seldom a crossing, and back only from a dead end."""
    walk = walkers.walk[p]
    node = net.walk_ends[walk, 1 if walkers.forward[p] else 0]
    first, last = net.node_first[node], net.node_first[node + 1]
    cross = uniform(key, walkers.turns[p], p, 0) < CROSSING_SHARE
    u = uniform(key, walkers.turns[p], p, 1)
    walkers.turns[p] += 1
    for wish in range(2):
        count = 0
        for k in range(first, last):
            is_crossing = net.walk_crossing[net.node_walk[k]] >= 0
            if net.node_walk[k] != walk and (wish == 1 or is_crossing == cross):
                count += 1
        rank = int(u * count)
        for k in range(first, last):
            is_crossing = net.walk_crossing[net.node_walk[k]] >= 0
            if net.node_walk[k] != walk and (wish == 1 or is_crossing == cross):
                if rank == 0:
                    return int(net.node_walk[k])
                rank -= 1
    return int(walk)


@compiled_internal
def _vehicles_let_pass(net: Network, cars: Vehicles, control: Control, occ: Occupancy, crossing: int) -> bool:
    """Return whether no vehicle is on a crossing or too near and too fast to stop before it."""
    for c in range(net.crossing_first[crossing], net.crossing_first[crossing + 1]):
        lane, start, stop = net.crossing_lane[c], net.crossing_span[c, 0], net.crossing_span[c, 1]
        for k in range(occ.first[lane], occ.first[lane + 1]):
            e = occ.order[k]
            if occ.s[e] + occ.half[e] > start - 0.3:
                if occ.s[e] - occ.half[e] < stop:
                    return False
                continue
            w = occ.who[e]
            if (
                w >= 0
                and cars.lane[w] == lane
                and net.length[lane] - stop < NEAR_END
                and holds(cars, w, cars.path[w, 1])
            ):
                return False
            gap = start - 1.0 - occ.s[e] - occ.half[e]
            if occ.speed[e] > 0.5 and occ.speed[e] * occ.speed[e] > 2.0 * COMMITTED_BRAKING * max(gap, 0.1):
                return False
        if start > UPSTREAM:
            continue
        for k in range(net.into_first[lane], net.into_first[lane + 1]):
            path = net.into[k]
            for m in range(control.holder.shape[1]):
                v = control.holder[path, m]
                if v < 0 or cars.lane[v] == lane:
                    continue
                on_path = cars.s[v] if cars.lane[v] == path else 0.0
                gap = start - 1.0 + net.length[path] - on_path - 0.5 * cars.size[v, 0]
                stopping = cars.speed[v] * cars.speed[v]
                if start < NEAR_START or stopping > 2.0 * COMMITTED_BRAKING * max(gap, 0.1):
                    return False
    return True


@compiled_internal
def _light_allows(net: Network, control: Control, crossing: int, length: float, pace: float) -> bool:
    head = net.crossing_head[crossing]
    if head < 0:
        return True
    return bool(control.light[head] == RED and control.until_green[head] > OPEN_TIME * length / pace)


@compiled_internal
def _pace(walkers: Walkers, p: int) -> float:
    """Return the speed of a pedestrian behind others in the same direction."""
    pace = walkers.pace[p]
    for q in range(walkers.walk.shape[0]):
        if q == p or walkers.walk[q] != walkers.walk[p] or walkers.forward[q] != walkers.forward[p]:
            continue
        if abs(walkers.side[q] - walkers.side[p]) > 0.4:
            continue
        ahead = walkers.s[q] - walkers.s[p] if walkers.forward[p] else walkers.s[p] - walkers.s[q]
        if 0.0 < ahead < SPACING or (ahead == 0.0 and q < p):
            pace = min(pace, 0.8 * walkers.speed[q])
    return float(pace)


@compiled_internal
def _jaywalk(net: Network, walkers: Walkers, p: int) -> None:
    """Move a jaywalker straight to the other side."""
    dx, dy = walkers.goal[p, 0] - walkers.pose[p, 0], walkers.goal[p, 1] - walkers.pose[p, 1]
    left = math.sqrt(dx * dx + dy * dy)
    step = walkers.speed[p] * TICK
    if left <= step:
        walkers.jaywalk[p] = 0
        walkers.walk[p], walkers.s[p] = int(walkers.rejoin[p, 0]), walkers.rejoin[p, 1]
        walkers.next_walk[p] = -1
        return
    walkers.pose[p, 0] += dx / left * step
    walkers.pose[p, 1] += dy / left * step
    walkers.pose[p, 2], walkers.pose[p, 3] = dx / left, dy / left


@compiled_internal
def _approach(net: Network, walkers: Walkers, p: int) -> None:
    """Move the body towards its place on the walk, no faster than a person runs."""
    x, y, dx, dy = _walk_pose(net, walkers.walk[p], walkers.s[p], walkers.forward[p], walkers.side[p])
    gx, gy = x - walkers.pose[p, 0], y - walkers.pose[p, 1]
    gap = math.sqrt(gx * gx + gy * gy)
    share = min(1.0, FASTEST * TICK / gap) if gap > 0.0 else 1.0
    walkers.pose[p, 0] += share * gx
    walkers.pose[p, 1] += share * gy
    # The direction turns gradually at corners.
    ux = walkers.pose[p, 2] + 0.35 * (dx - walkers.pose[p, 2])
    uy = walkers.pose[p, 3] + 0.35 * (dy - walkers.pose[p, 3])
    norm = math.sqrt(ux * ux + uy * uy)
    if norm < 0.1:
        ux, uy, norm = dx, dy, 1.0
    walkers.pose[p, 2], walkers.pose[p, 3] = ux / norm, uy / norm


@compiled_internal
def place_walker(net: Network, walkers: Walkers, p: int) -> None:
    """Set the pose of a pedestrian from its place on a walk."""
    x, y, dx, dy = _walk_pose(net, walkers.walk[p], walkers.s[p], walkers.forward[p], walkers.side[p])
    walkers.pose[p, 0], walkers.pose[p, 1], walkers.pose[p, 2], walkers.pose[p, 3] = x, y, dx, dy


@compiled_internal
def _step_walker(
    net: Network, walkers: Walkers, cars: Vehicles, control: Control, occ: Occupancy, key: np.uint64, p: int, tick: int
) -> None:
    if walkers.next_walk[p] < 0:
        walkers.next_walk[p] = choose_walk(net, walkers, key, p)
    walk, following = walkers.walk[p], walkers.next_walk[p]
    pace = _pace(walkers, p)
    left = net.walk_length[walk] - walkers.s[p] if walkers.forward[p] else walkers.s[p]
    walkers.stands[p] = False
    if left <= pace * TICK + 1e-9:
        crossing = net.walk_crossing[following] if following != walk else -1
        if crossing >= 0:
            may = _light_allows(net, control, crossing, net.walk_length[following], walkers.pace[p])
            # Pedestrians leave gaps, so that vehicles are not kept waiting forever.
            may = may and (tick + 30 * crossing) % WINDOW < OPEN_WINDOW
            if may:
                control.asked[crossing] = True
            if not (may and (control.busy[crossing] > 0 or _vehicles_let_pass(net, cars, control, occ, crossing))):
                walkers.stands[p] = True
                walkers.speed[p] = 0.0
                return
            control.busy[crossing] += 1
        node = net.walk_ends[walk, 1 if walkers.forward[p] else 0]
        if following == walk:
            walkers.forward[p] = not walkers.forward[p]
        else:
            walkers.walk[p] = following
            walkers.forward[p] = net.walk_ends[following, 0] == node
        walkers.s[p] = 0.0 if walkers.forward[p] else net.walk_length[walkers.walk[p]]
        walkers.next_walk[p] = choose_walk(net, walkers, key, p)
    walkers.speed[p] = pace
    walkers.s[p] += pace * TICK if walkers.forward[p] else -pace * TICK


@compiled_internal
def step_walkers(
    net: Network, walkers: Walkers, cars: Vehicles, control: Control, occ: Occupancy, key: np.uint64, tick: int
) -> None:
    """Move all pedestrians by one tick; also finds out which crossings are in use or wanted."""
    control.asked[:] = False
    control.busy[:] = 0
    for p in range(walkers.walk.shape[0]):
        crossing = net.walk_crossing[walkers.walk[p]]
        if crossing >= 0 and walkers.jaywalk[p] == 0:
            control.busy[crossing] += 1
    for p in range(walkers.walk.shape[0]):
        if walkers.jaywalk[p] > 0:
            _jaywalk(net, walkers, p)
        else:
            _step_walker(net, walkers, cars, control, occ, key, p, tick)
            _approach(net, walkers, p)
