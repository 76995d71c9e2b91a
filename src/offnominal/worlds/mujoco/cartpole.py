"""Cart-pole swing-up: a cart swings its pole from hanging to upright."""

from __future__ import annotations

from typing import Literal

import numpy as np
from gymnasium.spaces import Box

from offnominal.core.compilation import RepeatedCall
from offnominal.core.errors import InvalidParameter
from offnominal.core.philox import fill_normal
from offnominal.core.streams import stream_keys
from offnominal.core.types import Array, Frames, IntArray
from offnominal.worlds.camera import DrawnCamera
from offnominal.worlds.compiled_world import CompiledWorld
from offnominal.worlds.mujoco import cartpole_kernel as kernel
from offnominal.worlds.mujoco.card import CARDS
from offnominal.worlds.world import box

RESET_NOISE = 0.1
STEP = RepeatedCall(kernel.step_rows)


class CartpoleSwingup(CompiledWorld):
    """N carts with poles. A compiled kernel computes the same physics as MuJoCo.

    The reward is near 1 while the pole's tip is near the top, minus a control cost. Success: the tip is within 2.5 cm
    of the top. Critical: the cart is at the end of its rail.

    Args:
        n: Number of rows.
        control_cost: Whether the control cost is that of the ``"executed"`` action, after the motor's limits, or of the
            ``"requested"`` one, as in the original.

    Example:
        >>> world = CartpoleSwingup(2)
        >>> world.reset(np.arange(2), seeds=np.array([7, 8]), episodes=np.zeros(2, int))
        >>> world.step(np.ones((2, 1)))
        >>> world.observations.shape
        (2, 4)
    """

    action_space: Box
    world_id = "MJC-CartpoleSwingup-v0"
    model_file = "cartpole_swingup.xml"

    def __init__(self, n: int, *, control_cost: Literal["executed", "requested"] = "executed") -> None:
        if control_cost not in ("executed", "requested"):
            raise InvalidParameter(f"control_cost is {control_cost!r}; choose 'executed' or 'requested'.")
        self.card = CARDS[self.world_id]
        self.control_cost = control_cost
        self.observation_space = box(self.card.observation)
        self.action_space = box(self.card.action, limit=kernel.MAX_ACTION)
        self._allocate(n)
        self._qpos = np.zeros((n, 2))
        self._qvel = np.zeros((n, 2))

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start with the pole hanging, almost at rest, in the centre of the rail."""
        noise = np.empty((len(rows), 4))
        fill_normal(stream_keys(seeds, episodes, "reset"), np.zeros(len(rows), np.int64), 0, noise)
        state = RESET_NOISE * noise
        self._qpos[rows], self._qvel[rows] = state[:, :2], state[:, 2:]
        self.observations[rows] = state
        self._begin(rows, seeds)
        self._ticks[rows] = 0
        self._clear_outcomes(rows)

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Hold the motor's force for 0.04 s."""
        self._step(
            STEP,
            rows,
            np.asarray(actions, np.float64),
            self.control_cost == "requested",
            self._physics_parameters,
            self._ticks,
            self._qpos,
            self._qvel,
            self._outcomes,
        )

    def executed(self, actions: Array) -> Array:
        """Return the actions within the motor's limits."""
        return np.clip(actions, self.action_space.low, self.action_space.high)

    @property
    def camera(self) -> DrawnCamera:
        """Camera that draws the rows."""
        return DrawnCamera(self._draw)

    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Draw rows from the side."""
        from offnominal.worlds.mujoco.cartpole_render import draw

        qpos = self._qpos[rows] if observations is None else observations[rows, :2].astype(np.float64)
        return draw(qpos, size=size)
