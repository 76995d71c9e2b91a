"""The simulated arm of URM-Reach behind a virtual controller."""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from offnominal.core.compilation import compiled
from offnominal.core.errors import SimulationDiverged
from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.arm.kinematics import tcp_vector
from offnominal.worlds.arm.model import load_model
from offnominal.worlds.arm.rtde.backend import HOME
from offnominal.worlds.mujoco.batched_world import FATAL

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
        >>> target = np.add(HOME, [0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
        >>> arm.follow(np.tile(target, (125, 1)), 0.008)
        >>> bool(abs(arm.joint_positions[0] - HOME[0] - 0.1) < 1e-3)
        True
    """

    def __init__(self, *, tool: float = 0.0) -> None:
        self.tool = tool
        self.model = load_model("reach")
        self.data = mujoco.MjData(self.model)
        damping = self.model.dof_damping[ARM] - self.model.actuator_biasprm[ARM, 2]
        self._lead = damping / self.model.actuator_gainprm[ARM, 0]
        self._qpos: FloatArray = self.data.qpos[ARM]
        self._qvel: FloatArray = self.data.qvel[ARM]
        self._ctrl: FloatArray = self.data.ctrl[ARM]
        self._warnings: IntArray = self.data.warning.number
        self._dt, self._substeps = 0.0, 0
        self.reset(HOME)

    @property
    def joint_positions(self) -> FloatArray:
        """Angles of the joints, rad."""
        return self._qpos.copy()

    @property
    def joint_velocities(self) -> FloatArray:
        """Velocities of the joints, rad/s."""
        return self._qvel.copy()

    @property
    def tcp_pose(self) -> FloatArray:
        """Position and rotation vector of the TCP."""
        return tcp_vector(self._qpos, self.tool)

    def reset(self, q: ArrayLike) -> None:
        """Place the arm at rest at some joint angles."""
        mujoco.mj_resetData(self.model, self.data)
        self._qpos[:] = q
        self._target = np.array(q, np.float64)

    def follow(self, targets: FloatArray, dt: float) -> None:
        """Simulate one cycle per target, in equal time steps of at most 5 ms."""
        if dt != self._dt:
            self._dt, self._substeps = dt, math.ceil(dt / MAX_TIMESTEP - 1e-9)
            self.model.opt.timestep = dt / self._substeps
        commands = np.empty_like(targets)
        _lead_targets(self._target, targets, dt, self._lead, commands)
        self._target = targets[-1].copy()
        model, data, ctrl, substeps = self.model, self.data, self._ctrl, self._substeps
        for command in commands:
            ctrl[:] = command
            mujoco.mj_step(model, data, substeps)
        if np.count_nonzero(self._warnings) and self._warnings[FATAL].any():
            raise SimulationDiverged("the arm of the virtual controller became unstable; reset it.")


@compiled
def _lead_targets(before: FloatArray, targets: FloatArray, dt: float, lead: FloatArray, commands: FloatArray) -> None:
    """Write the commands of the servos: each target and a lead in proportion to its velocity."""
    for cycle in range(targets.shape[0]):
        for joint in range(6):
            last = before[joint] if cycle == 0 else targets[cycle - 1, joint]
            commands[cycle, joint] = targets[cycle, joint] + lead[joint] * ((targets[cycle, joint] - last) / dt)
