"""Cartpole swing-up: a cart swings the pole it carries from hanging to upright."""

from __future__ import annotations

import math

from offnominal.core.compiled import compiled
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.worlds.mujoco.world import MujocoWorld

POLE_LENGTH = 0.6
CONTROL_COST = 0.01
SUCCESS_DISTANCE = 0.025
RAIL_END = 2.5
RESET_NOISE = 0.1


class CartpoleSwingup(MujocoWorld):
    """N carts with poles.

    The reward is near 1 while the pole's tip is near the top, less a control cost. Success: the tip is within 2.5 cm
    of the top. Critical: the cart is at the end of its rail.
    """

    world_id = "MJC-CartpoleSwingup-v0"
    model_file = "cartpole_swingup.xml"
    frame_skip = 2
    pushed_body = "pole"
    push_direction = (-1.0, 0.0, 0.0)
    robot_dofs = slice(0, 2)

    def _initial(self, noise: FloatArray) -> tuple[FloatArray, FloatArray]:
        return RESET_NOISE * noise[:, :2], RESET_NOISE * noise[:, 2:]

    def _observe(self, rows: IntArray) -> None:
        self.observations[rows, :2] = self._qpos[rows]
        self.observations[rows, 2:] = self._qvel[rows]

    def _judge(self, rows: IntArray, actions: FloatArray) -> None:
        _judge(
            rows,
            self._qpos,
            self._qvel,
            actions,
            self.observations,
            self.rewards,
            self.success,
            self.critical,
            self.cost,
        )


@compiled
def _judge(
    rows: IntArray,
    qpos: FloatArray,
    qvel: FloatArray,
    actions: FloatArray,
    observations: Array,
    rewards: FloatArray,
    success: BoolArray,
    critical: BoolArray,
    cost: FloatArray,
) -> None:
    for i in range(rows.shape[0]):
        r = rows[i]
        x, angle = qpos[r, 0], qpos[r, 1]
        dx = x - POLE_LENGTH * math.sin(angle)
        dz = -POLE_LENGTH * math.cos(angle) - POLE_LENGTH
        square = dx * dx + dz * dz
        rewards[r] = math.exp(-square / (POLE_LENGTH * POLE_LENGTH)) - CONTROL_COST * actions[r, 0] * actions[r, 0]
        success[r] = square < SUCCESS_DISTANCE * SUCCESS_DISTANCE
        critical[r] = abs(x) >= RAIL_END
        cost[r] = 1.0 if critical[r] else 0.0
        for c in range(2):
            observations[r, c] = qpos[r, c]
            observations[r, 2 + c] = qvel[r, c]
