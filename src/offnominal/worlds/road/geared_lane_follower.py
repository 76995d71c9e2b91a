"""Scripted expert of the lane-keeping world with gears."""

from __future__ import annotations

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.worlds.road import drive_train
from offnominal.worlds.road.lane_follower import LaneFollower
from offnominal.worlds.road.vehicle import MASS


class GearedLaneFollower(LaneFollower):
    """Drives the car of CAR-LaneKeep-v1: the same controller with pedals for its engine.

    The gear is not observed. It is taken for the one in which a car that gets faster has this speed; the control of the
    speed corrects what that is wrong by.

    Example:
        >>> from offnominal.rollouts import evaluate_policy
        >>> evaluate_policy("CAR-LaneKeep-v1", GearedLaneFollower(), 50).mean_return > -60.0
        True
    """

    def _pedals(self, wanted: FloatArray, speed: FloatArray) -> FloatArray:
        ratio = drive_train.RATIOS[np.searchsorted(drive_train.UP / drive_train.RATIOS[:-1], speed)]
        engine = ratio * speed
        force = wanted * (MASS + drive_train.ENGINE_INERTIA * ratio**2) + drive_train.WHEEL_DAMPING * speed
        force += drive_train.DRAG * speed**2
        full = _torques(engine) - drive_train.DAMPING_FULL * engine
        idle = -drive_train.DAMPING_IDLE * engine
        throttle = (force / ratio - idle) / (full - idle)
        return np.where(throttle >= 0.0, throttle, (force - ratio * idle) / drive_train.BRAKE_FORCE)


def _torques(engine: FloatArray) -> FloatArray:
    """Return the torque at full throttle at each angular speed of the engine."""
    speeds = [0.0, drive_train.PEAK, drive_train.LAST]
    return np.interp(engine, speeds, [drive_train.IDLE_TORQUE, drive_train.PEAK_TORQUE, drive_train.LAST_TORQUE])
