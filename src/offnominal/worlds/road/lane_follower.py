"""Scripted expert of the lane-keeping world: a cruise control that keeps its distance, and a lane keeper."""

from __future__ import annotations

import numpy as np

from offnominal.core.policy import FunctionPolicy
from offnominal.core.types import Array, FloatArray
from offnominal.worlds.road.card import BRAKE, DRIVE, INCREMENT, MAX_GAP, MAX_SPEED, MAX_STEERING

SPEED, TARGET, HEADING, OFFSET, GAP, APPROACH, THROTTLE, STEERING = 0, 1, 3, 4, 5, 6, 7, 8


class LaneFollower(FunctionPolicy):
    """Drives the car of CAR-LaneKeep-v0.

    Acceleration: proportional to the missing speed. Behind a vehicle it is limited by the constant deceleration that
    stops in time, and by a proportional control of the headway. Steering: proportional to the distance from the lane's
    centre and the angle to the lane. The actions move the commands to these values.

    Args:
        speed_gain: Acceleration per missing speed, 1/s.
        headway: Distance to the vehicle ahead, as the time to drive it, s.
        offset_gain: Steering angle per distance from the lane's centre, rad/m.
        heading_gain: Steering angle per angle to the lane.

    Example:
        >>> from offnominal.rollouts import evaluate_policy
        >>> evaluate_policy("CAR-LaneKeep-v0", LaneFollower(), 50).mean_return > -47.3
        True
    """

    def __init__(
        self, speed_gain: float = 3.0, headway: float = 0.8, offset_gain: float = 0.06, heading_gain: float = 0.5
    ) -> None:
        super().__init__(self._drive)
        self.speed_gain = speed_gain
        self.headway = headway
        self.offset_gain = offset_gain
        self.heading_gain = heading_gain

    def _drive(self, observations: Array) -> Array:
        reported = observations.astype(np.float64)
        pedals = np.clip(self._pedals(self._acceleration(reported), MAX_SPEED * reported[:, SPEED]), -1.0, 1.0)
        angle = -self.offset_gain * reported[:, OFFSET] - self.heading_gain * reported[:, HEADING]
        steering = np.clip(angle / MAX_STEERING, -1.0, 1.0)
        changes = np.stack([pedals - reported[:, THROTTLE], steering - reported[:, STEERING]], axis=1)
        return np.clip(changes / INCREMENT, -1.0, 1.0)

    def _pedals(self, wanted: FloatArray, speed: FloatArray) -> FloatArray:
        """Return the acceleration command for a wanted acceleration at a speed."""
        return np.where(wanted > 0.0, wanted / DRIVE, wanted / BRAKE)

    def _acceleration(self, reported: FloatArray) -> FloatArray:
        """Return the wanted acceleration, m/s²."""
        speed = MAX_SPEED * reported[:, SPEED]
        free = self.speed_gain * (MAX_SPEED * reported[:, TARGET] - speed)
        gap = np.maximum(reported[:, GAP], 0.1)
        approach = np.maximum(-reported[:, APPROACH], 0.0)
        # Stop behind the vehicle ahead with constant deceleration, and keep the headway.
        room = np.maximum(gap - 2.0, 0.1)
        braking = -approach * approach / (2.0 * room)
        keeping = 0.5 * (gap - 3.0 - self.headway * speed) + 1.0 * reported[:, APPROACH]
        limited = np.where(
            reported[:, GAP] < MAX_GAP, np.minimum(np.where(braking < -1.0, braking, np.inf), keeping), np.inf
        )
        return np.minimum(free, limited)
