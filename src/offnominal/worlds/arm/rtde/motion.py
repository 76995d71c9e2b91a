"""Motions of a controller: each gives joint angles as a function of time."""

from __future__ import annotations

import math
from collections import deque
from typing import Protocol

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray
from offnominal.worlds.arm.kinematics import pose_matrix, rotation_vector, solve, solve_vector

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

    def steps(self, dt: float, cycles: int) -> FloatArray:
        """Return the joint angles of the next cycles, (cycles, 6)."""
        joints, start = np.empty((cycles, 6)), 0
        for cycle in range(cycles):
            self._time += dt
            if self._waiting and self._waiting[0][0] <= self._time + 1e-9:
                self._smooth(dt, joints[start:cycle])
                start = cycle
                while self._waiting and self._waiting[0][0] <= self._time + 1e-9:
                    _, self._goal, self._lag = self._waiting.popleft()
        self._smooth(dt, joints[start:])
        return joints

    def _smooth(self, dt: float, joints: FloatArray) -> None:
        if len(joints):
            _two_lags(self._goal, dt / (dt + self._lag), self._first, self._second, joints)


@compiled
def _two_lags(goal: FloatArray, part: float, first: FloatArray, second: FloatArray, joints: FloatArray) -> None:
    """Update two lags in series towards a goal, once per row of the output, and write the second one."""
    for cycle in range(joints.shape[0]):
        for joint in range(6):
            first[joint] += (goal[joint] - first[joint]) * part
            second[joint] += (first[joint] - second[joint]) * part
            joints[cycle, joint] = second[joint]


@compiled
def hold_if_too_fast(before: FloatArray, targets: FloatArray, dt: float, limits: FloatArray) -> float:
    """Return the speed of the fastest joint in the first cycle with one above its limit, rad/s; 0 if none is.

    The targets from that cycle on are replaced by the one before it.

    Args:
        before: (6,): target of the last cycle.
        targets: (cycles, 6): targets of the next cycles; updated.
        dt: Duration of a cycle, s.
        limits: (6,): limits of the joints' speeds, rad/s.
    """
    for cycle in range(targets.shape[0]):
        last = before if cycle == 0 else targets[cycle - 1]
        fastest, too_fast = 0.0, False
        for joint in range(6):
            speed = abs((targets[cycle, joint] - last[joint]) / dt)
            fastest, too_fast = max(fastest, speed), too_fast or speed > limits[joint]
        if too_fast:
            for held in range(cycle, targets.shape[0]):
                for joint in range(6):
                    targets[held, joint] = last[joint]
            return fastest
    return 0.0


def reach(pose: FloatArray, q: FloatArray, tool: float) -> FloatArray:
    """Return the joint angles near the given ones that reach a pose, or raise :class:`Unreachable`.

    Args:
        pose: Finite 4 x 4 matrix, or finite position and rotation vector.
        q: Joint angles to start from.
        tool: Distance from the flange to the TCP, m.
    """
    joints = q.copy()
    if pose.ndim == 1:
        error, position = solve_vector(pose, tool, ITERATIONS, joints), pose[:3]
    else:
        error, position = solve(pose, tool, ITERATIONS, joints), pose[:3, 3]
    if not error < REACHED:
        raise Unreachable(f"no joint angles reach the TCP position {position.round(4).tolist()} from here")
    return joints
