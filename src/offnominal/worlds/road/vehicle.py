"""The car: a dynamic single-track model with tyres that saturate.

The state is in the frame of the lane: position along it, distance from its centre (positive to the left) and angle to
it. Both axles share drive and brake in proportion to their load; what they use of the friction circle is missing
sideways.
"""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import sincos
from offnominal.core.types import FloatArray
from offnominal.worlds.road.card import BRAKE, DRIVE, DT, FRONT, MAX_STEERING, REAR, WHEELBASE
from offnominal.worlds.road.highway import curvature

POSITION, LATERAL, HEADING, SPEED, SIDE_SPEED, YAW_RATE, ACCELERATION, THROTTLE, STEERING = range(9)
"""Columns of the state of a car; the last two are the accumulated commands."""
STATE = 9

SUBSTEPS = 5
SUBSTEP = DT / SUBSTEPS
GRAVITY = 9.81
FRICTION = 1.0
MASS = 1900.0
INERTIA = 3700.0
PER_MASS, YAW_PER_TORQUE, PER_SUBSTEP, PER_SUBSTEPS = 1.0 / MASS, SUBSTEP / INERTIA, 1.0 / SUBSTEP, 1.0 / SUBSTEPS
FRONT_STIFFNESS, REAR_STIFFNESS = 95e3, 105e3
"""Cornering stiffness of the tyres of an axle, N/rad."""
POWER = 150e3
DRAG = 0.42
ROLLING = 220.0
TRACTION = 0.95
"""Largest part of the friction that drive or brake may use; the rest is left for the sides."""
CREEP = 3.0
"""Speed below which slip angles are computed as at this speed, m/s."""
LEAST_GRIP = 1e-3
"""Smallest force that the tyres of an axle can transmit, N."""
LENGTH, WIDTH = 4.7, 1.85
"""Size of every car, m."""


@compiled
def drive_force(speed: float, command: float) -> float:
    """Return the force of the engine or the brakes for an acceleration command."""
    if command >= 0.0:
        return command * min(MASS * DRIVE, POWER / max(speed, 1.0))
    return command * MASS * BRAKE


@compiled
def tyre_force(slip: float) -> float:
    """Return the lateral force of a brush tyre (Fiala, 1954) as a part of the largest one.

    Args:
        slip: Slip angle times cornering stiffness, divided by the largest force.
    """
    amount = min(abs(slip), 3.0)
    share = amount * (1.0 - amount * (1.0 / 3.0 - amount * (1.0 / 27.0)))
    return share if slip > 0.0 else -share


@compiled
def move_car(state: FloatArray, curvatures: FloatArray, friction: float, wind: float) -> None:
    """Advance a car by one transition with its accumulated commands.

    The velocities are integrated in substeps, then the pose follows with their means.

    Args:
        state: State of the car.
        curvatures: Curvature of the road at its nodes.
        friction: Factor on the friction between tyres and road.
        wind: Acceleration by the wind from the right, m/s²; it does not move a car that stands.
    """
    force = drive_force(state[SPEED], state[THROTTLE])
    move_under(state, curvatures, friction, wind, force, (ROLLING, 0.0, DRAG))


@compiled
def move_under(
    state: FloatArray,
    curvatures: FloatArray,
    friction: float,
    wind: float,
    force: float,
    resistances: tuple[float, float, float],
) -> None:
    """Advance a car by one transition under a force of its engine and brakes.

    Args:
        state: State of the car.
        curvatures: Curvature of the road at its nodes.
        friction: Factor on the friction between tyres and road.
        wind: Acceleration by the wind from the right, m/s².
        force: Force of engine and brakes, N; the tyres transmit it as far as they can.
        resistances: Constant, linear and square part of the resistance by the speed.
    """
    vx, vy, yaw = state[SPEED], state[SIDE_SPEED], state[YAW_RATE]
    rolling, damping, drag = resistances
    grip = FRICTION * friction * MASS * GRAVITY
    force = min(max(force, -TRACTION * grip), TRACTION * grip)
    used = force / max(grip, LEAST_GRIP)
    sideways = grip * math.sqrt(max(1.0 - used * used, 0.0))
    front_grip = max(sideways * REAR / WHEELBASE, LEAST_GRIP)
    rear_grip = max(sideways * FRONT / WHEELBASE, LEAST_GRIP)
    front_slope, rear_slope = FRONT_STIFFNESS / front_grip, REAR_STIFFNESS / rear_grip
    steering = MAX_STEERING * state[STEERING]
    push = wind * min(vx * (1.0 / CREEP), 1.0)
    ax, ay, sum_vx, sum_vy, sum_yaw = 0.0, 0.0, 0.0, 0.0, 0.0
    for _ in range(SUBSTEPS):
        slow = 1.0 / max(vx, CREEP)
        front = front_grip * tyre_force(front_slope * (steering * vx - vy - FRONT * yaw) * slow)
        rear = rear_grip * tyre_force(rear_slope * (REAR * yaw - vy) * slow)
        resistance = drag * vx * vx + (rolling if vx > 0.0 else 0.0) + damping * vx
        ax = (force - resistance - front * steering) * PER_MASS
        ay = (front + rear) * PER_MASS + push
        before = vx
        vx += SUBSTEP * (ax + yaw * vy)
        vy += SUBSTEP * (ay - yaw * before)
        yaw += (FRONT * front - REAR * rear) * YAW_PER_TORQUE
        if vx < 0.0:
            # Brakes and resistance stop a car; they do not push it back.
            ax -= vx * PER_SUBSTEP
            vx = 0.0
        sum_vx += vx
        sum_vy += vy
        sum_yaw += yaw
    state[SPEED], state[SIDE_SPEED], state[YAW_RATE] = vx, vy, yaw
    state[ACCELERATION] = math.sqrt(ax * ax + ay * ay)
    bend = curvature(curvatures, state[POSITION])
    _move_pose(state, bend, sum_vx * PER_SUBSTEPS, sum_vy * PER_SUBSTEPS, sum_yaw * PER_SUBSTEPS)


@compiled
def _move_pose(state: FloatArray, bend: float, vx: float, vy: float, yaw: float) -> None:
    """Advance position, distance and angle with mean velocities and the angle in the middle of the transition."""
    d, psi = state[LATERAL], state[HEADING]
    middle = psi + 0.5 * DT * (yaw - bend * vx)
    sine, cosine = sincos(middle)
    along = (vx * cosine - vy * sine) / (1.0 - bend * d)
    state[POSITION] += DT * along
    state[LATERAL] = d + DT * (vx * sine + vy * cosine)
    state[HEADING] = psi + DT * (yaw - bend * along)


@compiled
def action_factors(faster: float, brake_factor: float, steer_factor: float) -> tuple[float, float]:
    """Return the factors on the two channels of an action: weak brakes affect only decreases of the acceleration.

    Args:
        faster: First channel of the action: change of the acceleration command.
        brake_factor: Parameter of weak brakes.
        steer_factor: Parameter of weak steering.
    """
    return (brake_factor if faster < 0.0 else 1.0), steer_factor


@compiled
def command(state: FloatArray, actions: FloatArray, brake_factor: float, steer_factor: float, increment: float) -> None:
    """Add an action to the accumulated commands, within -1 and 1."""
    faster, turn = actions[0], actions[1]
    on_faster, on_turn = action_factors(faster, brake_factor, steer_factor)
    state[THROTTLE] = min(max(state[THROTTLE] + increment * (faster * on_faster), -1.0), 1.0)
    state[STEERING] = min(max(state[STEERING] + increment * turn * on_turn, -1.0), 1.0)


def new_states(n: int, columns: int = STATE) -> FloatArray:
    """Return the states of n cars at rest in the middle of their lane.

    Args:
        n: Number of cars.
        columns: Number of columns of a state; a geared car has more.
    """
    return np.zeros((n, columns))
