"""Motions of a controller: each gives joint angles as a function of time."""

from __future__ import annotations

import math
from collections import deque
from typing import Protocol

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.worlds.arm.kinematics import pose_matrix, rotation_vector, solve

ITERATIONS = 50
REACHED = 1e-12
"""Squared error of the inverse kinematics, m², below which a pose counts as reached."""


class Unreachable(Exception):
    """A pose that no joint angles near the present ones reach."""


class Motion(Protocol):
    """A motion from the present joint angles."""

    duration: float

    def joints(self, time: float) -> FloatArray:
        """Return the joint angles at a time since the start, s."""


class Trapezoid:
    """Distance along a path with limited speed and acceleration, from rest to rest.

    Example:
        >>> profile = Trapezoid(1.0, 0.5, 1.0)
        >>> profile.duration, profile.at(profile.duration), profile.at(profile.duration / 2)
        (2.5, 1.0, 0.5)
    """

    def __init__(self, distance: float, speed: float, acceleration: float) -> None:
        self.distance = distance
        self.acceleration = acceleration
        self.speed = min(speed, math.sqrt(distance * acceleration)) if distance > 0.0 else speed
        self.ramp = self.speed / acceleration
        self.duration = distance / self.speed + self.ramp if distance > 0.0 else 0.0

    def at(self, time: float) -> float:
        """Return the distance covered after a time, s."""
        time = min(max(time, 0.0), self.duration)
        rest = self.duration - time
        if time < self.ramp:
            return 0.5 * self.acceleration * time * time
        if rest < self.ramp:
            return self.distance - 0.5 * self.acceleration * rest * rest
        return self.speed * (time - 0.5 * self.ramp)


class JointMotion:
    """A straight line between joint angles (moveJ); the joint with the longest way sets the pace."""

    def __init__(self, start: FloatArray, end: FloatArray, speed: float, acceleration: float) -> None:
        self.start, self.way = start.copy(), end - start
        self.profile = Trapezoid(float(np.abs(self.way).max()), speed, acceleration)
        self.duration = self.profile.duration

    def joints(self, time: float) -> FloatArray:
        """Return the joint angles at a time since the start, s."""
        if self.duration == 0.0:
            return self.start
        return self.start + self.way * (self.profile.at(time) / self.profile.distance)


class LinearMotion:
    """A straight line of the TCP (moveL), with inverse kinematics on the way.

    Args:
        q: Joint angles at the start.
        start: Pose at the start, 4 x 4 matrix.
        end: Position and rotation vector at the end.
        tool: Distance from the flange to the TCP, m.
        speed: Of the TCP, m/s, or of the rotation, rad/s, if it only turns.
        acceleration: In the same unit per second.
    """

    def __init__(
        self, q: FloatArray, start: FloatArray, end: FloatArray, tool: float, speed: float, acceleration: float
    ) -> None:
        self.q, self.start, self.tool = q.copy(), start, tool
        goal = pose_matrix(end)
        self.way = goal[:3, 3] - start[:3, 3]
        self.turn = np.array(rotation_vector(np.ascontiguousarray(goal[:3, :3] @ start[:3, :3].T)))
        length, angle = float(np.sqrt(self.way @ self.way)), float(np.sqrt(self.turn @ self.turn))
        self.profile = Trapezoid(length if length > 1e-6 else angle, speed, acceleration)
        self.duration = self.profile.duration

    def joints(self, time: float) -> FloatArray:
        """Return the joint angles at a time since the start, s, or raise :class:`Unreachable`."""
        part = self.profile.at(time) / self.profile.distance if self.duration else 1.0
        pose = pose_matrix([0.0, 0.0, 0.0, *(self.turn * part)])
        pose[:3, :3] = pose[:3, :3] @ self.start[:3, :3]
        pose[:3, 3] = self.start[:3, 3] + self.way * part
        self.q = reach(pose, self.q, self.tool)
        return self.q


class StopMotion:
    """A stop with constant deceleration of the fastest joint; the others stop at the same time."""

    def __init__(self, q: FloatArray, qd: FloatArray, deceleration: float) -> None:
        self.q, self.qd = q.copy(), qd.copy()
        self.duration = float(np.abs(qd).max()) / deceleration

    def joints(self, time: float) -> FloatArray:
        """Return the joint angles at a time since the start, s."""
        if self.duration == 0.0:
            return self.q
        time = min(time, self.duration)
        return self.q + self.qd * (time - 0.5 * time * time / self.duration)


class ServoTracker:
    """Joint angles that follow servo commands.

    A command takes effect after its pure delay (`time` of servoL). A second-order filter then smooths it: two equal
    first-order lags of half its lookahead time each. This is a model; how a real controller smooths is not published.
    """

    def __init__(self, q: FloatArray) -> None:
        self._waiting: deque[tuple[float, FloatArray, float]] = deque()
        self._goal, self._first, self._second = q.copy(), q.copy(), q.copy()
        self._lag = 0.03
        self._time = 0.0

    def command(self, q: FloatArray, delay: float, lookahead: float) -> None:
        """Set a new goal that takes effect after a delay, s."""
        self._waiting.append((self._time + delay, q, 0.5 * lookahead))

    def step(self, dt: float) -> FloatArray:
        """Return the joint angles one cycle later."""
        self._time += dt
        while self._waiting and self._waiting[0][0] <= self._time + 1e-9:
            _, self._goal, self._lag = self._waiting.popleft()
        part = dt / (dt + self._lag)
        self._first = self._first + (self._goal - self._first) * part
        self._second = self._second + (self._first - self._second) * part
        return self._second


def reach(pose: FloatArray, q: FloatArray, tool: float) -> FloatArray:
    """Return the joint angles near the given ones that reach a pose (4 x 4 matrix), or raise :class:`Unreachable`."""
    joints = q.copy()
    if not (np.isfinite(pose).all() and solve(pose, tool, ITERATIONS, joints) < REACHED):
        raise Unreachable(f"no joint angles reach the TCP position {pose[:3, 3].round(4).tolist()} from here")
    return joints
