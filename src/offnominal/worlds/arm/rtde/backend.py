"""The arm behind a virtual controller: an interface, and an arm without mass."""

from __future__ import annotations

import math
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from offnominal.core.checks import require_shape
from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray
from offnominal.worlds.arm.kinematics import tcp_vector

HOME = (0.5 * math.pi, -0.5 * math.pi, 0.5 * math.pi, -0.5 * math.pi, -0.5 * math.pi, 0.0)
"""Joint angles at the start, rad: the arm points along the negative y axis with the flange downwards."""


@runtime_checkable
class ArmBackend(Protocol):
    """An arm with position servos at its six joints.

    Angles are in radians and poses are metres and rotation vectors in the frame of the robot's base.
    """

    tool: float
    """Distance from the flange to the tool centre point (TCP), m."""

    @property
    def joint_positions(self) -> FloatArray:
        """Angles of the joints, rad."""

    @property
    def joint_velocities(self) -> FloatArray:
        """Velocities of the joints, rad/s."""

    @property
    def tcp_pose(self) -> FloatArray:
        """Position and rotation vector of the TCP."""

    def reset(self, q: ArrayLike) -> None:
        """Place the arm at rest at some joint angles, without a trace of what happened before."""

    def follow(self, targets: FloatArray, dt: float) -> None:
        """Simulate one cycle per target.

        Args:
            targets: (cycles, 6): joint angles that the servos hold in each cycle, rad.
            dt: Duration of a cycle, s.
        """


class KinematicBackend:
    """An arm without mass: each joint follows its target with a first-order lag.

    Args:
        tool: Distance from the flange to the TCP, m.
        time_constant: Lag of the joints, s.
    """

    def __init__(self, *, tool: float = 0.0, time_constant: float = 0.01) -> None:
        self.tool = tool
        self.time_constant = time_constant
        self.reset(HOME)

    @property
    def joint_positions(self) -> FloatArray:
        """Angles of the joints, rad."""
        return self._q

    @property
    def joint_velocities(self) -> FloatArray:
        """Velocities of the joints, rad/s."""
        return self._qd

    @property
    def tcp_pose(self) -> FloatArray:
        """Position and rotation vector of the TCP."""
        return tcp_vector(self._q, self.tool)

    def reset(self, q: ArrayLike) -> None:
        """Place the arm at rest at some joint angles."""
        self._q, self._qd = np.array(q, np.float64), np.zeros(6)

    def follow(self, targets: FloatArray, dt: float) -> None:
        """Simulate one cycle per target with the implicit Euler method."""
        require_shape("targets", targets, "cycles", 6)
        self._q, self._qd = self._q.copy(), self._qd.copy()
        _lag(targets, dt, dt / (dt + self.time_constant), self._q, self._qd)


@compiled
def _lag(targets: FloatArray, dt: float, part: float, q: FloatArray, qd: FloatArray) -> None:
    """Move joints by a part of the way to their target in each cycle."""
    for cycle in range(targets.shape[0]):
        for joint in range(6):
            moved = (targets[cycle, joint] - q[joint]) * part
            qd[joint] = moved / dt
            q[joint] += moved
