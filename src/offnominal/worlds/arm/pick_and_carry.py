"""A gripper that picks a block up and carries it to a goal."""

from __future__ import annotations

import numpy as np

from offnominal.core.policy import FunctionPolicy
from offnominal.core.types import Array, FloatArray
from offnominal.worlds.arm.card import STEP

CLEAR = 0.05
"""Height of the gripper above the block, m, at which the finger tips pass over it."""
ALIGNED = 0.008
"""Horizontal distance from the block, m, within which the open gripper fits around it."""
CENTRED, AROUND = 0.005, 0.015
"""Distances from the block, m, within which the open gripper closes and the closed gripper stays closed."""
HELD = 0.75
"""Gripper opening below which the fingers are at the block."""


class PickAndCarry(FunctionPolicy):
    """Moves the gripper of URM-PnP-v0 over the block, down around it, closes it and carries the block to the goal.

    It has no memory: a block that is lost is picked up again.

    Args:
        gain: Part of the distance that one action covers.
        lead: Seconds for which the controller extrapolates the motion of the gripper, which lags behind its target.

    Example:
        >>> from offnominal.rollouts import evaluate_policy
        >>> evaluate_policy("URM-PnP-v0", PickAndCarry(), 4).success
        1.0
    """

    def __init__(self, gain: float = 0.25, lead: float = 0.08) -> None:
        super().__init__(self._pick_and_carry)
        self.gain = gain
        self.lead = lead

    def _pick_and_carry(self, observations: Array) -> Array:
        reported = observations.astype(np.float64)
        block, gripper, goal = reported[:, :3], reported[:, 7:10], reported[:, 13:16]
        offset = block - gripper
        aside = np.sqrt(np.sum(offset[:, :2] ** 2, axis=1))
        distance = np.sqrt(np.sum(offset**2, axis=1))
        held = (distance < AROUND) & (reported[:, 20] < HELD)
        destination = block.copy()
        destination[:, 2] += np.where(aside < ALIGNED, 0.0, CLEAR)
        way = np.where(held[:, None], goal - block, destination - gripper) - self.lead * reported[:, 10:13]
        actions: FloatArray = np.empty((len(reported), 4))
        actions[:, :3] = np.clip(self.gain / STEP * way, -1.0, 1.0)
        actions[:, 3] = np.where(held | (distance < CENTRED), -1.0, 1.0)
        return actions
