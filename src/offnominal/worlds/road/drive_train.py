"""A car with the drive train of CARLA 0.9: an engine that brakes without throttle, and an automatic gearbox.

The numbers are those of a passenger car in `get_physics_control` of CARLA. The clutch is closed except during a change
of gear, and the wheels do not spin. Everything else is the car of :mod:`offnominal.worlds.road.vehicle`.
"""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray
from offnominal.worlds.road.card import DT
from offnominal.worlds.road.vehicle import MASS, SPEED, STATE, THROTTLE, move_under

GEAR, WAITING = STATE, STATE + 1
"""Columns of the state behind those of every car: gear from 0, and time until it may change again, s."""
GEARED_STATE = STATE + 2

WHEEL_RADIUS = 0.3425
RATIOS = np.array([3.73, 2.05, 1.39, 1.03, 0.82]) * 4.0 / WHEEL_RADIUS
"""Angular speed of the engine by the speed of the car in each gear, rad/m."""
TOP_GEAR = len(RATIOS) - 1
PER_RPM = math.pi / 30.0
LARGEST_SPEED = 6300.0 * PER_RPM
"""Angular speed at which the engine has no torque, rad/s."""
UP, DOWN = 0.35 * LARGEST_SPEED, 0.2 * LARGEST_SPEED
"""Speeds of the engine above and below which the gear changes."""
LATENCY, SWITCH = 1.0, 0.5
"""Time between two changes of gear, and the part of it without drive, s."""
IDLE_TORQUE, PEAK_TORQUE, LAST_TORQUE = 400.0, 500.0, 400.0
PEAK, LAST = 1890.76 * PER_RPM, 5729.58 * PER_RPM
"""Torque at full throttle at rest and at two angular speeds, N m; linear in between."""
DAMPING_IDLE, DAMPING_FULL = 2.0, 0.15
"""Torque that is lost by angular speed, without and at full throttle, N m s."""
ENGINE_INERTIA = 1.0
"""Moment of inertia of the engine, kg m²."""
BRAKE_FORCE = 4.0 * 1500.0 / WHEEL_RADIUS
"""Force of the brakes of four wheels, N."""
WHEEL_DAMPING = 4.0 * 0.25 / WHEEL_RADIUS**2
"""Force that four wheels lose by speed, N s/m."""
DRAG = 0.5 * 1.25 * 0.3 * 1.8 * 1.4
"""Half the density of air times drag coefficient and area, N s²/m²."""


@compiled
def torque(engine: float) -> float:
    """Return the torque of the engine at full throttle without its damping.

    Args:
        engine: Angular speed of the engine.
    """
    if engine >= LARGEST_SPEED:
        return 0.0
    if engine < PEAK:
        return IDLE_TORQUE + (PEAK_TORQUE - IDLE_TORQUE) * engine / PEAK
    share = min((engine - PEAK) / (LAST - PEAK), 1.0)
    return PEAK_TORQUE + (LAST_TORQUE - PEAK_TORQUE) * share


@compiled
def engine_torque(engine: float, throttle: float) -> float:
    """Return the torque of the engine, negative where it brakes."""
    return throttle * torque(engine) - (DAMPING_IDLE + throttle * (DAMPING_FULL - DAMPING_IDLE)) * engine


@compiled
def resistance(speed: float) -> float:
    """Return the force of wheels and air against the car."""
    return WHEEL_DAMPING * speed + DRAG * speed * speed


@compiled
def change_gear(state: FloatArray) -> None:
    """Change the gear of a car whose engine is too fast or too slow, if its last change is long enough ago."""
    state[WAITING] = max(state[WAITING] - DT, 0.0)
    gear = int(state[GEAR])
    engine = RATIOS[gear] * state[SPEED]
    if state[WAITING] > 0.0:
        return
    if engine > UP and gear < TOP_GEAR:
        state[GEAR], state[WAITING] = gear + 1.0, LATENCY
    elif engine < DOWN and gear > 0:
        state[GEAR], state[WAITING] = gear - 1.0, LATENCY


@compiled
def geared_force(state: FloatArray) -> float:
    """Return the force at the tyres of a car: of the engine, less what turns it faster, and of the brakes."""
    speed, pedals = float(state[SPEED]), float(state[THROTTLE])
    braking = BRAKE_FORCE * max(-pedals, 0.0)
    if state[WAITING] > LATENCY - SWITCH:
        return -braking
    ratio = RATIOS[int(state[GEAR])]
    turning = ENGINE_INERTIA * ratio * ratio
    force = ratio * engine_torque(ratio * speed, max(pedals, 0.0)) - braking
    return float((MASS * force + turning * resistance(speed)) / (MASS + turning))


@compiled
def move_geared_car(state: FloatArray, curvatures: FloatArray, friction: float, wind: float) -> None:
    """Advance a car with gears by one transition; arguments as for :func:`offnominal.worlds.road.vehicle.move_car`."""
    change_gear(state)
    move_under(state, curvatures, friction, wind, geared_force(state), (0.0, WHEEL_DAMPING, DRAG))
