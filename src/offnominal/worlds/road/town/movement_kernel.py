"""How vehicles move: paths, lane changes, poses."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled_internal
from offnominal.core.deterministic_math import PI, sincos
from offnominal.core.philox import uniform
from offnominal.core.types import IntArray
from offnominal.worlds.road.town.network import Network
from offnominal.worlds.road.town.path_kernel import lateral_shift, pose_at
from offnominal.worlds.road.town.traffic_state import MAX_SPEED, SWERVE, WRONG_WAY, Control, Occupancy, Vehicles

CHANGE_TIME = 3.0
FAST_CHANGE_TIME = 1.4
DRIFT_TIME = 2.5
TICK = 0.1
SLOW, FAST_ROAD = 8.0, 18.0


@compiled_internal
def _is_open(net: Network, cars: Vehicles, control: Control, v: int, path: int) -> bool:
    """Return whether a vehicle may take a path: not into a forbidden road, and no bicycles on fast roads."""
    target = net.target[path]
    slow = cars.driver[v, MAX_SPEED] < SLOW
    return not control.forbidden[net.road[target]] and not (slow and net.limit[target] > FAST_ROAD)


@compiled_internal
def choose_exit(net: Network, cars: Vehicles, control: Control, key: np.uint64, v: int, lane: int) -> int:
    """Return a random path through the junction at the end of a lane that is open to a vehicle."""
    first, last = net.after_first[lane], net.after_first[lane + 1]
    allowed = 0
    for k in range(first, last):
        allowed += 1 if _is_open(net, cars, control, v, net.after[k]) else 0
    u = uniform(key, cars.turns[v], v, 0)
    cars.turns[v] += 1
    pick = int(u * (last - first))
    if allowed == 0 or allowed == last - first:
        return int(net.after[first + pick])
    if _is_open(net, cars, control, v, net.after[first + pick]):
        return int(net.after[first + pick])
    rank = int(uniform(key, cars.turns[v], v, 1) * allowed)
    for k in range(first, last):
        if _is_open(net, cars, control, v, net.after[k]):
            if rank == 0:
                wished = net.target[net.after[first + pick]]
                if cars.detour[v] < 0 and control.forbidden[net.road[wished]]:
                    cars.detour[v] = net.after[k]
                return int(net.after[k])
            rank -= 1
    return int(net.after[first])


@compiled_internal
def fill_path(net: Network, cars: Vehicles, control: Control, routes: IntArray, key: np.uint64, v: int) -> None:
    """Complete the path of a vehicle, along its route or with random turns."""
    cars.path[v, 0] = cars.lane[v]
    cars.wanted[v] = -1
    row = cars.route[v]
    for k in range(1, cars.path.shape[1]):
        last = cars.path[v, k - 1]
        if row >= 0:
            at = cars.route_at[v] + k
            following = routes[row, at] if at < routes.shape[1] else -1
            if following >= 0 and (following == net.left[last] or following == net.right[last]):
                if k == 1:
                    cars.wanted[v] = following
                cars.path[v, k:] = -1
                return
            if following >= 0:
                cars.path[v, k] = following
                continue
        if cars.path[v, k] < 0:
            after = net.target[last] if net.road[last] < 0 else choose_exit(net, cars, control, key, v, last)
            cars.path[v, k] = after


@compiled_internal
def advance(net: Network, cars: Vehicles, control: Control, routes: IntArray, key: np.uint64, v: int) -> None:
    """Move a vehicle to the next lane of its path if it has passed the end of its lane."""
    while cars.s[v] > net.length[cars.lane[v]] and cars.path[v, 1] >= 0:
        cars.s[v] -= net.length[cars.lane[v]]
        cars.before[v] = cars.lane[v]
        cars.lane[v] = cars.path[v, 1]
        if cars.lane[v] == cars.detour[v]:
            cars.rerouted[v] = True
        for k in range(cars.path.shape[1] - 1):
            cars.path[v, k] = cars.path[v, k + 1]
        cars.path[v, cars.path.shape[1] - 1] = -1
        row = cars.route[v]
        if row >= 0:
            cars.route_at[v] += 1
            if routes[row, cars.route_at[v]] < 0:
                cars.route[v] = -1
        fill_path(net, cars, control, routes, key, v)


@compiled_internal
def start_change(
    net: Network, cars: Vehicles, control: Control, routes: IntArray, key: np.uint64, v: int, lane: int, time: float
) -> None:
    """Begin a lane change: the vehicle belongs to the new lane at once, and its offset goes to zero."""
    s, d = lateral_shift(net, cars.lane[v], lane, cars.s[v])
    cars.change_from[v] = cars.lane[v]
    cars.change[v, 0], cars.change[v, 1], cars.change[v, 2] = d + cars.d[v], 0.0, time
    cars.lane[v], cars.s[v], cars.d[v] = lane, s, d + cars.d[v]
    cars.before[v] = -1
    cars.path[v, :] = -1
    cars.detour[v] = -1
    if cars.route[v] >= 0:
        cars.route_at[v] += 1
    fill_path(net, cars, control, routes, key, v)


@compiled_internal
def change_offset(cars: Vehicles, v: int, ahead: float) -> float:
    """Return the offset of a vehicle's lane change some seconds from now."""
    if cars.change_from[v] < 0:
        return 0.0
    t = min((cars.change[v, 1] + ahead) / cars.change[v, 2], 1.0)
    return float(cars.change[v, 0] * (1.0 - t * t * (3.0 - 2.0 * t)))


@compiled_internal
def script_offset(cars: Vehicles, v: int, time: float) -> float:
    """Return the offset to the left that a script adds at a time in ticks."""
    script = cars.script[v]
    if script not in (SWERVE, WRONG_WAY):
        return 0.0
    since = (time - cars.script_span[v, 0]) * TICK
    left = (cars.script_span[v, 1] - time) * TICK
    if since <= 0.0 or left <= 0.0:
        return 0.0
    ramp = min(since / DRIFT_TIME, left / DRIFT_TIME, 1.0)
    ramp = ramp * ramp * (3.0 - 2.0 * ramp)
    if script == WRONG_WAY:
        return float(ramp * cars.script_value[v, 0])
    sine, _ = sincos(2.0 * PI * since / cars.script_value[v, 1])
    return float(ramp * cars.script_value[v, 0] * sine)


@compiled_internal
def along_path(net: Network, cars: Vehicles, v: int, ahead: float, d: float) -> tuple[float, float, float, float]:
    """Return position and tangent at a distance ahead of a vehicle's centre along its path, or behind it."""
    s = cars.s[v] + ahead
    if s < 0.0 and cars.before[v] >= 0:
        before = cars.before[v]
        return pose_at(net, before, net.length[before] + s, d)
    k = 0
    while s > net.length[cars.path[v, k]] and k + 1 < cars.path.shape[1] and cars.path[v, k + 1] >= 0:
        s -= net.length[cars.path[v, k]]
        k += 1
    return pose_at(net, cars.path[v, k], s, d)


@compiled_internal
def place(net: Network, cars: Vehicles, v: int, tick: float) -> None:
    """Set the pose of a vehicle on rails: both axles are on its path."""
    d = cars.d[v] + script_offset(cars, v, tick)
    # The scripted part looks back, so that a script shows only from its first tick on.
    shift = change_offset(cars, v, TICK) - change_offset(cars, v, 0.0)
    shift += script_offset(cars, v, tick) - script_offset(cars, v, tick - 1.0)
    slope = shift / (max(cars.speed[v], 2.0) * TICK)
    slope = min(max(slope, -0.6), 0.6)
    reach = 0.5 * cars.axle[v]
    fx, fy, _, _ = along_path(net, cars, v, reach, d + slope * reach)
    rx, ry, _, _ = along_path(net, cars, v, -reach, d - slope * reach)
    dx, dy = fx - rx, fy - ry
    norm = math.sqrt(dx * dx + dy * dy)
    cars.pose[v, 0], cars.pose[v, 1] = 0.5 * (fx + rx), 0.5 * (fy + ry)
    cars.pose[v, 2], cars.pose[v, 3] = dx / norm, dy / norm


@compiled_internal
def gaps_on(
    net: Network, cars: Vehicles, occ: Occupancy, v: int, lane: int, s: float
) -> tuple[float, float, float, float]:
    """Return gap and speed of the vehicle ahead and of the one behind on a lane, around an arclength."""
    ahead, ahead_speed, behind, behind_speed = 1e6, 0.0, 1e6, 0.0
    half = 0.5 * cars.size[v, 0]
    for k in range(occ.first[lane], occ.first[lane + 1]):
        e = occ.order[k]
        if occ.who[e] == v:
            continue
        if occ.s[e] >= s:
            gap = occ.s[e] - occ.half[e] - s - half
            if gap < ahead:
                ahead, ahead_speed = gap, occ.speed[e]
        else:
            gap = s - half - occ.s[e] - occ.half[e]
            if gap < behind:
                behind, behind_speed = gap, occ.speed[e]
    for w in range(cars.lane.shape[0]):
        if cars.change_from[w] >= 0 and cars.change[w, 1] == 0.0 and cars.lane[w] == lane and w != v:
            # A lane change that began in this tick is not yet in the list.
            gap = abs(cars.s[w] - s) - 0.5 * cars.size[w, 0] - half
            if cars.s[w] >= s and gap < ahead:
                ahead, ahead_speed = gap, cars.speed[w]
            elif cars.s[w] < s and gap < behind:
                behind, behind_speed = gap, cars.speed[w]
    if behind > 1e5:
        # Vehicles about to enter the lane from the junction behind it.
        for w in range(cars.lane.shape[0]):
            if w != v and net.road[cars.lane[w]] < 0 and net.target[cars.lane[w]] == lane:
                gap = s - half + net.length[cars.lane[w]] - cars.s[w] - 0.5 * cars.size[w, 0]
                if gap < behind:
                    behind, behind_speed = gap, cars.speed[w]
    return ahead, ahead_speed, behind, behind_speed
