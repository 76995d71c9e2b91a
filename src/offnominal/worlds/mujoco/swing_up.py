"""Scripted expert for cart-pole swing-up: feedback along an optimal trajectory, then balancing."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from offnominal.core.checks import require_shape
from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import sincos
from offnominal.core.policy import Policy
from offnominal.core.types import Array, FloatArray
from offnominal.worlds.mujoco.cartpole_kernel import (
    CONTROL_COST,
    GRAVITY,
    HINGE_INERTIA,
    MAX_ACTION,
    POLE_CENTRE_Z,
    POLE_LENGTH,
    POLE_MASS,
    step_rows,
)
from offnominal.worlds.world import Outcomes

# Forces (100 N, one per 0.04 s) with the largest return from rest: 182.82 in 200 steps, if the pole is balanced
# afterwards. Found by differential dynamic programming on the equations of the world; twelve starts gave the same.
BACKSWING = (3.0, 3.0, 1.19, -0.47, -0.76, -1.11)
PULL = (-2.63, -3.0, -3.0, -3.0, -3.0, -3.0, -3.0)
CATCH = (3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 2.49, 1.38, 0.76, 0.38, 0.05)
SWING = (*BACKSWING, *PULL, *CATCH)
UPRIGHT = np.array([0.0, math.pi, 0.0, 0.0])
BALANCING_STEPS = 300
NUDGE = 1e-5
DECIMALS = 4

# Scales of the distance between states, in m, rad, m/s and rad/s, and the largest squared distance.
SCALES = np.array([1.0, 1.0, 3.0, 10.0])
TOO_FAR = 0.8
# Energy pumping: force per unit of missing energy, target energy (upright has 1), gains on position and velocity.
PUMPING, AIM, CENTRING, BRAKING = 1.5, 1.4, 0.9, 0.4
HANGING_WEIGHT = -POLE_MASS * GRAVITY * POLE_CENTRE_Z


class SwingUp(Policy):
    """Swings the pole of MJC-CartpoleSwingup-v0 up and balances it, by state feedback.

    It has a plan of one trajectory, its mirror image and the upright state. Each state of the plan has a force and the
    gains of a linear-quadratic regulator for the equations of the world, whose cost weighs the distance of the tip and
    the force as the reward does. The policy uses the plan's nearest state. If none is near, as after an impact, it adds
    energy to the pole until one is.

    The policy has no state and is bit-reproducible on every CPU.

    Example:
        >>> from offnominal.rollouts import collect
        >>> episodes = collect("MJC-CartpoleSwingup-v0", SwingUp(), 50)
        >>> min(episode.total_reward for episode in episodes) > 179
        True
    """

    def act(self, observations: Array, state: Any) -> tuple[Array, Any]:
        """Return the force for every row."""
        require_shape("observations", observations, "n", 4)
        forces = np.empty((len(observations), 1))
        _follow(observations.astype(np.float64), *_plan(), forces)
        return np.clip(forces, -MAX_ACTION, MAX_ACTION), state


@compiled
def _follow(
    observations: FloatArray, states: FloatArray, forces: FloatArray, gains: FloatArray, out: FloatArray
) -> None:
    """Write the force of the nearest state, corrected by its gains."""
    for i in range(observations.shape[0]):
        nearest, least = -1, TOO_FAR
        for k in range(states.shape[0]):
            square = 0.0
            for c in range(4):
                apart = _apart(observations[i, c], states[k, c], c == 1) / SCALES[c]
                square += apart * apart
            if square < least:
                nearest, least = k, square
        if nearest < 0:
            out[i, 0] = _pump(observations[i, 0], observations[i, 1], observations[i, 2], observations[i, 3])
            continue
        force = forces[nearest]
        for c in range(4):
            force -= gains[nearest, c] * _apart(observations[i, c], states[nearest, c], c == 1)
        out[i, 0] = force


@compiled
def _apart(value: float, other: float, is_angle: bool) -> float:
    """Return the difference of two numbers, wrapped to [-pi, pi) for angles."""
    apart = value - other
    return apart - 2.0 * math.pi * math.floor(apart / (2.0 * math.pi) + 0.5) if is_angle else apart


@compiled
def _pump(x: float, angle: float, v: float, w: float) -> float:
    """Return a force that adds energy to the pole and keeps the cart near the centre."""
    _, cosine = sincos(angle)
    energy = 0.5 * (0.5 * HINGE_INERTIA * w * w / HANGING_WEIGHT + 1.0 - cosine)
    return PUMPING * (AIM - energy) * math.copysign(1.0, w * cosine) - CENTRING * x - BRAKING * v


class _Plan(NamedTuple):
    """States of the plan, (k, 4), the force at each, (k,), and its feedback gains, (k, 4)."""

    states: FloatArray
    forces: FloatArray
    gains: FloatArray


@cache
def _plan() -> _Plan:
    """Return the trajectory, its mirror image and the upright state."""
    states = [np.zeros(4)]
    for force in SWING:
        states.append(_after(states[-1][None], np.array([force]))[0])
    gains = _gains([*zip(states[:-1], SWING, strict=True), (UPRIGHT, 0.0)])
    # The state at rest is its own mirror image, so the plan starts one step later.
    way, forces, turns = np.array(states[1:-1]), np.array(SWING[1:]), gains[1:-1]
    return _Plan(
        np.vstack([way, -way, UPRIGHT]), np.concatenate([forces, -forces, [0.0]]), np.vstack([turns, turns, gains[-1]])
    )


def _gains(way: list[tuple[FloatArray, float]]) -> FloatArray:
    """Return the regulator's gains at each state and force of a trajectory, whose last state is then held.

    They are rounded, so that the last bit of a linear algebra library does not change the actions.
    """
    models = [(*_linearised(state, force), _weights(state)) for state, force in way]
    value = models[-1][2]
    found = []
    for to_state, to_force, weights in reversed(models + models[-1:] * BALANCING_STEPS):
        gains = to_force @ value @ to_state / (to_force @ value @ to_force + CONTROL_COST)
        value = weights + to_state.T @ value @ (to_state - np.outer(to_force, gains))
        found.append(gains)
    return np.round(found[: -len(way) - 1 : -1], DECIMALS)


def _weights(state: FloatArray) -> FloatArray:
    """Return the quadratic form of the reward around a state, to first order in the tip's position."""
    sine, cosine = math.sin(state[1]), math.cos(state[1])
    square = (state[0] - POLE_LENGTH * sine) ** 2 + (POLE_LENGTH * cosine + POLE_LENGTH) ** 2
    tip = np.array([[1.0, -POLE_LENGTH * cosine, 0.0, 0.0], [0.0, POLE_LENGTH * sine, 0.0, 0.0]])
    weights: FloatArray = tip.T @ tip * math.exp(-square / POLE_LENGTH**2) / POLE_LENGTH**2
    return weights


def _linearised(state: FloatArray, force: float) -> tuple[FloatArray, FloatArray]:
    """Return how the next state changes with the state, (4, 4), and with the force, (4,)."""
    force = min(max(force, NUDGE - MAX_ACTION), MAX_ACTION - NUDGE)  # there is no gradient beyond the limit
    nudges = NUDGE * np.vstack([np.eye(5), -np.eye(5)])
    after = _after(state + nudges[:, :4], force + nudges[:, 4])
    slopes = (after[:5] - after[5:]).T / (2.0 * NUDGE)
    return slopes[:, :4], slopes[:, 4]


def _after(states: FloatArray, forces: FloatArray) -> FloatArray:
    """Return the next states of the world after states, (n, 4), and forces, (n,)."""
    n = len(states)
    positions, velocities = states[:, :2].copy(), states[:, 2:].copy()
    nominal = np.tile([1.0, 0.0, 0.0], (n, 1))
    unused = Outcomes(
        observations=np.empty((n, 4), np.float32),
        rewards=np.empty(n),
        terminated=np.empty(n, np.bool_),
        success=np.empty(n, np.bool_),
        critical=np.empty(n, np.bool_),
        cost=np.empty(n),
    )
    ticks = np.zeros(n, np.int64)
    step_rows(np.arange(n), forces[:, None], False, nominal, ticks, positions, velocities, unused)
    return np.hstack([positions, velocities])
