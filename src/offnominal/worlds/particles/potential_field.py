"""Scripted expert for the particle worlds: a potential field."""

from __future__ import annotations

import numpy as np

from offnominal.core.policy import FunctionPolicy
from offnominal.core.types import Array

_ANGLES = np.deg2rad(45.0 * np.arange(8))
_DIRECTIONS = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)


class PotentialField(FunctionPolicy):
    """Steers a particle to its goal: attracted by the goal, repelled by obstacles of the lidar, and around them.

    Args:
        repulsion: Thrust away from near obstacles.
        detour: Thrust sideways around obstacles, on the side of the goal.
        sharpness: Exponent of the lidar intensity; larger values limit the effect to near obstacles.
        braking: Thrust against the velocity.

    Example:
        >>> from offnominal.rollouts import collect
        >>> episodes = collect("SAP-Goal0-v0", PotentialField(), 50)
        >>> sum(episode.success for episode in episodes) >= 48
        True
    """

    def __init__(
        self, repulsion: float = 2.0, detour: float = 3.0, sharpness: float = 4.0, braking: float = 0.0
    ) -> None:
        super().__init__(self._steer)
        self.repulsion = repulsion
        self.detour = detour
        self.sharpness = sharpness
        self.braking = braking

    def _steer(self, observations: Array) -> Array:
        values = observations.astype(np.float64)
        to_goal = _unit(values[:, :2])
        thrust = to_goal - self.braking * values[:, 6:8]
        for lidar in (values[:, 10:18], values[:, 18:26]):
            away = -np.sum(np.maximum(lidar, 0.0)[:, :, None] ** self.sharpness * _DIRECTIONS, axis=1)
            sideways = np.stack([-away[:, 1], away[:, 0]], axis=1)
            turn = np.sign(away[:, 0] * to_goal[:, 1] - away[:, 1] * to_goal[:, 0])
            thrust += self.repulsion * away + self.detour * turn[:, None] * sideways
        return np.clip(thrust, -1.0, 1.0)


def _unit(vectors: Array) -> Array:
    lengths = np.sqrt(np.sum(vectors**2, axis=1, keepdims=True))
    unit: Array = vectors / np.maximum(lengths, 1e-9)
    return unit
