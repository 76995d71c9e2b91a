"""What the arm worlds share: a batch of simulated arms that follow targets of their grippers."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from offnominal.core.streams import stream_keys
from offnominal.core.types import Array, FloatArray, Frames, IntArray
from offnominal.worlds.arm.card import BASE_HEIGHT, MAX_STEP, STEP, TOOL
from offnominal.worlds.arm.kernel import draw_goals, joints_of_reports, move_goals, move_targets
from offnominal.worlds.arm.kinematics import forward
from offnominal.worlds.arm.model import Task, load_model
from offnominal.worlds.camera import Camera, DrawnCamera
from offnominal.worlds.mujoco.batched_world import BatchedMujocoWorld
from offnominal.worlds.world_card import WorldCard

if TYPE_CHECKING:
    from offnominal.worlds.mujoco.render import CameraView, Renderer

START = np.array([0.5, -0.5, 0.5, -0.5, -0.5, 0.0]) * math.pi
"""Joint angles at the start of every episode."""
ARM = slice(0, 6)
PAYLOAD_RADIUS = 0.04
_START_POSE = forward(START, TOOL)
START_POSITION = np.array([-_START_POSE[0, 3], -_START_POSE[1, 3], _START_POSE[2, 3] + BASE_HEIGHT])
"""Position of the TCP at the start of every episode, in the frame of the table."""


class ArmWorld(BatchedMujocoWorld):
    """N simulations of the arm, each with its own physics.

    An action displaces the target of the tool centre point (TCP). Damped-least-squares inverse kinematics turns the
    target into joint angles, with the gripper pointing down, and the joints' position servos follow them.

    Args:
        n: Number of rows.
        threads: See :class:`BatchedMujocoWorld`.
    """

    card: WorldCard
    task: ClassVar[Task]

    def __init__(self, n: int, *, threads: int | None = None) -> None:
        super().__init__(load_model(self.task), n, action_limit=1.0, threads=threads)
        self._payload = self.model.body("payload").id
        self._targets = np.zeros((n, 3))
        self._joints = np.zeros((n, 6))
        self._goals = np.zeros((n, 3))
        self._directions = np.ones(n)
        self._keys = np.zeros(n, np.uint64)
        self._renderer: Renderer | None = None

    @abstractmethod
    def _start(self, rows: IntArray) -> None:
        """Place what is not the arm at the start of new episodes, and write their observations."""

    @abstractmethod
    def _write_outcomes(self, rows: IntArray, actions: FloatArray) -> None:
        """Write observations, rewards and outcomes after a step."""

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start new episodes with nominal physics, the arm at rest in its start pose."""
        self._reset_simulations(rows, seeds)
        self._qpos[rows, ARM], self._qvel[rows] = START, 0.0
        self._joints[rows], self._targets[rows] = START, START_POSITION
        self._ctrl[rows], self._ctrl[rows, ARM] = 0.0, START
        self._keys[rows] = stream_keys(seeds, episodes, "reset")
        self._directions[rows] = 1.0
        draw_goals(rows, self._keys, self._goals)
        self._start(rows)

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Displace the target and let the arm follow it for 0.04 s."""
        executed = self.executed(actions)
        stepped = self._all if rows is None else rows
        move_targets(stepped, executed, self._settings["robot_speed"], self._targets, self._joints, self._ctrl)
        move_goals(stepped, self._settings["moving_goal"], self._goals, self._directions)
        self._command_gripper(stepped, executed)
        self._simulate(rows)
        self._write_outcomes(stepped, executed)
        self._ticks[stepped] += 1

    def _command_gripper(self, rows: IntArray, actions: FloatArray) -> None:
        """Set the fingers' servos. The fingers of a closed gripper have none."""

    def executed(self, actions: Array) -> Array:
        """Return the actions within the largest displacement of the target; the gripper has no limit."""
        limited = np.array(actions, np.float64)
        limited[..., :3] = np.clip(limited[..., :3], -MAX_STEP / STEP, MAX_STEP / STEP)
        return limited

    def _apply(self, name: str, rows: IntArray, values: FloatArray) -> None:
        if name == "robot_friction":
            self._batch.expand("dof_damping")[rows, ARM] = self.model.dof_damping[ARM] + values[:, None]
        elif name == "payload":
            self._batch.expand("body_mass")[rows, self._payload] = values
            inertia = 0.4 * PAYLOAD_RADIUS * PAYLOAD_RADIUS * values
            self._batch.expand("body_inertia")[rows, self._payload] = inertia[:, None]
            self._batch.set_const(rows)

    def current_physics(self, row: int) -> dict[str, Any]:
        """Return the physics parameters of a row and the entries of its model that depend on them."""
        model = self._batch.get_model(row)
        names = ("body_mass", "body_inertia", "body_subtreemass", "dof_damping", "dof_M0", "actuator_forcerange")
        entries = {name: getattr(model, name).copy() for name in names}
        return {**entries, **{name: float(values[row]) for name, values in self._settings.items()}}

    def _view(self) -> CameraView:
        """Return the camera: in front of the table, to the right of the robot, looking down at both."""
        from offnominal.sensing import Camera
        from offnominal.worlds.mujoco.render import CameraView

        camera = Camera((0.72, 0.9, 0.7), (0.0, 0.22, 0.145), fov=39.0)
        return CameraView(camera, tile=0.25)

    def _apply_reported(self, observations: FloatArray, qpos: FloatArray, goals: FloatArray) -> None:
        """Write the positions that observations report over the true ones, one row each."""
        joints_of_reports(observations, qpos)
        goals[:] = observations[:, 6:9]

    @property
    def camera(self) -> Camera:
        """Camera that draws the rows."""
        return DrawnCamera(self._draw)

    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        from offnominal.worlds.mujoco.render import Renderer

        if self._renderer is None:
            self._renderer = Renderer(load_model(self.task, visual=True), self._view())
        qpos, goals = self._qpos[rows], self._goals[rows]
        if observations is not None:
            self._apply_reported(observations[rows].astype(np.float64), qpos, goals)
        return self._renderer.draw(qpos, mocap=goals[:, None], size=size)
