"""Compiled physics of the classic worlds: the arithmetic of Gymnasium's classic control, operation by operation.

Sine and cosine are those of :mod:`offnominal.core.deterministic_math`, which give the same bits on every CPU and differ
from NumPy's by at most one unit in the last place.
"""

from __future__ import annotations

import math

from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import sincos
from offnominal.core.philox import stream_key, uniform
from offnominal.core.streams import purpose_hash
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.worlds.compiled_world import clear_outcomes
from offnominal.worlds.world import Outcomes

CARTPOLE_DT = 0.02
PENDULUM_DT = 0.05
MAX_POSITION = 2.4
MAX_ANGLE = 12 * 2 * math.pi / 360
MAX_TORQUE = 2.0
UPRIGHT_ANGLE = 0.1
UPRIGHT_SPEED = 0.5
RESET = purpose_hash("reset")


@compiled
def reset_rows(
    rows: IntArray,
    seeds: IntArray,
    episodes: IntArray,
    limits: FloatArray,
    ticks: IntArray,
    state: FloatArray,
    outcomes: Outcomes,
) -> None:
    """Draw the states of some rows, each value uniform within plus and minus its limit, and reset everything else."""
    for i in range(rows.shape[0]):
        r = rows[i]
        key = stream_key(seeds[i], episodes[i], RESET)
        for k in range(limits.shape[0]):
            state[r, k] = limits[k] * (2.0 * uniform(key, 0, 0, k) - 1.0)
        ticks[r] = 0
        clear_outcomes(outcomes, r)


@compiled
def observe_cartpoles(rows: IntArray, state: FloatArray, observations: Array) -> None:
    """Write the observations of some rows: the whole state."""
    for i in range(rows.shape[0]):
        r = rows[i]
        for k in range(4):
            observations[r, k] = state[r, k]


@compiled
def step_cartpoles(
    rows: IntArray,
    actions: IntArray,
    physics_parameters: FloatArray,
    ticks: IntArray,
    state: FloatArray,
    outcomes: Outcomes,
) -> int:
    """Push the carts of some rows for one transition; return the first row that diverged, or -1.

    `physics_parameters` has, per row: gravity, mass of the cart, half length of the pole, mass of the pole, force of a
    push. `state` has position, velocity, angle, angular velocity.
    """
    observations, diverged = outcomes.observations, -1
    for i in range(rows.shape[0]):
        r = rows[i]
        gravity, cart, length, pole = (
            physics_parameters[r, 0],
            physics_parameters[r, 1],
            physics_parameters[r, 2],
            physics_parameters[r, 3],
        )
        force = physics_parameters[r, 4] if actions[r] == 1 else -physics_parameters[r, 4]
        x, v, angle, w = state[r, 0], state[r, 1], state[r, 2], state[r, 3]
        sine, cosine = sincos(angle)
        total, moment = pole + cart, pole * length
        pull = (force + moment * (w * w) * sine) / total
        turn = (gravity * sine - cosine * pull) / (length * (4.0 / 3.0 - pole * (cosine * cosine) / total))
        a = pull - moment * turn * cosine / total
        x, v = x + CARTPOLE_DT * v, v + CARTPOLE_DT * a
        angle, w = angle + CARTPOLE_DT * w, w + CARTPOLE_DT * turn
        if not (math.isfinite(x) and math.isfinite(v) and math.isfinite(angle) and math.isfinite(w)):
            diverged = r if diverged < 0 else diverged
            continue
        ticks[r] += 1
        state[r, 0], state[r, 1], state[r, 2], state[r, 3] = x, v, angle, w
        observations[r, 0], observations[r, 1], observations[r, 2], observations[r, 3] = x, v, angle, w
        fallen = abs(x) > MAX_POSITION or abs(angle) > MAX_ANGLE
        outcomes.rewards[r] = 1.0
        outcomes.terminated[r] = outcomes.critical[r] = fallen
        outcomes.success[r] = not fallen
        outcomes.cost[r] = 1.0 if fallen else 0.0
    return diverged


@compiled
def _from_upright(angle: float) -> float:
    """Return an angle within [-pi, pi)."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


@compiled
def _limited(value: float, limit: float) -> float:
    return min(max(value, -limit), limit)


@compiled
def observe_pendulums(rows: IntArray, state: FloatArray, observations: Array) -> None:
    """Write the observations of some rows: cosine, sine and angular velocity."""
    for i in range(rows.shape[0]):
        r = rows[i]
        sine, cosine = sincos(state[r, 0])
        observations[r, 0], observations[r, 1], observations[r, 2] = cosine, sine, state[r, 1]


@compiled
def step_pendulums(
    rows: IntArray,
    actions: FloatArray,
    clip_first: bool,
    physics_parameters: FloatArray,
    ticks: IntArray,
    state: FloatArray,
    outcomes: Outcomes,
) -> int:
    """Advance the pendulums of some rows by one transition; return the first row that diverged, or -1.

    `physics_parameters` has, per row: gravity, mass, length, limit of the speed, limit of the torque. `state` has angle
    and angular velocity. The reward is that of the state before the transition, as in Gymnasium.
    """
    observations, diverged = outcomes.observations, -1
    for i in range(rows.shape[0]):
        r = rows[i]
        gravity, mass, length, fastest = (
            physics_parameters[r, 0],
            physics_parameters[r, 1],
            physics_parameters[r, 2],
            physics_parameters[r, 3],
        )
        torque = _limited(actions[r, 0], physics_parameters[r, 4])
        angle, w = state[r, 0], state[r, 1]
        sine, _ = sincos(angle)
        off = _from_upright(angle)
        price = off * off + 0.1 * (w * w) + 0.001 * (torque * torque)
        turn = 3.0 * gravity / (2.0 * length) * sine + 3.0 / (mass * (length * length)) * torque
        w += turn * PENDULUM_DT
        within = _limited(w, fastest)
        angle += (within if clip_first else w) * PENDULUM_DT
        if not (math.isfinite(angle) and math.isfinite(w)):
            diverged = r if diverged < 0 else diverged
            continue
        ticks[r] += 1
        state[r, 0], state[r, 1] = angle, within
        sine, cosine = sincos(angle)
        observations[r, 0], observations[r, 1], observations[r, 2] = cosine, sine, within
        outcomes.rewards[r] = -price
        outcomes.success[r] = abs(_from_upright(angle)) < UPRIGHT_ANGLE and abs(within) < UPRIGHT_SPEED
    return diverged
