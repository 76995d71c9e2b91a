"""Scripted expert for the pendulum: energy pumping, then balancing."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.core.checks import require_shape
from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import arctan2
from offnominal.core.policy import Policy
from offnominal.core.types import Array, FloatArray
from offnominal.worlds.classic.card import PENDULUM
from offnominal.worlds.classic.kernel import MAX_TORQUE

GRAVITY, MASS, LENGTH = (physics_parameter.neutral for physics_parameter in PENDULUM.physics_parameters[:3])
INERTIA = MASS * LENGTH * LENGTH / 3.0
# Energy of the upright pendulum; torque per missing joule.
UPRIGHT, PUMP = 0.5 * MASS * GRAVITY * LENGTH, 5.0
# Gains on angle and speed near upright, and the angle below which they apply.
HOLD, DAMP, NEAR = 12.0, 3.0, 0.4


class EnergyPump(Policy):
    """Swings the pendulum of OOD-Pendulum-v0 up and balances it.

    Far from upright it adds energy in the direction of the swing until the energy is that of the upright pendulum; near
    upright it is a proportional-derivative controller. Its mean return is -150.

    Example:
        >>> from offnominal.rollouts import evaluate_policy
        >>> evaluate_policy("OOD-Pendulum-v0", EnergyPump(), 300).mean_return > -160
        True
    """

    def act(self, observations: Array, state: Any) -> tuple[Array, Any]:
        """Return the torque for every row."""
        require_shape("observations", observations, "n", 3)
        torques = np.empty((len(observations), 1))
        _pump_or_hold(observations.astype(np.float64), torques)
        return np.clip(torques, -MAX_TORQUE, MAX_TORQUE), state


@compiled
def _pump_or_hold(seen: FloatArray, out: FloatArray) -> None:
    for i in range(seen.shape[0]):
        cosine, sine, w = seen[i, 0], seen[i, 1], seen[i, 2]
        angle = arctan2(sine, cosine)
        if abs(angle) < NEAR:
            out[i, 0] = -HOLD * angle - DAMP * w
        else:
            missing = UPRIGHT - UPRIGHT * cosine - 0.5 * INERTIA * w * w
            out[i, 0] = PUMP * missing if w >= 0.0 else -PUMP * missing
