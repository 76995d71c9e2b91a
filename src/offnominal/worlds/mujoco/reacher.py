"""Reacher3D: an arm with seven joints moves its hand to a point in space."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.mujoco.world import ControlCost, MujocoWorld
from offnominal.worlds.world import Outcomes

if TYPE_CHECKING:
    from offnominal.worlds.mujoco.render import CameraView

SHOULDER_OFFSET, UPPER_ARM, FOREARM, HAND = 0.1, 0.4, 0.321, 0.16828
BASE_Y = -0.188
CONTROL_COST = 0.01
SUCCESS_DISTANCE = 0.1
STOP_GIVES = 0.05
GOAL_CENTRE = (0.0, 0.25, 0.0)
GOAL_NOISE = 0.1


class Reacher3D(MujocoWorld):
    """N arms.

    The reward is minus the squared distance between hand and goal, minus a control cost. Success: the hand is within
    10 cm of the goal. Critical: a joint is pressed 0.05 rad or more into its end stop.

    Args:
        n: Number of rows.
        threads: See :class:`MujocoWorld`.
        control_cost: See :class:`MujocoWorld`.
        success: ``"distance"``, or ``"published"`` for the original's test on the norm of the *squared* components,
            which a hand 30 cm away can pass.
    """

    world_id = "MJC-Reacher3D-v0"
    model_file = "reacher3d.xml"
    frame_skip = 2
    pushed_body = "r_forearm_link"
    push_direction = (0.0, 0.0, -1.0)
    robot_dofs = slice(0, 7)

    def __init__(
        self,
        n: int,
        *,
        threads: int | None = None,
        control_cost: ControlCost = "executed",
        success: Literal["distance", "published"] = "distance",
    ) -> None:
        if success not in ("distance", "published"):
            raise InvalidParameter(f"success is {success!r}; choose 'distance' or 'published'.")
        super().__init__(n, threads=threads, control_cost=control_cost)
        self.success_test = success
        limited = self.model.jnt_limited.astype(bool)
        self._lower = np.where(limited, self.model.jnt_range[:, 0], -np.inf)[:7]
        self._upper = np.where(limited, self.model.jnt_range[:, 1], np.inf)[:7]

    def _initial(self, noise: FloatArray) -> tuple[FloatArray, FloatArray]:
        qpos = np.zeros((len(noise), 10))
        qpos[:, 7:] = np.array(GOAL_CENTRE) + GOAL_NOISE * noise[:, :3]
        return qpos, np.zeros((len(noise), 10))

    def _observe(self, rows: IntArray) -> None:
        self.observations[rows, :10] = self._qpos[rows]
        self.observations[rows, 10:] = self._qvel[rows, :7]

    def _view(self) -> CameraView:
        from offnominal.sensing import Camera
        from offnominal.worlds.mujoco.render import CameraView

        return CameraView(
            Camera((2.9, -0.75, 2.55), (0.2, 0.02, -0.15), fov=28.0, samples=2),
            floor=-0.5,
            tile=0.5,
            colours={"target": (0.86, 0.08, 0.24)},
        )

    def _apply_reported(self, observations: FloatArray, qpos: FloatArray) -> None:
        qpos[:] = observations[:, :10]

    def _write_outcomes(self, rows: IntArray, actions: FloatArray) -> None:
        _write_outcomes(
            rows,
            self._qpos,
            self._qvel,
            actions,
            self._lower,
            self._upper,
            self.success_test == "published",
            self._outcomes,
        )


@compiled
def hand_position(q: FloatArray) -> tuple[float, float, float]:
    """Return the position of the hand for seven joint angles.

    Each link rotates relative to the previous one by its roll `rho`, then by its bend `h`. `along` and `across` are the
    axes of the link. Unlike the closed form of the original, this gives the right sign for bends of either sign.
    """
    c1, s1, c2, s2 = math.cos(q[0]), math.sin(q[0]), math.cos(q[1]), math.sin(q[1])
    along = (c2 * c1, c2 * s1, -s2)
    across = (-s1, c1, 0.0)
    x = SHOULDER_OFFSET * c1 + UPPER_ARM * along[0]
    y = SHOULDER_OFFSET * s1 + UPPER_ARM * along[1] + BASE_Y
    z = UPPER_ARM * along[2]
    for link in range(2):
        length = FOREARM if link == 0 else HAND
        rho, h = q[2 + 2 * link], q[3 + 2 * link]
        up = (
            along[1] * across[2] - along[2] * across[1],
            along[2] * across[0] - along[0] * across[2],
            along[0] * across[1] - along[1] * across[0],
        )
        ch, sh, cr, sr = math.cos(h), math.sin(h), math.cos(rho), math.sin(rho)
        along, across = (
            (
                ch * along[0] + sh * (sr * across[0] - cr * up[0]),
                ch * along[1] + sh * (sr * across[1] - cr * up[1]),
                ch * along[2] + sh * (sr * across[2] - cr * up[2]),
            ),
            (cr * across[0] + sr * up[0], cr * across[1] + sr * up[1], cr * across[2] + sr * up[2]),
        )
        x += length * along[0]
        y += length * along[1]
        z += length * along[2]
    return x, y, z


@compiled
def _write_outcomes(
    rows: IntArray,
    qpos: FloatArray,
    qvel: FloatArray,
    actions: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    published_test: bool,
    outcomes: Outcomes,
) -> None:
    for i in range(rows.shape[0]):
        r = rows[i]
        x, y, z = hand_position(qpos[r])
        dx, dy, dz = (x - qpos[r, 7]) ** 2, (y - qpos[r, 8]) ** 2, (z - qpos[r, 9]) ** 2
        square = dx + dy + dz
        effort = 0.0
        at_limit = False
        for c in range(7):
            effort += actions[r, c] * actions[r, c]
            at_limit |= qpos[r, c] < lower[c] - STOP_GIVES or qpos[r, c] > upper[c] + STOP_GIVES
            outcomes.observations[r, 10 + c] = qvel[r, c]
        for c in range(10):
            outcomes.observations[r, c] = qpos[r, c]
        outcomes.rewards[r] = -square - CONTROL_COST * effort
        measure = math.sqrt(dx * dx + dy * dy + dz * dz) if published_test else math.sqrt(square)
        outcomes.success[r] = measure < SUCCESS_DISTANCE
        outcomes.critical[r] = at_limit
        outcomes.cost[r] = 1.0 if at_limit else 0.0
