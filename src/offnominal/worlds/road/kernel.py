"""Compiled transitions of the lane-keeping world. `tests/worlds/road/reference.py` has its car in plain Python."""

from __future__ import annotations

import math
from typing import NamedTuple

from offnominal.core.compilation import compiled
from offnominal.core.philox import stream_key, uniform_pair
from offnominal.core.streams import purpose_hash
from offnominal.core.types import Array, FloatArray, IntArray, KeyArray
from offnominal.worlds.compiled_world import clear_outcomes
from offnominal.worlds.road import traffic, vehicle
from offnominal.worlds.road.card import INCREMENT, MAX_GAP, MAX_SPEED, TARGET_SPEED
from offnominal.worlds.road.drive_train import move_geared_car
from offnominal.worlds.road.highway import LANES, draw_curvatures, side_wind
from offnominal.worlds.road.traffic import PER_LANE, draw_traffic, move_traffic, move_wrong_way
from offnominal.worlds.road.vehicle import LENGTH, WIDTH, command, move_car
from offnominal.worlds.world import Outcomes

MAX_HEADING = math.pi / 4.0
MAX_OFFSET = 1.5
"""Angle to the lane and distance from its centre at which an episode ends."""
LINE_OFFSET = 0.5 * (3.5 - WIDTH)
"""Distance from the centre at which a wheel is on the line."""
SHORTEST_TIME = 1.0
"""Time to a collision that is critical, s."""
END_REWARD = -100.0
ANGLE_COST, OFFSET_COST, ACTION_COST = 0.1, 0.1, 0.01
START_OFFSET, START_HEADING = 0.3, 0.02
HALF_RAIN = 40.0
"""Rain that halves the friction, mm/h."""
SPEED, LATERAL, HEADING, POSITION = vehicle.SPEED, vehicle.LATERAL, vehicle.HEADING, vehicle.POSITION
ACCELERATION, THROTTLE, STEERING = vehicle.ACCELERATION, vehicle.THROTTLE, vehicle.STEERING
BRAKE_FAIL, STEER_FAIL, SLIPPERY_ROAD, GHOST_DRIVER, HEAVY_RAIN = range(5)
"""Columns of the physics parameters."""
RESET, WORLD = purpose_hash("reset"), purpose_hash("world")


class Road(NamedTuple):
    """State of the rows of the lane-keeping world.

    Args:
        keys: (n,): keys of the random streams.
        ticks: (n,): transitions of the episode so far.
        states: (n, 9): state of the car, see :mod:`offnominal.worlds.road.vehicle`; (n, 11) with gears, see
            :mod:`offnominal.worlds.road.drive_train`.
        curvatures: (n, nodes): curvature of the road at its nodes.
        cars: (n, cars, columns): vehicles in the direction of travel, see :mod:`offnominal.worlds.road.traffic`.
        oncoming: (n, vehicles, 2): vehicles in the other direction.
        lanes: (n,): lane of the car.
        wrong_way: (n,): position of the car that drives in the wrong direction; NaN if there is none.
        gusts: (n, 2): state of the wind.
    """

    keys: KeyArray
    ticks: IntArray
    states: FloatArray
    curvatures: FloatArray
    cars: FloatArray
    oncoming: FloatArray
    lanes: IntArray
    wrong_way: FloatArray
    gusts: FloatArray


@compiled
def vehicle_ahead(
    state: FloatArray, cars: FloatArray, lane: int, wrong_way: float, wrong_speed: float
) -> tuple[float, float, bool]:
    """Return gap and relative velocity of the vehicle ahead in the lane, and whether the agent collides.

    Without a vehicle within 100 m, the gap is 100 m and the relative velocity is 0.
    """
    s, d = state[POSITION], state[LATERAL]
    gap, relative, collision = MAX_GAP, 0.0, False
    for k in range(lane * PER_LANE, (lane + 1) * PER_LANE):
        away = cars[k, traffic.POSITION] - s
        beside = abs(cars[k, traffic.ASIDE] - d)
        if beside < WIDTH and abs(away) < LENGTH:
            collision = True
        if abs(cars[k, traffic.ASIDE]) < 0.5 * WIDTH and 0.0 < away < gap + LENGTH:
            gap, relative = max(away - LENGTH, 0.0), cars[k, traffic.SPEED] - state[SPEED]
    away = wrong_way - s
    # Comparisons with NaN are false: there is no wrong-way car.
    if abs(away) < LENGTH and abs(d) < WIDTH:
        collision = True
    if 0.0 < away < gap + LENGTH:
        gap, relative = max(away - LENGTH, 0.0), -wrong_speed - state[SPEED]
    return gap, relative, collision


@compiled
def _observe(state: FloatArray, gap: float, relative: float, out: Array) -> None:
    out[0] = state[SPEED] / MAX_SPEED
    out[1] = TARGET_SPEED / MAX_SPEED
    out[2] = state[ACCELERATION]
    out[3] = state[HEADING]
    out[4] = state[LATERAL]
    out[5] = gap
    out[6] = relative
    out[7] = state[THROTTLE]
    out[8] = state[STEERING]


@compiled
def reset_rows(rows: IntArray, seeds: IntArray, episodes: IntArray, road: Road, outcomes: Outcomes) -> None:
    """Draw road, traffic and the car of some rows, and reset everything else."""
    states, cars, lanes = road.states, road.cars, road.lanes
    for i in range(rows.shape[0]):
        r = rows[i]
        road.keys[r] = stream_key(seeds[i], episodes[i], WORLD)
        road.ticks[r] = 0
        clear_outcomes(outcomes, r)
        key = stream_key(seeds[i], episodes[i], RESET)
        u, v = uniform_pair(key, 0, 0, 0)
        for c in range(states.shape[1]):
            states[r, c] = 0.0
        states[r, LATERAL], states[r, HEADING] = (2.0 * u - 1.0) * START_OFFSET, (2.0 * v - 1.0) * START_HEADING
        u, v = uniform_pair(key, 0, 0, 1)
        lanes[r] = int(u * LANES)
        road.wrong_way[r] = math.nan
        road.gusts[r, 0] = road.gusts[r, 1] = 0.0
        draw_curvatures(key, 1, road.curvatures[r])
        draw_traffic(key, cars[r], road.oncoming[r], lanes[r])
        gap, relative, _ = vehicle_ahead(states[r], cars[r], lanes[r], math.nan, 0.0)
        _observe(states[r], gap, relative, outcomes.observations[r])


@compiled
def step_rows(
    rows: IntArray, actions: FloatArray, physics_parameters: FloatArray, road: Road, outcomes: Outcomes
) -> int:
    """Advance rows by one transition; return the first row that diverged, or -1."""
    keys, ticks, cars, lanes, wrong_way = road.keys, road.ticks, road.cars, road.lanes, road.wrong_way
    for i in range(rows.shape[0]):
        r = rows[i]
        state, parameters = road.states[r], physics_parameters[r]
        command(state, actions[r], parameters[BRAKE_FAIL], parameters[STEER_FAIL], INCREMENT)
        friction = parameters[SLIPPERY_ROAD] / (1.0 + parameters[HEAVY_RAIN] / HALF_RAIN)
        wind = side_wind(keys[r], ticks[r], road.gusts[r])
        if state.shape[0] > vehicle.STATE:
            move_geared_car(state, road.curvatures[r], friction, wind)
        else:
            move_car(state, road.curvatures[r], friction, wind)
        move_traffic(keys[r], ticks[r], cars[r], road.oncoming[r])
        wrong_speed = parameters[GHOST_DRIVER]
        wrong_way[r] = move_wrong_way(wrong_way[r], wrong_speed, state[POSITION], cars[r], lanes[r])
        heading, offset = abs(state[HEADING]), abs(state[LATERAL])
        if not math.isfinite(state[POSITION] + heading + offset + state[SPEED]):
            return int(r)
        ticks[r] += 1
        gap, relative, collision = vehicle_ahead(state, cars[r], lanes[r], wrong_way[r], wrong_speed)
        ended = collision or heading > MAX_HEADING or offset > MAX_OFFSET
        unsafe = ended or offset > LINE_OFFSET or gap < -relative * SHORTEST_TIME
        effort = math.sqrt(actions[r, 0] * actions[r, 0] + actions[r, 1] * actions[r, 1])
        driving = abs(state[SPEED] - TARGET_SPEED) / MAX_SPEED + ANGLE_COST * heading + OFFSET_COST * offset
        outcomes.terminated[r], outcomes.success[r], outcomes.critical[r] = ended, not ended, unsafe
        outcomes.cost[r] = 1.0 if unsafe else 0.0
        outcomes.rewards[r] = END_REWARD if ended else -driving - ACTION_COST * effort
        _observe(state, gap, relative, outcomes.observations[r])
    return -1


@compiled
def apply_reports(reported: FloatArray, road: Road) -> None:
    """Write what observations report over the true state: heading, distance to the centre, and the vehicle ahead."""
    states, cars, lanes, wrong_way = road.states, road.cars, road.lanes, road.wrong_way
    for r in range(states.shape[0]):
        s, nearest, found = states[r, POSITION], math.inf, -1
        for k in range(lanes[r] * PER_LANE, (lanes[r] + 1) * PER_LANE):
            away = cars[r, k, traffic.POSITION] - s
            if abs(cars[r, k, traffic.ASIDE]) < 0.5 * WIDTH and 0.0 < away < nearest:
                nearest, found = away, k
        ahead = s + reported[r, 5] + LENGTH
        if 0.0 < wrong_way[r] - s < nearest:
            wrong_way[r] = ahead
        elif found >= 0:
            cars[r, found, traffic.POSITION] = ahead
        states[r, HEADING], states[r, LATERAL] = reported[r, 3], reported[r, 4]
