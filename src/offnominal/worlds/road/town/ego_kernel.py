"""The ego vehicle: a kinematic bicycle that is steered along its path or by given controls."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled_internal
from offnominal.core.deterministic_math import arctan2, sincos
from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.road.town.movement_kernel import advance, along_path, change_offset
from offnominal.worlds.road.town.network import Network
from offnominal.worlds.road.town.path_kernel import nearest_lane, project
from offnominal.worlds.road.town.traffic_state import Control, Vehicles

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
