"""HalfCheetah: a planar body with two legs runs forward."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.mujoco.card import CARDS
from offnominal.worlds.mujoco.world import ControlCost, MujocoWorld
from offnominal.worlds.world import Outcomes

if TYPE_CHECKING:
    from offnominal.worlds.mujoco.render import CameraView

CONTROL_COST = 0.1
SUCCESS_SPEED = 10.0
RESET_NOISE = 0.1
DT = CARDS["MJC-HalfCheetah-v0"].dt


class HalfCheetah(MujocoWorld):
    """N half cheetahs.

    The reward is the forward speed over the step, minus a control cost. Success: 10 m/s or more. Critical: the torso is
    rotated beyond the vertical.

    Args:
        n: Number of rows.
        threads: See :class:`BatchedMujocoWorld`.
        control_cost: See :class:`MujocoWorld`.
        view: Camera and floor of the images: from the ``"side"``, or as ``"published"``, from 45 degrees above on
            black and white tiles that fill the image.
    """

    world_id = "MJC-HalfCheetah-v0"
    model_file = "half_cheetah.xml"
    frame_skip = 5
    pushed_body = "ffoot"
    push_direction = (-1.0, 0.0, 0.0)
    robot_dofs = slice(3, 9)

    def __init__(
        self,
        n: int,
        *,
        threads: int | None = None,
        control_cost: ControlCost = "executed",
        view: Literal["side", "published"] = "side",
    ) -> None:
        if view not in ("side", "published"):
            raise InvalidParameter(f"view is {view!r}; choose 'side' or 'published'.")
        self.view = view
        super().__init__(n, threads=threads, control_cost=control_cost)
        self._before = np.zeros(n)

    def _initial(self, noise: FloatArray) -> tuple[FloatArray, FloatArray]:
        return RESET_NOISE * noise[:, :9], RESET_NOISE * noise[:, 9:]

    def _observe(self, rows: IntArray) -> None:
        self._before[rows] = self._qpos[rows, 0]
        self.observations[rows, 0] = 0.0
        self.observations[rows, 1:9] = self._qpos[rows, 1:]
        self.observations[rows, 9:] = self._qvel[rows]

    def _view(self) -> CameraView:
        from offnominal.sensing import Camera
        from offnominal.worlds.mujoco.render import CameraView

        if self.view == "published":
            # Distance 4 m, at the height of the middle of the body; 150 pairs of tiles on 400 m.
            away = 4.0 * math.sqrt(0.5)
            above = Camera((0.0, -away, 0.55 + away), (0.0, 0.0, 0.55), fov=45.0)
            return CameraView(above, follow="torso", tile=4.0 / 3.0, tiles=((0.0, 0.0, 0.0), (0.88, 1.0, 0.88)))
        camera = Camera((0.1, -4.0, 1.0), (0.1, 0.0, 0.68), fov=36.0)
        return CameraView(camera, follow="torso", tile=1.0)

    def _apply_reported(self, observations: FloatArray, qpos: FloatArray) -> None:
        qpos[:, 1:] = observations[:, 1:9]

    def _write_outcomes(self, rows: IntArray, actions: FloatArray) -> None:
        _write_outcomes(
            rows,
            self._qpos,
            self._qvel,
            self._before,
            actions,
            self._outcomes,
        )


@compiled
def _write_outcomes(
    rows: IntArray,
    qpos: FloatArray,
    qvel: FloatArray,
    before: FloatArray,
    actions: FloatArray,
    outcomes: Outcomes,
) -> None:
    for i in range(rows.shape[0]):
        r = rows[i]
        speed = (qpos[r, 0] - before[r]) / DT
        before[r] = qpos[r, 0]
        effort = 0.0
        for c in range(actions.shape[1]):
            effort += actions[r, c] * actions[r, c]
        outcomes.rewards[r] = speed - CONTROL_COST * effort
        outcomes.success[r] = speed >= SUCCESS_SPEED
        outcomes.critical[r] = abs(qpos[r, 2]) > 0.5 * math.pi
        outcomes.cost[r] = 1.0 if outcomes.critical[r] else 0.0
        outcomes.observations[r, 0] = speed
        for c in range(8):
            outcomes.observations[r, 1 + c] = qpos[r, 1 + c]
        for c in range(9):
            outcomes.observations[r, 9 + c] = qvel[r, c]
