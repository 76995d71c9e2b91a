"""One tick of a town in four compiled stages: pedestrians, lane changes, decisions of all vehicles, motion.

The stages are compiled separately, which takes half the time of one function for all of them.
"""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled, compiled_internal
from offnominal.core.deterministic_math import arctan2, sincos
from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.road.town.driving_kernel import decide, give_back
from offnominal.worlds.road.town.junction_kernel import hold, holds, release
from offnominal.worlds.road.town.lane_change_kernel import consider_change
from offnominal.worlds.road.town.movement_kernel import advance, along_path, change_offset, fill_path, place
from offnominal.worlds.road.town.network import Network
from offnominal.worlds.road.town.occupancy_kernel import fill_occupancy
from offnominal.worlds.road.town.path_kernel import nearest_lane, project
from offnominal.worlds.road.town.pedestrian_kernel import place_walker, step_walkers
from offnominal.worlds.road.town.traffic_state import GREEN, RED, YELLOW, Control, Occupancy, Vehicles, Walkers

TICK = 0.1
STANDING = 0.3
WAVE_DISTANCE = 90.0
# Ticks; more than a scenario has.
JAMMED = 250


@compiled_internal
def _keep_green(net: Network, cars: Vehicles, control: Control, leaders: int) -> None:
    """Keep the next traffic light of the first vehicles green, and all others of its junction red.

    In a traffic jam, which a green light does not end, the lights work as usual.
    """
    control.wave[:] = -1
    for v in range(leaders - 1, -1, -1):
        if cars.waiting[v] > JAMMED:
            continue
        away = -cars.s[v]
        for k in range(cars.path.shape[1]):
            lane = cars.path[v, k]
            if lane < 0 or away > WAVE_DISTANCE:
                break
            if net.road[lane] < 0 and net.head[lane] >= 0:
                control.wave[net.junction[lane]] = net.head[lane]
                break
            away += net.length[lane]


@compiled
def begin_tick(
    net: Network,
    cars: Vehicles,
    walkers: Walkers,
    control: Control,
    occ: Occupancy,
    key: np.uint64,
    tick: int,
    wave: int,
    moving: bool,
) -> None:
    """Set the traffic lights, list what is on the lanes, and move the pedestrians.

    Args:
        net: Road graph.
        cars: Vehicles, the ego vehicle first.
        walkers: Pedestrians.
        control: Traffic lights, crossings, reservations.
        occ: What is on the lanes.
        key: Key of the random stream.
        tick: Number of the tick that begins.
        wave: Number of vehicles, from the first, whose traffic lights are kept green.
        moving: Whether pedestrians move; otherwise they are only placed.
    """
    _keep_green(net, cars, control, wave)
    set_lights(net, control, tick * TICK)
    fill_occupancy(net, cars, walkers, control, occ, tick)
    if moving:
        step_walkers(net, walkers, cars, control, occ, key, tick)
    else:
        for p in range(walkers.walk.shape[0]):
            place_walker(net, walkers, p)


@compiled
def change_lanes(
    net: Network,
    cars: Vehicles,
    control: Control,
    occ: Occupancy,
    routes: IntArray,
    key: np.uint64,
    tick: int,
    first: int,
) -> None:
    """Complete the paths of all vehicles, and begin lane changes of those from index `first` on.

    A vehicle that begins to change lanes is listed on its new lane at once, so that no other one takes its place.
    """
    for v in range(cars.lane.shape[0]):
        if v >= first:
            consider_change(net, cars, control, occ, routes, key, v, tick)
        if cars.path[v, 1] < 0 and cars.wanted[v] < 0:
            fill_path(net, cars, control, routes, key, v)


@compiled_internal
def _order(cars: Vehicles, order: IntArray) -> None:
    """Sort the vehicles by their waiting time, the longest first; ties keep their order."""
    for v in range(order.shape[0]):
        at = v
        while at > 0 and cars.waiting[order[at - 1]] < cars.waiting[v]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = v


@compiled
def decide_all(
    net: Network, cars: Vehicles, control: Control, occ: Occupancy, tick: int, accelerations: FloatArray
) -> None:
    """Write the accelerations of all vehicles; those that wait longest reserve junctions first."""
    for v in range(cars.lane.shape[0]):
        give_back(net, cars, control, occ, v)
    order = np.empty(cars.lane.shape[0], np.int64)
    _order(cars, order)
    for k in range(order.shape[0]):
        accelerations[order[k]] = decide(net, cars, control, occ, order[k], tick)


@compiled_internal
def _move(net: Network, cars: Vehicles, control: Control, routes: IntArray, key: np.uint64, v: int, a: float) -> None:
    """Move a vehicle on rails by one tick."""
    speed = cars.speed[v]
    end = max(0.0, speed + a * TICK)
    cars.s[v] += 0.5 * (speed + end) * TICK
    cars.speed[v] = end
    cars.acceleration[v] = (end - speed) / TICK
    if cars.change_from[v] >= 0:
        cars.change[v, 1] += TICK
        cars.d[v] = change_offset(cars, v, 0.0)
        if cars.change[v, 1] >= cars.change[v, 2]:
            cars.change_from[v] = -1
    advance(net, cars, control, routes, key, v)


@compiled_internal
def _move_ego(
    net: Network,
    cars: Vehicles,
    control: Control,
    routes: IntArray,
    key: np.uint64,
    ego: int,
    controls: FloatArray,
    free: bool,
) -> None:
    """Move the ego vehicle by one tick with its controls."""
    drive(cars, controls)
    if cars.change_from[ego] >= 0:
        cars.change[ego, 1] += TICK
        if cars.change[ego, 1] >= cars.change[ego, 2]:
            cars.change_from[ego] = -1
    follow_lane(net, cars, control, routes, key, ego, free)
    # A vehicle inside a junction occupies its path, with or without permission.
    if free and net.road[cars.lane[ego]] < 0 and not holds(cars, ego, cars.lane[ego]):
        hold(cars, control, ego, cars.lane[ego])


@compiled
def move_all(
    net: Network,
    cars: Vehicles,
    control: Control,
    routes: IntArray,
    key: np.uint64,
    tick: int,
    accelerations: FloatArray,
    controls: FloatArray,
    free: bool,
    moving: bool,
) -> None:
    """Move all vehicles by one tick.

    Args:
        net: Road graph.
        cars: Vehicles, the ego vehicle first.
        control: Traffic lights, crossings, reservations.
        routes: Lanes of the routes, one row each, padded with -1.
        key: Key of the random stream.
        tick: Number of the tick that ends.
        accelerations: (n,): accelerations of all vehicles.
        controls: Throttle, steering and brake of the ego vehicle.
        free: Whether `controls` drive the ego vehicle; otherwise the behaviour agent writes its controls there.
        moving: Whether vehicles move; otherwise they are only placed.
    """
    for v in range(cars.lane.shape[0]):
        if v == 0 and moving:
            if not free:
                ego_controls(net, cars, v, accelerations[v], controls)
            _move_ego(net, cars, control, routes, key, v, controls, free)
        else:
            if moving:
                _move(net, cars, control, routes, key, v, accelerations[v])
            place(net, cars, v, float(tick))
        cars.waiting[v] = cars.waiting[v] + 1 if cars.speed[v] < STANDING else 0
        release(net, cars, control, v)


GREEN_TIME, YELLOW_TIME, CLEAR_TIME = 14.0, 3.0, 2.0
PHASE_TIME = GREEN_TIME + YELLOW_TIME + CLEAR_TIME
KEPT = 1e9


@compiled_internal
def set_lights(net: Network, control: Control, time: float) -> None:
    """Set all traffic lights for a time in seconds.

    Neighbouring junctions start their cycles at different times.
    """
    for h in range(net.head_junction.shape[0]):
        junction = net.head_junction[h]
        wave = control.wave[junction]
        if wave >= 0:
            control.light[h] = GREEN if wave == h else RED
            control.until_green[h] = 0.0 if wave == h else KEPT
            continue
        phases = net.phases[junction]
        cycle = phases * PHASE_TIME
        now = time + 7.0 * junction
        now -= cycle * int(now / cycle)
        since = now - net.head_phase[h] * PHASE_TIME
        if since < 0.0:
            since += cycle
        if since < GREEN_TIME:
            control.light[h] = GREEN
            control.until_green[h] = 0.0
        else:
            control.light[h] = YELLOW if since < GREEN_TIME + YELLOW_TIME else RED
            control.until_green[h] = cycle - since


SUBSTEPS = 10
SUBSTEP = 0.01
FULL_THROTTLE = 3.5
FULL_BRAKE = 8.0
MAX_STEER = 1.22
LOOK_AHEAD = 3.2
LOOK_AHEAD_TIME = 0.35


@compiled_internal
def steer_along_path(net: Network, cars: Vehicles, ego: int) -> float:
    """Return the steering angle towards a point ahead on the path (pure pursuit from the rear axle)."""
    reach = LOOK_AHEAD + LOOK_AHEAD_TIME * cars.speed[0]
    back = 0.5 * cars.axle[0]
    c, s = cars.pose[0, 2], cars.pose[0, 3]
    rx, ry = cars.pose[0, 0] - back * c, cars.pose[0, 1] - back * s
    offset = change_offset(cars, ego, reach / max(cars.speed[0], 3.0))
    x, y, _, _ = along_path(net, cars, ego, reach - back, offset)
    dx, dy = x - rx, y - ry
    square = dx * dx + dy * dy
    across = c * dy - s * dx
    return arctan2(2.0 * cars.axle[0] * across, max(square, 0.01))


@compiled_internal
def controls_of(acceleration: float, speed: float, steer: float) -> tuple[float, float, float]:
    """Return throttle, steering and brake, each as a share of its maximum, for an acceleration and a steering angle."""
    throttle = min(max(acceleration, 0.0) / FULL_THROTTLE, 1.0)
    brake = min(max(-acceleration, 0.0) / FULL_BRAKE, 1.0)
    return throttle, min(max(steer / MAX_STEER, -1.0), 1.0), brake


@compiled_internal
def drive(cars: Vehicles, controls: FloatArray) -> None:
    """Move the ego vehicle by one tick with throttle, steering and brake."""
    acceleration = FULL_THROTTLE * controls[0] - FULL_BRAKE * controls[2]
    sine, cosine = sincos(MAX_STEER * controls[1])
    slope = sine / cosine / cars.axle[0]
    x, y, c, s = cars.pose[0, 0], cars.pose[0, 1], cars.pose[0, 2], cars.pose[0, 3]
    back = 0.5 * cars.axle[0]
    x, y = x - back * c, y - back * s
    speed = cars.speed[0]
    start = speed
    for _ in range(SUBSTEPS):
        speed = max(0.0, speed + acceleration * SUBSTEP)
        x, y = x + speed * c * SUBSTEP, y + speed * s * SUBSTEP
        turned, kept = sincos(speed * slope * SUBSTEP)
        c, s = c * kept - s * turned, s * kept + c * turned
    norm = math.sqrt(c * c + s * s)
    c, s = c / norm, s / norm
    cars.pose[0, 0], cars.pose[0, 1] = x + back * c, y + back * s
    cars.pose[0, 2], cars.pose[0, 3] = c, s
    cars.speed[0] = speed
    cars.acceleration[0] = (speed - start) / (SUBSTEPS * SUBSTEP)


@compiled_internal
def follow_lane(
    net: Network, cars: Vehicles, control: Control, routes: IntArray, key: np.uint64, ego: int, free: bool
) -> None:
    """Find the ego vehicle's place on its lane, or on the nearest lane if it is driven freely and has left its lane."""
    x, y = cars.pose[0, 0], cars.pose[0, 1]
    s, d = project(net, cars.lane[0], x, y)
    cars.s[0], cars.d[0] = s, d
    advance(net, cars, control, routes, key, ego)
    if cars.lane[0] == cars.path[0, 0] and not free:
        return
    if free and (abs(d) > 2.2 or s < -1.0 or s > net.length[cars.lane[0]] + 1.0):
        lane = nearest_lane(net, x, y, cars.pose[0, 2], cars.pose[0, 3], True)
        if lane >= 0 and lane != cars.lane[0]:
            cars.lane[0] = lane
            cars.before[0] = -1
            cars.route[0] = -1
            cars.wanted[0] = -1
            cars.path[0, :] = -1
            cars.path[0, 0] = lane
            cars.s[0], cars.d[0] = project(net, lane, x, y)


@compiled_internal
def ego_controls(net: Network, cars: Vehicles, ego: int, acceleration: float, out: FloatArray) -> None:
    """Write the throttle, steering and brake of the behaviour agent."""
    out[0], out[1], out[2] = controls_of(acceleration, cars.speed[0], steer_along_path(net, cars, ego))
