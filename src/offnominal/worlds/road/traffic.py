"""The other cars: they follow each other by the Intelligent Driver Model (Treiber et al., 2000) and brake now and then.

No car changes its lane and none follows the agent's car. Cars in the way of a wrong-way driver move aside.
"""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.philox import uniform_pair
from offnominal.core.types import FloatArray
from offnominal.worlds.road.card import DT
from offnominal.worlds.road.highway import LANES
from offnominal.worlds.road.vehicle import LENGTH

POSITION, SPEED, ACCELERATION, ASIDE, DESIRED, BRAKE_START, BRAKE_END, BRAKE_SPEED, BRAKING = range(9)
"""Columns of the state of a car. ASIDE is its distance from the centre of its lane, positive to the left."""
STATE = 9
PER_LANE = 4
CARS = LANES * PER_LANE
"""Cars 4k to 4k + 3 are in lane k, from the last to the first."""
ONCOMING = 6
"""Cars on the other side of the highway."""

HEADWAY, STANDSTILL = 1.2, 2.5
FASTER, SLOWER = 1.6, 2.2
"""Largest acceleration and comfortable deceleration of the model, m/s²."""
CLOSING = 0.5 / math.sqrt(FASTER * SLOWER)
HARDEST = -8.0
SPEEDS = (13.0, 15.5)
"""Speeds that cars in the lane of the agent want to drive, m/s; cars to the left are faster."""
FASTER_LANE = 2.5
FIRST_GAP, SPACING = (22.0, 42.0), (28.0, 45.0)
"""Gap to the vehicle ahead at the start of an episode, and gaps between cars, m."""
FIRST_BEHIND = 75.0
"""Distance behind the agent at which the cars of the other lanes begin, m."""
PERIOD = 140
"""Each car decides every 7 s whether it will brake."""
BRAKE_SHARE = 0.45
BRAKE_STEPS = (24.0, 50.0)
SLOWDOWN = (0.3, 0.7)
DECELERATIONS = (2.5, 5.5)
ONCOMING_SPEEDS = (24.0, 26.0)
ONCOMING_SPACING = 170.0
WRONG_WAY_DISTANCE = 150.0
EVASION, EVASION_SPEED, EVASION_DISTANCE = -2.4, 3.0, 120.0


@compiled
def _between(limits: tuple[float, float], share: float) -> float:
    return limits[0] + share * (limits[1] - limits[0])


@compiled
def draw_traffic(key: np.uint64, cars: FloatArray, oncoming: FloatArray, lane: int) -> None:
    """Draw the cars at the start of an episode; those in the agent's lane are all ahead of it."""
    for k in range(CARS):
        u, v = uniform_pair(key, 0, 2, k)
        place = k % PER_LANE
        if place:
            cars[k, POSITION] = cars[k - 1, POSITION] + LENGTH + _between(SPACING, u)
        elif k // PER_LANE == lane:
            cars[k, POSITION] = LENGTH + _between(FIRST_GAP, u)
        else:
            cars[k, POSITION] = u * LENGTH - FIRST_BEHIND * u
        cars[k, DESIRED] = _between(SPEEDS, v) + FASTER_LANE * (k // PER_LANE - lane)
        cars[k, SPEED] = cars[k, DESIRED]
        cars[k, ACCELERATION] = cars[k, ASIDE] = 0.0
        cars[k, BRAKE_START] = cars[k, BRAKE_END] = -1.0
    for k in range(ONCOMING):
        u, v = uniform_pair(key, 0, 3, k)
        oncoming[k, 0] = ONCOMING_SPACING * (k + 0.2 + 0.6 * u)
        oncoming[k, 1] = _between(ONCOMING_SPEEDS, v)


@compiled
def _plan_braking(key: np.uint64, tick: int, k: int, cars: FloatArray) -> None:
    """Decide whether a car brakes in the period that begins, when, and how hard."""
    u, v = uniform_pair(key, tick, k, 0)
    cars[k, BRAKE_START] = cars[k, BRAKE_END] = -1.0
    if u >= BRAKE_SHARE:
        return
    steps = _between(BRAKE_STEPS, u / BRAKE_SHARE)
    cars[k, BRAKE_START] = tick + v * (PERIOD - steps)
    cars[k, BRAKE_END] = cars[k, BRAKE_START] + steps
    u, v = uniform_pair(key, tick, k, 1)
    cars[k, BRAKE_SPEED] = _between(SLOWDOWN, u) * cars[k, DESIRED]
    cars[k, BRAKING] = _between(DECELERATIONS, v)


@compiled
def follow(speed: float, desired: float, gap: float, ahead: float) -> float:
    """Return the acceleration of the Intelligent Driver Model, m/s².

    Args:
        speed: Speed of the car.
        desired: Speed that it wants to drive.
        gap: Distance to the car ahead; infinite for a free road.
        ahead: Speed of the car ahead.
    """
    share = speed / desired
    wanted = STANDSTILL + max(0.0, speed * (HEADWAY + (speed - ahead) * CLOSING))
    near = wanted / max(gap, 0.1)
    return max(FASTER * (1.0 - share * share * share * share - near * near), HARDEST)


@compiled
def move_traffic(key: np.uint64, tick: int, cars: FloatArray, oncoming: FloatArray) -> None:
    """Advance all cars by one transition."""
    if tick % PERIOD == 0:
        for k in range(CARS):
            _plan_braking(key, tick, k, cars)
    for k in range(CARS):
        speed, gap, ahead = cars[k, SPEED], math.inf, 0.0
        if k % PER_LANE < PER_LANE - 1:
            gap, ahead = cars[k + 1, POSITION] - cars[k, POSITION] - LENGTH, cars[k + 1, SPEED]
        acceleration = follow(speed, cars[k, DESIRED], gap, ahead)
        if cars[k, BRAKE_START] <= tick < cars[k, BRAKE_END]:
            braking = -cars[k, BRAKING] if speed > cars[k, BRAKE_SPEED] else 0.0
            acceleration = min(acceleration, braking)
        acceleration = max(acceleration, -speed / DT)
        cars[k, ACCELERATION] = acceleration
        cars[k, SPEED] = speed + DT * acceleration
        cars[k, POSITION] += DT * cars[k, SPEED]
    for k in range(ONCOMING):
        oncoming[k, 0] -= DT * oncoming[k, 1]


@compiled
def move_wrong_way(position: float, speed: float, agent: float, cars: FloatArray, lane: int) -> float:
    """Advance the wrong-way car in the agent's lane, and the cars that give way to it; return its position or NaN.

    Args:
        position: Its position along the road; NaN if there is none yet.
        speed: Its speed against the direction of the road; 0 removes it.
        agent: Position of the agent's car.
        cars: The other cars.
        lane: The lane.
    """
    moved = math.nan
    if speed > 0.0:
        moved = agent + WRONG_WAY_DISTANCE if math.isnan(position) else position - DT * speed
    for k in range(lane * PER_LANE, (lane + 1) * PER_LANE):
        away = moved - cars[k, POSITION]
        # A comparison with NaN is false: without a wrong-way car everyone returns.
        goal = EVASION if -2.0 * LENGTH < away < EVASION_DISTANCE else 0.0
        step = min(max(goal - cars[k, ASIDE], -DT * EVASION_SPEED), DT * EVASION_SPEED)
        cars[k, ASIDE] += step
    return moved
