"""CartPole and Pendulum as in Gymnasium, N at once, with physics parameters for Gymnasium's constants."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Literal

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.core.compilation import RepeatedCall
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, Frames, IntArray
from offnominal.worlds.camera import DrawnCamera
from offnominal.worlds.classic import kernel
from offnominal.worlds.classic.card import CARTPOLE, PENDULUM
from offnominal.worlds.compiled_world import CompiledWorld
from offnominal.worlds.world import box
from offnominal.worlds.world_card import WorldCard

STEP_CARTPOLES = RepeatedCall(kernel.step_cartpoles)
STEP_PENDULUMS = RepeatedCall(kernel.step_pendulums)


class ClassicWorld(CompiledWorld):
    """Base class of both: a random initial state.

    Observations have no bounds, unlike Gymnasium's, because a fault may lead to any state.
    """

    start: tuple[float, ...]

    def _set_up(self, n: int, card: WorldCard) -> None:
        self.card = card
        self.observation_space = box(card.observation)
        self._allocate(n)
        self._limits = np.array(self.start)
        self._state = np.zeros((n, len(self.start)))

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start in a uniformly random state."""
        self._begin(rows, seeds)
        kernel.reset_rows(rows, seeds, episodes, self._limits, self._ticks, self._state, self._outcomes)

    @property
    def camera(self) -> DrawnCamera:
        """Camera that draws the rows."""
        return DrawnCamera(self._draw)

    @abstractmethod
    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Draw some rows; see :meth:`Camera.draw`."""


class CartPole(ClassicWorld):
    """N poles on carts; the two actions push a cart left and right.

    Equal to Gymnasium's ``CartPole-v0`` step for step, except for the last digit of sine and cosine. The time limit is
    200 steps and every reward is 1. An episode ends, which is critical, when the cart is 2.4 m from the centre or the
    pole 12 degrees from upright; all other states are successful. `pole_length` is half the length, as in Gymnasium.

    Args:
        n: Number of rows.

    Example:
        >>> world = CartPole(2)
        >>> world.reset(np.arange(2), seeds=np.array([7, 8]), episodes=np.zeros(2, int))
        >>> world.step(np.array([0, 1]))
        >>> world.observations.shape, world.rewards
        ((2, 4), array([1., 1.]))
    """

    start = (0.05, 0.05, 0.05, 0.05)

    def __init__(self, n: int) -> None:
        self.action_space = Discrete(2)
        self._set_up(n, CARTPOLE)

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start with the pole upright, almost at rest, in the centre."""
        super().reset(rows, seeds, episodes)
        kernel.observe_cartpoles(rows, self._state, self.observations)

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Push the carts for 0.02 s."""
        self._step(
            STEP_CARTPOLES,
            rows,
            np.asarray(actions, np.int64),
            self._physics_parameters,
            self._ticks,
            self._state,
            self._outcomes,
        )

    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Draw rows from the side, with the current lengths of the poles."""
        from offnominal.worlds.classic.render import draw_cartpoles

        state = self._state[rows] if observations is None else observations[rows].astype(np.float64)
        lengths = 2.0 * self._physics_parameters[rows, self._column["pole_length"]]
        return draw_cartpoles(state[:, 0], state[:, 2], lengths, size=size)


class Pendulum(ClassicWorld):
    """N pendulums, each with a motor that is too weak to lift it directly.

    Equal to Gymnasium's ``Pendulum-v1`` step for step, except for the last digit of sine and cosine. The reward is
    minus a cost of the angle from upright, the speed and the torque. Success: within 0.1 rad of upright and slower than
    0.5 rad/s. The torque limit is a physics parameter, so ``executed_actions`` are the commands before this limit.

    Args:
        n: Number of rows.
        clip_speed: Whether the speed is clipped ``"before"`` the angle is updated, as in Pendulum-v1, or ``"after"``,
            as in Pendulum-v0.

    Example:
        >>> world = Pendulum(2)
        >>> world.reset(np.arange(2), seeds=np.array([7, 8]), episodes=np.zeros(2, int))
        >>> world.step(np.ones((2, 1)))
        >>> world.observations.shape
        (2, 3)
    """

    start = (math.pi, 1.0)

    def __init__(self, n: int, *, clip_speed: Literal["before", "after"] = "before") -> None:
        if clip_speed not in ("before", "after"):
            raise InvalidParameter(f"clip_speed is {clip_speed!r}; choose 'before' or 'after'.")
        self.clip_speed = clip_speed
        self.action_space = box(PENDULUM.action, limit=kernel.MAX_TORQUE)
        self._set_up(n, PENDULUM)

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start at any angle with a low speed."""
        super().reset(rows, seeds, episodes)
        kernel.observe_pendulums(rows, self._state, self.observations)

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Apply the torques for 0.05 s."""
        self._step(
            STEP_PENDULUMS,
            rows,
            np.asarray(actions, np.float64),
            self.clip_speed == "before",
            self._physics_parameters,
            self._ticks,
            self._state,
            self._outcomes,
        )

    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Draw rows from the front, with the current lengths of the pendulums."""
        from offnominal.worlds.classic.render import draw_pendulums

        drawn = self.observations if observations is None else observations
        lengths = self._physics_parameters[rows, self._column["length"]]
        return draw_pendulums(drawn[rows, :2].astype(np.float64), lengths, size=size)
