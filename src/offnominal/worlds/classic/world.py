"""CartPole and Pendulum as Gymnasium has them, N at once, with physics parameters for what Gymnasium keeps constant."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, Literal

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.core.checks import positive_integer
from offnominal.core.errors import InvalidParameter, SimulationDiverged
from offnominal.core.types import Array, FloatArray, Frames, IntArray
from offnominal.worlds.camera import DrawnCamera
from offnominal.worlds.classic import kernel
from offnominal.worlds.classic.card import CARTPOLE, PENDULUM
from offnominal.worlds.world import World, box
from offnominal.worlds.world_card import WorldCard


class ClassicWorld(World):
    """What both have in common: a state that starts at random, and physics parameters.

    Observations have no limits, where Gymnasium's have some: a fault may take a state anywhere.
    """

    start: tuple[float, ...]

    def _set_up(self, n: int, card: WorldCard, threads: int | None) -> None:
        if threads is not None:
            positive_integer("threads", threads)
        self.card = card
        self.observation_space = box(card.observation)
        self._allocate(n)
        self._limits = np.array(self.start)
        self._state = np.zeros((n, len(self.start)))
        self._neutral = np.array([physics_parameter.neutral for physics_parameter in card.physics_parameters])
        self._column = {physics_parameter.name: k for k, physics_parameter in enumerate(card.physics_parameters)}
        self._physics_parameters = np.tile(self._neutral, (n, 1))
        self._ticks = np.zeros(n, np.int64)
        self._seeds = np.zeros(n, np.int64)
        self._all = np.arange(n)

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start where a uniform draw says."""
        self._seeds[rows] = seeds
        kernel.reset_rows(
            rows,
            seeds,
            episodes,
            self._limits,
            self._neutral,
            self._physics_parameters,
            self._ticks,
            self._state,
            self.rewards,
            self.terminated,
            self.success,
            self.critical,
            self.cost,
        )

    def set_physics_parameter(self, name: str, rows: IntArray, values: FloatArray) -> None:
        """Set a physics parameter of some rows."""
        self._physics_parameters[rows, self._column[self.physics_parameter(name).name]] = values

    def current_physics(self, row: int) -> dict[str, Any]:
        """Return the physics parameter values in force."""
        return {name: float(self._physics_parameters[row, column]) for name, column in self._column.items()}

    @property
    def camera(self) -> DrawnCamera:
        """Camera that draws the rows."""
        return DrawnCamera(self._draw)

    @abstractmethod
    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Draw some rows; see :meth:`Camera.draw`."""

    def _require_finite(self, diverged: int) -> None:
        if diverged >= 0:
            raise SimulationDiverged(
                f"{self.card.id}: the state is not finite in row {diverged} (seed {self._seeds[diverged]}) at step "
                f"{self._ticks[diverged]}, with {self.current_physics(diverged)}; use a weaker fault."
            )


class CartPole(ClassicWorld):
    """N poles on carts; the two actions push a cart left and right.

    It is Gymnasium's ``CartPole-v0``: equal to its classic control step for step, but for the last place of sine and
    cosine, with a limit of 200 steps. Every step earns 1. An episode ends, which is critical, when the cart is 2.4 m
    from the middle or the pole 12 degrees from upright; success is not to have ended. The length of the pole is half of
    it, as in Gymnasium.

    Args:
        n: Number of rows.
        threads: Accepted for uniformity; the kernel is faster than a thread is started.

    Example:
        >>> world = CartPole(2)
        >>> world.reset(np.arange(2), seeds=np.array([7, 8]), episodes=np.zeros(2, int))
        >>> world.step(np.array([0, 1]))
        >>> world.observations.shape, world.rewards
        ((2, 4), array([1., 1.]))
    """

    start = (0.05, 0.05, 0.05, 0.05)

    def __init__(self, n: int, *, threads: int | None = None) -> None:
        self.action_space = Discrete(2)
        self._set_up(n, CARTPOLE, threads)

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Stand the pole up, almost at rest, in the middle."""
        super().reset(rows, seeds, episodes)
        self.observations[rows] = self._state[rows]

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Push the carts for 0.02 s."""
        diverged = kernel.step_cartpoles(
            self._all if rows is None else rows,
            np.asarray(actions, np.int64),
            self._physics_parameters,
            self._ticks,
            self._state,
            self.observations,
            self.rewards,
            self.terminated,
            self.success,
            self.critical,
            self.cost,
        )
        self._require_finite(diverged)

    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Draw rows from the side; the pole is as long as it is."""
        from offnominal.worlds.classic.render import draw_cartpoles

        seen = self._state[rows] if observations is None else observations[rows].astype(np.float64)
        lengths = 2.0 * self._physics_parameters[rows, self._column["pole_length"]]
        return draw_cartpoles(seen[:, 0], seen[:, 2], lengths, size=size)


class Pendulum(ClassicWorld):
    """N pendulums, each with a motor that is too weak to lift it at once.

    It is Gymnasium's ``Pendulum-v1``: equal step for step, but for the last place of sine and cosine. The reward
    charges the angle from upright, the speed and the torque. Success: within 0.1 rad of upright and slower than 0.5
    rad/s. The limit of the torque is a physics parameter, so ``executed_actions`` are what the motor is told to do,
    limit not yet applied.

    Args:
        n: Number of rows.
        threads: Accepted for uniformity; the kernel is faster than a thread is started.
        clip_speed: When the limit of the speed applies: ``"before"`` the angle moves, as in Pendulum-v1, or ``"after"``
            it moved, as in Pendulum-v0.

    Example:
        >>> world = Pendulum(2)
        >>> world.reset(np.arange(2), seeds=np.array([7, 8]), episodes=np.zeros(2, int))
        >>> world.step(np.ones((2, 1)))
        >>> world.observations.shape
        (2, 3)
    """

    start = (math.pi, 1.0)

    def __init__(
        self, n: int, *, threads: int | None = None, clip_speed: Literal["before", "after"] = "before"
    ) -> None:
        if clip_speed not in ("before", "after"):
            raise InvalidParameter(f"clip_speed is {clip_speed!r}; choose 'before' or 'after'.")
        self.clip_speed = clip_speed
        self.action_space = box(PENDULUM.action, limit=kernel.MAX_TORQUE)
        self._set_up(n, PENDULUM, threads)

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start anywhere, slowly."""
        super().reset(rows, seeds, episodes)
        kernel.observe_pendulums(rows, self._state, self.observations)

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Apply the torques for 0.05 s."""
        diverged = kernel.step_pendulums(
            self._all if rows is None else rows,
            np.asarray(actions, np.float64),
            self.clip_speed == "before",
            self._physics_parameters,
            self._ticks,
            self._state,
            self.observations,
            self.rewards,
            self.success,
        )
        self._require_finite(diverged)

    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Draw rows from the front; the pendulum is as long as it is."""
        from offnominal.worlds.classic.render import draw_pendulums

        seen = self.observations if observations is None else observations
        lengths = self._physics_parameters[rows, self._column["length"]]
        return draw_pendulums(seen[rows, :2].astype(np.float64), lengths, size=size)
