"""A cheetah that runs by a rhythm."""

from __future__ import annotations

import math

import numpy as np

from offnominal.agents.policy import Policy
from offnominal.core.types import Array, IntArray
from offnominal.worlds.mujoco.card import CARDS

STEP = CARDS["MJC-HalfCheetah-v0"].dt
# Back thigh, shin and foot, then front: found by random search (cross-entropy, then CMA-ES; 20,000 episodes), rounded.
OFFSET = np.array([-0.7, -1.5, -0.9, -1.2, -0.8, -0.4])
SWING = np.array([1.6, -0.2, -0.3, 0.8, 1.0, 0.1])
PHASE = np.array([1.1, -1.3, 2.0, -3.2, -2.2, 1.3])


class Gait(Policy):
    """Runs MJC-HalfCheetah-v0 by a central pattern generator: a clock, a sine per joint, and a spring that follows it.

    It looks at the joints only. On average it earns 662 (the published expert: 2619): an honest trot of 4 m/s, to
    compare with and to look at.

    Args:
        frequency: Strides per second.
        stiffness: Action per radian between a joint and where it should be.

    Example:
        >>> from offnominal.rollouts import evaluate_policy
        >>> evaluate_policy("MJC-HalfCheetah-v0", Gait(), 20).mean_return > 500
        True
    """

    def __init__(self, frequency: float = 3.6, stiffness: float = 1.0) -> None:
        self.frequency = frequency
        self.stiffness = stiffness

    def start(self, seeds: IntArray, episodes: IntArray) -> int:
        """Set the clock to zero."""
        return 0

    def act(self, observations: Array, state: int | None) -> tuple[Array, int]:
        """Pull every joint to where the rhythm wants it, and advance the clock."""
        clock: int = self.begun(observations, state)
        angles = observations[:, 3:9].astype(np.float64)
        rhythm = OFFSET + SWING * np.sin(2.0 * math.pi * self.frequency * STEP * clock + PHASE)
        return np.clip(self.stiffness * (rhythm - angles), -1.0, 1.0), clock + 1
