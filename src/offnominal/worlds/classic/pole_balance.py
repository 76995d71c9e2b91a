"""Scripted expert for CartPole: a linear regulator."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.core.checks import require_shape
from offnominal.core.policy import Policy
from offnominal.core.types import Array

# Gains on position, velocity, angle and angular velocity; the push is the sign of the weighted sum.
WEIGHTS = (0.05, 0.1, 1.0, 0.25)


class PoleBalance(Policy):
    """Balances the pole of OOD-CartPole-v0: pushes right if a weighted sum of the observation is positive, else left.

    Example:
        >>> from offnominal.rollouts import evaluate_policy
        >>> evaluate_policy("OOD-CartPole-v0", PoleBalance(), 50).mean_return
        200.0
    """

    def act(self, observations: Array, state: Any) -> tuple[Array, Any]:
        """Return 1 for a push to the right, 0 for one to the left."""
        require_shape("observations", observations, "n", 4)
        leaning = np.zeros(len(observations))
        for weight, channel in zip(WEIGHTS, observations.T, strict=True):
            leaning += weight * channel.astype(np.float64)
        return (leaning > 0.0).astype(np.int64), state
