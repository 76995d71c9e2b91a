"""A gripper that moves straight to its goal."""

from __future__ import annotations

import numpy as np

from offnominal.core.policy import FunctionPolicy
from offnominal.core.types import Array, FloatArray
from offnominal.worlds.arm.card import STEP


class StraightLine(FunctionPolicy):
    """Moves the gripper of URM-Reach-v0 to its goal: a proportional controller with damping.

    Args:
        gain: Part of the distance to the goal that one action covers.
        lead: Seconds for which the controller extrapolates the motion of the gripper, which lags behind its target.

    Example:
        >>> from offnominal.rollouts import evaluate_policy
        >>> evaluate_policy("URM-Reach-v0", StraightLine(), 50).mean_return > -143
        True
    """

    def __init__(self, gain: float = 0.2, lead: float = 0.05) -> None:
        super().__init__(self._approach)
        self.gain = gain
        self.lead = lead

    def _approach(self, observations: Array) -> Array:
        reported = observations.astype(np.float64)
        position = reported[:, :3] + self.lead * reported[:, 3:6]
        actions: FloatArray = np.zeros((len(reported), 4))
        actions[:, :3] = np.clip(self.gain / STEP * (reported[:, 6:9] - position), -1.0, 1.0)
        return actions
