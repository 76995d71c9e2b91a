"""How vehicles drive along their path: car following, speed limits and curves, stop lines, crossings."""

from __future__ import annotations

import math

from offnominal.core.compilation import compiled_internal
from offnominal.worlds.road.town.junction_kernel import hold, holds, may_enter
from offnominal.worlds.road.town.network import PROFILE_BRAKING, Network
from offnominal.worlds.road.town.path_kernel import cap_at
from offnominal.worlds.road.town.traffic_state import (
    ACCELERATION,
    BELOW_LIMIT,
    BRAKING,
    DECREASE,
    FULL_BRAKING,
    IGNORE_LIGHT,
    MAX_SPEED,
    PROXIMITY,
    SAFETY_TIME,
    SLOW_STOP,
    SPEED_FACTOR,
    STANDSTILL,
    TIME_GAP,
    WRONG_WAY,
    Control,
    Occupancy,
    Vehicles,
)

HORIZON = 110.0
HARDEST_BRAKING = 8.0
SLOW_STOP_BRAKING = 2.5
YIELD_BRAKING = 2.5
NEAR_START, NEAR_END = 9.0, 8.0
FREE = 1e6
STOP_BRAKING, STOP_SHORT = 1.6, 0.7
MIN_SPEED = 5.0 / 3.6


@compiled_internal
def follow(cars: Vehicles, v: int, desired: float, gap: float, lead_speed: float) -> float:
    """Return the acceleration of the intelligent driver model (Treiber et al. 2000).

    Args:
        cars: Vehicles.
        v: Vehicle.
        desired: Speed on a free road.
        gap: Distance from the front to the obstacle.
        lead_speed: Speed of the obstacle.
    """
    speed = cars.speed[v]
    a, b = cars.driver[v, ACCELERATION], cars.driver[v, BRAKING]
    ratio = speed / max(desired, 0.1)
    free = a * (1.0 - ratio * ratio * ratio * ratio)
    if speed > desired:
        free = max(-2.0 * (speed - desired), -3.0)
    if gap >= FREE:
        return float(free)
    closing = speed * (speed - lead_speed) / (2.0 * math.sqrt(a * b))
    wish = cars.driver[v, STANDSTILL] + max(0.0, speed * cars.driver[v, TIME_GAP] + closing)
    room = wish / max(gap, 0.1)
    return float(min(free, a * (1.0 - room * room)))


@compiled_internal
def stop_before(cars: Vehicles, v: int, desired: float, gap: float) -> float:
    """Return the acceleration that stops a vehicle smoothly before a line at a distance from its front."""
    speed = cars.speed[v]
    allowed = math.sqrt(2.0 * STOP_BRAKING * max(gap - STOP_SHORT, 0.0))
    if speed <= allowed:
        return follow(cars, v, min(desired, allowed), FREE, 0.0)
    need = speed * speed / (2.0 * max(gap - 0.3, 0.1))
    return float(-max(need, min(2.0 * (speed - allowed), 3.0)))


@compiled_internal
def _agent_speed(cars: Vehicles, v: int, desired: float, limit: float, gap: float, lead_speed: float) -> float:
    """Return the speed that a behaviour agent chooses behind another vehicle, after the published rule."""
    safety = cars.driver[v, SAFETY_TIME]
    if safety <= 0.0 or gap > max(cars.driver[v, PROXIMITY], 1.2 * limit) or cars.speed[v] <= lead_speed:
        return desired
    time = gap / max(1.0, cars.speed[v] - lead_speed)
    if time < safety:
        return float(min(desired, max(lead_speed - cars.driver[v, DECREASE], 0.0)))
    if time < 2.0 * safety:
        return min(desired, max(lead_speed, MIN_SPEED))
    return desired


@compiled_internal
def _lead_on(net: Network, occ: Occupancy, v: int, lane: int, beyond: float) -> int:
    """Return the first entry of a lane beyond an arclength that is not the vehicle itself, or -1."""
    for k in range(occ.first[lane], occ.first[lane + 1]):
        e = occ.order[k]
        if occ.s[e] > beyond and occ.who[e] != v:
            return int(e)
    return -1


@compiled_internal
def _sibling_gap(net: Network, occ: Occupancy, v: int, lane: int, base: float, own: float) -> tuple[float, float]:
    """Return gap and speed of the nearest vehicle on another path from the same lane that still overlaps."""
    best, speed = FREE, 0.0
    for k in range(net.sibling_first[lane], net.sibling_first[lane + 1]):
        other = net.sibling[k]
        e = _lead_on(net, occ, v, other, own)
        if e >= 0 and occ.s[e] - occ.half[e] < net.sibling_until[k] and base + occ.s[e] - occ.half[e] < best:
            best, speed = base + occ.s[e] - occ.half[e], occ.speed[e]
        target = net.target[other]
        if occ.first[target] < occ.first[target + 1]:
            e = occ.order[occ.first[target]]
            rear = net.length[other] + occ.s[e] - occ.half[e]
            if occ.who[e] != v and rear < net.sibling_until[k] and base + rear < best:
                best, speed = base + rear, occ.speed[e]
    return best, speed


@compiled_internal
def _crossing_gap(net: Network, cars: Vehicles, control: Control, v: int, entry: int, base: float) -> float:
    """Return the distance to the first crossing on a lane of its path at which the vehicle has to stop.

    A vehicle that comes out of a junction or has reserved its way into one does not stop for pedestrians who only
    wait at the crossings there.
    """
    best = FREE
    speed, lane, front = cars.speed[v], cars.path[v, entry], 0.5 * cars.size[v, 0]
    goes = entry + 1 < cars.path.shape[1] and holds(cars, v, cars.path[v, entry + 1])
    source = cars.path[v, entry - 1] if entry > 0 else cars.before[v]
    comes = source >= 0 and holds(cars, v, source)
    for k in range(net.lane_crossing_first[lane], net.lane_crossing_first[lane + 1]):
        crossing = net.lane_crossing[k]
        if control.busy[crossing] == 0 and not control.asked[crossing]:
            continue
        gap = base + net.lane_crossing_span[k, 0] - front
        waits_only = control.busy[crossing] == 0
        at_end = net.length[lane] - net.lane_crossing_span[k, 1] < NEAR_END
        at_start = net.lane_crossing_span[k, 0] < NEAR_START
        if gap < -0.3 or (waits_only and ((goes and at_end) or (comes and at_start))):
            continue
        if control.busy[crossing] == 0 and speed * speed > 2.0 * YIELD_BRAKING * max(gap - 1.0, 0.1):
            continue
        best = min(best, max(gap - 0.8, 0.05))
    return best


@compiled_internal
def _intruder_gap(
    net: Network, cars: Vehicles, control: Control, v: int, lane: int, base: float, own: float, half: float
) -> float:
    """Return the distance to the part of a path that a vehicle crosses which ignores the traffic light."""
    best = FREE
    for c in range(net.conflict_first[lane], net.conflict_first[lane + 1]):
        for m in range(control.holder.shape[1]):
            w = control.holder[net.conflict[c], m]
            if w < 0 or w == v or cars.script[w] != IGNORE_LIGHT or net.conflict_wide[c]:
                continue
            gap = base + net.conflict_span[c, 0] - half
            passed = cars.lane[w] == net.conflict[c] and cars.s[w] - 0.5 * cars.size[w, 0] > net.conflict_span[c, 3]
            if gap > 0.0 and not passed:
                best = min(best, gap)
    return best


@compiled_internal
def _stop_for_junction(
    net: Network, cars: Vehicles, control: Control, occ: Occupancy, v: int, k: int, distance: float, ignores: bool
) -> bool:
    """Return whether a vehicle has to stop before path entry k; reserves the path if it may go."""
    path = cars.path[v, k]
    if path < 0:
        return True
    if holds(cars, v, path):
        return False
    if ignores:
        hold(cars, control, v, path)
        return False
    lane = cars.path[v, k - 1]
    # A vehicle in a queue reserves only after the one in front of it.
    e = _lead_on(net, occ, v, lane, cars.s[v] if k == 1 else -FREE)
    if e >= 0 and (occ.who[e] < 0 or not holds(cars, occ.who[e], cars.path[occ.who[e], 1])):
        return True
    for c in range(net.lane_crossing_first[lane], net.lane_crossing_first[lane + 1]):
        near = net.length[lane] - net.lane_crossing_span[c, 1] < NEAR_END and distance > -0.5
        if near and (control.busy[net.lane_crossing[c]] > 0 or control.asked[net.lane_crossing[c]]):
            return True
    if may_enter(net, cars, control, occ, v, path, distance):
        hold(cars, control, v, path)
        return False
    return True


@compiled_internal
def give_back(net: Network, cars: Vehicles, control: Control, occ: Occupancy, v: int) -> None:
    """Give back reserved paths before which another vehicle has come that has not reserved its own.

    A vehicle reserves paths from far away. Others can enter the lane before the junction in front of it, and must go
    first: both would wait for each other for ever.
    """
    for k in range(cars.held.shape[1]):
        path = cars.held[v, k]
        # A vehicle may come back to the junction that it is in, or is leaving.
        leaves = cars.before[v] == path and cars.s[v] < 0.5 * cars.size[v, 0]
        if path < 0 or cars.lane[v] == path or leaves:
            continue
        e = _lead_on(net, occ, v, net.source[path], cars.s[v] if cars.lane[v] == net.source[path] else -FREE)
        w = occ.who[e] if e >= 0 else -1
        if e < 0 or (w >= 0 and (cars.lane[w] != net.source[path] or holds(cars, w, cars.path[w, 1]))):
            continue
        cars.held[v, k] = -1
        for m in range(control.holder.shape[1]):
            if control.holder[path, m] == v:
                control.holder[path, m] = -1


@compiled_internal
def decide(net: Network, cars: Vehicles, control: Control, occ: Occupancy, v: int, tick: int) -> float:
    """Return the acceleration of a vehicle; reserves paths through junctions as far as it may enter them."""
    half, speed, s = 0.5 * cars.size[v, 0], cars.speed[v], cars.s[v]
    script = cars.script[v] if cars.script_span[v, 0] <= tick < cars.script_span[v, 1] else 0
    if script == FULL_BRAKING:
        return -HARDEST_BRAKING
    if script == SLOW_STOP:
        return -SLOW_STOP_BRAKING
    ask_within = speed * speed / 4.0 + 2.0 * speed + 8.0
    factor = cars.driver[v, SPEED_FACTOR]
    below = cars.driver[v, BELOW_LIMIT]
    limit = net.limit[cars.lane[v]]
    desired = min(cap_at(net, cars.lane[v], s) * factor, cars.driver[v, MAX_SPEED])
    if below > 0.0:
        desired = min(desired, max(limit - below, MIN_SPEED))
    gap, lead_speed = FREE, 0.0
    acceleration = FREE
    base, own = -s, s
    for k in range(cars.path.shape[1]):
        lane = cars.path[v, k]
        if lane < 0 or base > HORIZON:
            break
        if k > 0:
            cap = net.cap[net.first[lane]] * factor
            desired = min(desired, math.sqrt(cap * cap + 2.0 * PROFILE_BRAKING * max(base - 1.0, 0.0)))
        if gap >= FREE:
            e = _lead_on(net, occ, v, lane, own)
            if e >= 0:
                gap, lead_speed = base + occ.s[e] - occ.half[e] - half, occ.speed[e]
        if net.road[lane] < 0:
            beside, beside_speed = _sibling_gap(net, occ, v, lane, base, own)
            if beside < FREE:
                acceleration = min(acceleration, follow(cars, v, desired, beside - half, beside_speed))
            if script != IGNORE_LIGHT:
                intruder = _intruder_gap(net, cars, control, v, lane, base, own, half)
                if intruder < FREE:
                    acceleration = min(acceleration, stop_before(cars, v, desired, intruder))
        else:
            crossing = _crossing_gap(net, cars, control, v, k, base)
            if crossing < FREE:
                acceleration = min(acceleration, stop_before(cars, v, desired, crossing))
            line = base + net.stop[lane] - half
            asks = line < ask_within and k + 1 < cars.path.shape[1]
            if asks and _stop_for_junction(net, cars, control, occ, v, k + 1, line, script == IGNORE_LIGHT):
                acceleration = min(acceleration, stop_before(cars, v, desired, line + 0.7))
                break
        base += net.length[lane]
        own = -FREE
    if script == WRONG_WAY:
        gap = FREE
    desired = _agent_speed(cars, v, desired, limit, gap, lead_speed)
    acceleration = min(acceleration, follow(cars, v, desired, gap, lead_speed))
    return max(acceleration, -HARDEST_BRAKING)
