"""When vehicles change lanes: because their route needs it, or to pass a slower vehicle."""

from __future__ import annotations

import numpy as np

from offnominal.core.compilation import compiled_internal
from offnominal.core.types import IntArray
from offnominal.worlds.road.town.movement_kernel import CHANGE_TIME, FAST_CHANGE_TIME, gaps_on, start_change
from offnominal.worlds.road.town.network import Network
from offnominal.worlds.road.town.path_kernel import cap_at, lateral_shift
from offnominal.worlds.road.town.traffic_state import CUT_IN, Control, Occupancy, Vehicles

FROM_START, TO_END = 12.0, 60.0
GIVE_UP = 14.0
SLOWER = 0.75
EVERY = 15
PASSING_SPEED, LONGEST = 5.0, 7.0


@compiled_internal
def _is_safe(net: Network, cars: Vehicles, occ: Occupancy, v: int, lane: int, hurry: bool) -> bool:
    """Return whether there is room on a lane beside a vehicle."""
    s, _ = lateral_shift(net, cars.lane[v], lane, cars.s[v])
    ahead, ahead_speed, behind, behind_speed = gaps_on(net, cars, occ, v, lane, s)
    speed = cars.speed[v]
    calm = 0.6 if hurry else 1.2
    closing, closed = max(0.0, speed - ahead_speed), max(0.0, behind_speed - speed)
    return bool(
        ahead > 2.5 + calm * speed * 0.7 + closing * closing / 4.0
        and behind > 2.5 + calm * behind_speed + closed * closed / 4.0
    )


@compiled_internal
def consider_change(
    net: Network,
    cars: Vehicles,
    control: Control,
    occ: Occupancy,
    routes: IntArray,
    key: np.uint64,
    v: int,
    tick: int,
) -> bool:
    """Begin a lane change if a vehicle needs one or gains from it; return whether it did."""
    lane = cars.lane[v]
    if cars.script[v] == CUT_IN and cars.script_span[v, 0] == tick:
        target = int(cars.script_value[v, 0])
        if target == net.left[lane] or target == net.right[lane]:
            start_change(net, cars, control, routes, key, v, target, FAST_CHANGE_TIME)
            return True
    if cars.change_from[v] >= 0 or net.road[lane] < 0 or cars.s[v] < FROM_START - 5.0 or cars.speed[v] < 1.0:
        return _give_up(net, cars, v)
    left = net.stop[lane] - cars.s[v]
    if cars.wanted[v] >= 0:
        if left > 8.0 and _is_safe(net, cars, occ, v, cars.wanted[v], left < 60.0):
            start_change(net, cars, control, routes, key, v, cars.wanted[v], CHANGE_TIME)
            return True
        return _give_up(net, cars, v)
    if cars.route[v] >= 0 or cars.script[v] > 0 or (tick + v) % EVERY != 0 or cars.s[v] < FROM_START or left < TO_END:
        return False
    return _pass(net, cars, control, occ, routes, key, v)


@compiled_internal
def _give_up(net: Network, cars: Vehicles, v: int) -> bool:
    """Leave the route if the lane ends before a needed lane change was possible."""
    lane = cars.lane[v]
    if cars.wanted[v] >= 0 and net.stop[lane] - cars.s[v] < GIVE_UP:
        cars.lost[v] = True
        cars.route[v] = -1
        cars.wanted[v] = -1
    return False


@compiled_internal
def _pass(
    net: Network, cars: Vehicles, control: Control, occ: Occupancy, routes: IntArray, key: np.uint64, v: int
) -> bool:
    lane = cars.lane[v]
    # Slow lane changes and those of long vehicles need more room to the sides than a lane has.
    if cars.speed[v] < PASSING_SPEED or cars.size[v, 0] > LONGEST:
        return False
    for k in range(cars.held.shape[1]):
        if cars.held[v, k] >= 0:
            return False
    ahead, ahead_speed, _, _ = gaps_on(net, cars, occ, v, lane, cars.s[v])
    if ahead > 45.0 or ahead_speed > SLOWER * cap_at(net, lane, cars.s[v]):
        return False
    for side in (net.left[lane], net.right[lane]):
        if side < 0:
            continue
        s, _ = lateral_shift(net, lane, side, cars.s[v])
        there, there_speed, _, _ = gaps_on(net, cars, occ, v, side, s)
        if (there > ahead + 15.0 or there_speed > ahead_speed + 2.0) and _is_safe(net, cars, occ, v, side, False):
            start_change(net, cars, control, routes, key, v, side, CHANGE_TIME)
            return True
    return False
