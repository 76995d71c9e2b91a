"""Limits that a client checks before it sends a motion."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from offnominal.core.checks import number_in, numeric_array
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import FloatArray
from offnominal.worlds.arm.errors import TargetOutOfLimits
from offnominal.worlds.arm.kinematics import all_finite, angle_between, forward

TOLERANCE = 1e-9
PATH_SAMPLES = 50

Corner = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class MotionLimits:
    """Limits of every motion. A client raises :class:`TargetOutOfLimits` and sends nothing if one is exceeded.

    Attributes:
        low: Lower corner of the box for TCP targets, m, in the frame of the base.
        high: Upper corner of that box.
        travel_low: Lower corner of the larger box that the TCP does not leave on its way.
        travel_high: Upper corner of the larger box.
        max_step: Longest way from one servo target to the next, m.
        max_turn: Largest rotation from one servo target to the next, rad.
        max_lag: Largest distance between the actual TCP and a servo target, m.
        max_servo_speed: Highest speed of servo targets, m/s.
        max_speed: Highest speed of the TCP in moveL, m/s.
        max_acceleration: Highest acceleration of the TCP in moveL, m/s².
        max_joint_speed: Highest speed of a joint in moveJ, rad/s.
        max_joint_acceleration: Highest acceleration of a joint in moveJ, rad/s².

    Example:
        >>> MotionLimits().check_pose([0.5, -0.3, 0.3, 0.0, 3.14, 0.0])
        Traceback (most recent call last):
            ...
        offnominal.worlds.arm.errors.TargetOutOfLimits: the target x is 0.5000 m; the box allows -0.2000 to 0.3000 m.
    """

    low: Corner = (-0.2, -0.4, 0.175)
    high: Corner = (0.3, -0.2, 0.375)
    travel_low: Corner = (-0.45, -0.5, 0.1)
    travel_high: Corner = (0.45, 0.1, 0.6)
    max_step: float = 0.02
    max_turn: float = 0.1
    max_lag: float = 0.1
    max_servo_speed: float = 0.5
    max_speed: float = 0.25
    max_acceleration: float = 1.2
    max_joint_speed: float = 1.05
    max_joint_acceleration: float = 1.4

    def __post_init__(self) -> None:
        """Raise :class:`InvalidParameter` if a limit is no number or a box is empty."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name.startswith("max"):
                number_in(field.name, value, 0.0)
            elif not isinstance(value, tuple) or len(value) != 3:
                raise InvalidParameter(f"{field.name} is {shown(value)}; expected a tuple of three numbers.")
        for low, high in (("low", "high"), ("travel_low", "travel_high")):
            for least, most in zip(getattr(self, low), getattr(self, high), strict=True):
                number_in(high, most, number_in(low, least))

    def check_pose(self, pose: ArrayLike) -> FloatArray:
        """Return a target pose (position and rotation vector) that is finite and inside the box."""
        numbers = six_numbers("a target pose", pose)
        _check_box(numbers[:3], self.low, self.high, "the target", "the box")
        return numbers

    def check_servo(self, pose: ArrayLike, last: FloatArray, actual: FloatArray, period: float) -> FloatArray:
        """Return a servo target that is near the last one and near the arm.

        Args:
            pose: Target pose.
            last: Target before it, or the actual pose at the start.
            actual: Actual pose.
            period: Time until the next target, s.
        """
        target = self.check_pose(pose)
        step, turn, lag = _servo_distances(target, last, actual)
        _check("the step to the servo target", step, self.max_step, "m")
        _check("the rotation to the servo target", turn, self.max_turn, "rad")
        _check("the speed to the servo target", step / period, self.max_servo_speed, "m/s")
        _check("the distance of the servo target from the arm", lag, self.max_lag, "m")
        return target

    def check_linear(self, pose: ArrayLike, actual: FloatArray, speed: float, acceleration: float) -> FloatArray:
        """Return the target of a straight line whose start is inside the larger box."""
        target = self.check_pose(pose)
        _check_rate("the speed of moveL", speed, self.max_speed, "m/s")
        _check_rate("the acceleration of moveL", acceleration, self.max_acceleration, "m/s²")
        _check_box(actual[:3], self.travel_low, self.travel_high, "the TCP", "the box for travel")
        return target

    def check_joints(
        self, q: ArrayLike, actual: FloatArray, speed: float, acceleration: float, tool: float
    ) -> FloatArray:
        """Return target joint angles whose TCP is inside the box and whose way is inside the larger one."""
        target = six_numbers("target joint angles", q)
        _check("the largest joint angle", float(np.abs(target).max()), 2.0 * np.pi, "rad")
        _check_rate("the speed of moveJ", speed, self.max_joint_speed, "rad/s")
        _check_rate("the acceleration of moveJ", acceleration, self.max_joint_acceleration, "rad/s²")
        self.check_pose([*forward(target, tool)[:3, 3], 0.0, 0.0, 0.0])
        for part in np.linspace(0.0, 1.0, PATH_SAMPLES):
            point = forward(actual + part * (target - actual), tool)[:3, 3]
            _check_box(point, self.travel_low, self.travel_high, "the way of moveJ", "the box for travel")
        return target


def compile_checks() -> None:
    """Compile the checks now, so that no motion waits for it."""
    zeros = np.zeros(6)
    _servo_distances(zeros, zeros, zeros)
    forward(zeros)


def six_numbers(name: str, values: ArrayLike) -> FloatArray:
    """Return six finite numbers, or raise :class:`TargetOutOfLimits`."""
    try:
        numbers = np.array(numeric_array(name, values), np.float64)
    except InvalidParameter:
        raise TargetOutOfLimits(f"{name} is not made of numbers; expected six.") from None
    if numbers.shape != (6,) or not all_finite(numbers):
        raise TargetOutOfLimits(f"{name} is {np.array2string(numbers, threshold=6)}; expected six finite numbers.")
    return numbers


def distance(first: FloatArray, second: FloatArray) -> float:
    """Return the distance between the positions of two poses, m."""
    return float(np.linalg.norm(first[:3] - second[:3]))


def _servo_distances(target: FloatArray, last: FloatArray, actual: FloatArray) -> tuple[float, float, float]:
    """Return step and rotation from the last servo target to the next, and the distance of the next from the arm."""
    step, lag = 0.0, 0.0
    for axis in range(3):
        step += (target[axis] - last[axis]) ** 2
        lag += (target[axis] - actual[axis]) ** 2
    return math.sqrt(step), angle_between(target, last), math.sqrt(lag)


def _check_box(point: FloatArray, low: Corner, high: Corner, what: str, box: str) -> None:
    for axis, value, least, most in zip("xyz", point.tolist(), low, high, strict=True):
        if not least - TOLERANCE <= value <= most + TOLERANCE:
            raise TargetOutOfLimits(f"{what} {axis} is {value:.4f} m; {box} allows {least:.4f} to {most:.4f} m.")


def _check(what: str, value: float, most: float, unit: str) -> None:
    if not value <= most + TOLERANCE:
        raise TargetOutOfLimits(f"{what} is {value:.4g} {unit}; the limit is {most:g} {unit}.")


def _check_rate(what: str, value: float, most: float, unit: str) -> None:
    if not isinstance(value, Real) or not 0.0 < value <= most + TOLERANCE:
        raise TargetOutOfLimits(f"{what} is {shown(value)} {unit}; expected a number in (0, {most:g}] {unit}.")
