"""Base class of the MuJoCo worlds of Anomaly-Gym: mass, friction and an external force as physics parameters."""

from __future__ import annotations

from abc import abstractmethod
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import mujoco
import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.philox import fill_normal
from offnominal.core.streams import stream_keys
from offnominal.core.types import Array, FloatArray, Frames, IntArray
from offnominal.worlds.camera import DrawnCamera
from offnominal.worlds.mujoco.batched_world import BatchedMujocoWorld
from offnominal.worlds.mujoco.card import CARDS

if TYPE_CHECKING:
    from offnominal.worlds.mujoco.render import CameraView, Renderer

ControlCost = Literal["executed", "requested"]


class MujocoWorld(BatchedMujocoWorld):
    """N simulations of one model, each with its own mass, friction and external force.

    Args:
        n: Number of rows.
        threads: See :class:`BatchedMujocoWorld`.
        control_cost: Whether the control cost is that of the ``"executed"`` action, after the motors' limits, or of the
            ``"requested"`` one, as in the original.
    """

    world_id: ClassVar[str]
    model_file: ClassVar[str]
    pushed_body: ClassVar[str]
    push_direction: ClassVar[tuple[float, float, float]]
    robot_dofs: ClassVar[slice]

    def __init__(self, n: int, *, threads: int | None = None, control_cost: ControlCost = "executed") -> None:
        if control_cost not in ("executed", "requested"):
            raise InvalidParameter(f"control_cost is {control_cost!r}; choose 'executed' or 'requested'.")
        self.card = CARDS[self.world_id]
        self.control_cost = control_cost
        model = load_model(self.model_file)
        super().__init__(model, n, action_limit=float(model.actuator_ctrlrange[0, 1]), threads=threads)
        self._push = self._batch.bind("xfrc_applied")
        self._body = self.model.body(self.pushed_body).id
        self._renderer: Renderer | None = None

    @abstractmethod
    def _initial(self, noise: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the positions and velocities of new episodes from standard normal numbers, one row each."""

    @abstractmethod
    def _observe(self, rows: IntArray) -> None:
        """Write the observations of new episodes."""

    @abstractmethod
    def _write_outcomes(self, rows: IntArray, actions: FloatArray) -> None:
        """Write observations, rewards and outcomes after a step."""

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start new episodes with nominal physics."""
        self._reset_simulations(rows, seeds)
        noise = np.empty((len(rows), self.model.nq + self.model.nv))
        fill_normal(stream_keys(seeds, episodes, "reset"), np.zeros(len(rows), np.int64), 0, noise)
        self._qpos[rows], self._qvel[rows] = self._initial(noise)
        self._observe(rows)

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Hold the actions for one control period."""
        executed = self.executed(actions)
        self._ctrl[:] = executed
        self._simulate(rows)
        stepped = self._all if rows is None else rows
        self._write_outcomes(stepped, executed if self.control_cost == "executed" else actions)
        self._ticks[stepped] += 1

    def executed(self, actions: Array) -> Array:
        """Return the actions within the motors' limits."""
        return np.clip(actions, self.action_space.low, self.action_space.high)

    def _apply(self, name: str, rows: IntArray, values: FloatArray) -> None:
        if name == "force":
            self._push[rows, self._body, :3] = values[:, None] * np.array(self.push_direction)
        elif name == "friction":
            loss = self._batch.expand("dof_frictionloss")
            loss[rows, self.robot_dofs] = self.model.dof_frictionloss[self.robot_dofs] + values[:, None]
        else:
            self._batch.expand("body_mass")[rows] = self.model.body_mass * values[:, None]
            self._batch.expand("body_inertia")[rows] = self.model.body_inertia * values[:, None, None]
            self._batch.set_const(rows)

    def current_physics(self, row: int) -> dict[str, Any]:
        """Return the current mass, friction and force, and the constants that depend on the mass."""
        model = self._batch.get_model(row)
        names = (
            "body_mass",
            "body_inertia",
            "body_subtreemass",
            "body_invweight0",
            "dof_invweight0",
            "dof_M0",
        )
        derived = {name: getattr(model, name).copy() for name in (*names, "dof_frictionloss", "actuator_acc0")}
        return {**derived, "xfrc_applied": self._push[row].copy()}

    @abstractmethod
    def _view(self) -> CameraView:
        """Return the camera and scene settings."""

    @abstractmethod
    def _apply_reported(self, observations: FloatArray, qpos: FloatArray) -> None:
        """Overwrite the true positions by those that the observations report, one row each."""

    @property
    def camera(self) -> DrawnCamera:
        """Camera that draws the rows."""
        return DrawnCamera(self._draw)

    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Return images of some rows."""
        from offnominal.worlds.mujoco.render import Renderer

        if self._renderer is None:
            self._renderer = Renderer(self.model, self._view())
        qpos = self._qpos[rows]
        if observations is not None:
            self._apply_reported(observations[rows].astype(np.float64), qpos)
        return self._renderer.draw(qpos, size=size)


def load_model(name: str) -> mujoco.MjModel:
    """Compile a model file of this package."""
    with as_file(files("offnominal.worlds.mujoco") / "models" / name) as path:
        return mujoco.MjModel.from_xml_path(str(path))
