"""One tick of a town in four compiled stages: pedestrians, lane changes, decisions of all vehicles, motion.

The stages are compiled separately, which takes half the time of one function for all of them.
"""

from __future__ import annotations

import numpy as np

from offnominal.core.compilation import compiled, compiled_internal
from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.road.town.driving_kernel import decide, give_back
from offnominal.worlds.road.town.ego_kernel import drive, ego_controls, follow_lane
from offnominal.worlds.road.town.junction_kernel import hold, holds, release
from offnominal.worlds.road.town.lane_change_kernel import consider_change
from offnominal.worlds.road.town.movement_kernel import advance, change_offset, fill_path, place
from offnominal.worlds.road.town.network import Network
from offnominal.worlds.road.town.occupancy_kernel import fill_occupancy
from offnominal.worlds.road.town.pedestrian_kernel import place_walker, step_walkers
from offnominal.worlds.road.town.signal_kernel import set_lights
from offnominal.worlds.road.town.traffic_state import Control, Occupancy, Vehicles, Walkers

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
