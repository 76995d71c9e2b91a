"""The simulated arm of URM-Reach behind a virtual controller."""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from offnominal.core.errors import SimulationDiverged
from offnominal.core.types import FloatArray
from offnominal.worlds.arm.kinematics import forward, pose_vector
from offnominal.worlds.arm.model import load_model
from offnominal.worlds.arm.rtde.backend import HOME

MAX_TIMESTEP = 0.005
"""Longest time step of the physics, s; that of URM-Reach."""
ARM = slice(0, 6)


class MujocoBackend:
    """The arm of URM-Reach with its masses, position servos and torque limits.

    The velocity of the target is fed forward, so that the damping of the servos causes no lag.

    Args:
        tool: Distance from the flange to the TCP, m.

    Example:
        >>> arm = MujocoBackend()
        >>> arm.set_target(np.add(HOME, [0.1, 0.0, 0.0, 0.0, 0.0, 0.0]))
        >>> for _ in range(125):
        ...     arm.step(0.008)
        >>> bool(abs(arm.joint_positions[0] - HOME[0] - 0.1) < 1e-3)
        True
    """

    def __init__(self, *, tool: float = 0.0) -> None:
        self.tool = tool
        self.model = load_model("reach")
        self.data = mujoco.MjData(self.model)
        damping = self.model.dof_damping[ARM] - self.model.actuator_biasprm[ARM, 2]
        self._lead = damping / self.model.actuator_gainprm[ARM, 0]
        self.reset(HOME)

    @property
    def joint_positions(self) -> FloatArray:
        """Angles of the joints, rad."""
        return np.array(self.data.qpos[ARM])

    @property
    def joint_velocities(self) -> FloatArray:
        """Velocities of the joints, rad/s."""
        return np.array(self.data.qvel[ARM])

    @property
    def tcp_pose(self) -> FloatArray:
        """Position and rotation vector of the TCP."""
        return pose_vector(forward(self.joint_positions, self.tool))

    def reset(self, q: ArrayLike) -> None:
        """Place the arm at rest at some joint angles."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[ARM] = q
        self._target = np.array(q, np.float64)
        self._next = self._target

    def set_target(self, q: FloatArray) -> None:
        """Set the joint angles that the servos hold."""
        self._next = q.copy()

    def step(self, dt: float) -> None:
        """Simulate some seconds, in equal time steps of at most 5 ms."""
        velocity = (self._next - self._target) / dt
        self._target = self._next
        self.data.ctrl[ARM] = self._target + self._lead * velocity
        substeps = math.ceil(dt / MAX_TIMESTEP - 1e-9)
        self.model.opt.timestep = dt / substeps
        mujoco.mj_step(self.model, self.data, substeps)
        if not np.isfinite(self.data.qpos).all():
            raise SimulationDiverged("the arm of the virtual controller became unstable; reset it.")
