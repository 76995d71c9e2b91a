"""The contract of a world: N independent simulations that are advanced together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from gymnasium.spaces import Box, Discrete

from offnominal.core.checks import positive_integer, require_shape
from offnominal.core.errors import InvalidParameter, UnknownName, UnsupportedEnvironment, did_you_mean
from offnominal.core.printable import shown
from offnominal.core.types import Array, BoolArray, FloatArray, Frames, IntArray
from offnominal.worlds.camera import Camera
from offnominal.worlds.world_card import Channel, PhysicsParameter, WorldCard

FRAME_SIZE = 128
"""Pixels per side of the images that agents and detectors get."""

RENDER_SIZE = 480
"""Pixels per side of the images for people."""


class Outcomes(NamedTuple):
    """The results of a world, as compiled functions take them; see :class:`World`."""

    observations: Array
    rewards: FloatArray
    terminated: BoolArray
    success: BoolArray
    critical: BoolArray
    cost: FloatArray


class World(ABC):
    """N independent simulations that are advanced together.

    A world knows neither faults nor Gymnasium. The caller says which rows to start and which actions to execute. The
    results are in arrays that stay valid until the next call. A row never depends on the other rows.

    Attributes:
        random_starts: Whether episodes of different seeds start differently.
        card: Description of the world.
        observation_space: Space of one row's observation.
        action_space: Space of one row's action. An action of a Discrete space is one integer, so a batch of them has
            shape (n,).
        n: Number of rows.
        observations: (n, ...): observation after the latest reset or step of each row.
        rewards: (n,): latest reward.
        terminated: (n,): whether the task has ended.
        truncated: (n,): whether the simulation itself has ended the episode early; the time limit is the caller's.
        success: (n,): whether the task is solved.
        critical: (n,): whether the state is unsafe, such as a collision.
        cost: (n,): safety cost of the state.
    """

    random_starts: bool = True

    card: WorldCard
    observation_space: Box
    action_space: Box | Discrete
    n: int
    observations: Array
    rewards: FloatArray
    terminated: BoolArray
    truncated: BoolArray
    success: BoolArray
    critical: BoolArray
    cost: FloatArray

    def _allocate(self, n: int) -> None:
        """Allocate the arrays of results. Call it in the constructor after the spaces are set."""
        self.n = n
        self.observations = np.zeros((n, *self.observation_space.shape), self.observation_space.dtype)
        self.rewards = np.zeros(n)
        self.terminated = np.zeros(n, np.bool_)
        self.truncated = np.zeros(n, np.bool_)
        self.success = np.zeros(n, np.bool_)
        self.critical = np.zeros(n, np.bool_)
        self.cost = np.zeros(n)
        self._outcomes = Outcomes(
            self.observations, self.rewards, self.terminated, self.success, self.critical, self.cost
        )

    def _clear_outcomes(self, rows: IntArray) -> None:
        """Set the results of new episodes to zero, without the observations."""
        for outcome in (self.rewards, self.terminated, self.truncated, self.success, self.critical, self.cost):
            outcome[rows] = 0

    @abstractmethod
    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start a new episode in some rows and set every physics parameter to its neutral value.

        Args:
            rows: Indices of the rows.
            seeds: Root seed of each row.
            episodes: Number of earlier episodes with that seed.
        """

    @abstractmethod
    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Execute one action in every row, or in some rows.

        Args:
            actions: (n, ...): one action per row of the world, also when only some rows are stepped.
            rows: Indices of the rows to step; None for all.

        Raises:
            SimulationDiverged: The state of a row is not finite.
        """

    @property
    def action_shape(self) -> tuple[int, ...]:
        """Shape of one row's action; empty for discrete actions."""
        return self.action_space.shape or ()

    @property
    def physics_parameters(self) -> Mapping[str, PhysicsParameter]:
        """Physical parameters that can be set, by name."""
        return {physics_parameter.name: physics_parameter for physics_parameter in self.card.physics_parameters}

    def physics_parameter(self, name: str) -> PhysicsParameter:
        """Return one physics parameter, or raise :class:`UnknownName`."""
        try:
            return self.physics_parameters[name]
        except KeyError:
            raise UnknownName(
                f"{self.card.id} has no physics parameter {name!r}.{did_you_mean(name, self.physics_parameters)} "
                f"It has: {', '.join(self.physics_parameters) or 'none'}."
            ) from None

    def set_physics_parameter(self, name: str, rows: IntArray, values: FloatArray) -> None:
        """Set a physics parameter of some rows until it is set again or the row is reset."""
        raise UnknownName(f"{self.card.id} has no physics parameter {name!r}.")

    def executed(self, actions: Array) -> Array:
        """Return the action that the actuators execute, for example after saturation at their limits."""
        return actions

    def refusal(self, anomaly: str) -> str:
        """Return why this world must not have an anomaly, for example because it is dangerous; empty if it may."""
        return ""

    @property
    def camera(self) -> Camera | None:
        """Camera that takes images of the rows; None for a world without images."""
        return None

    def frames(
        self, rows: IntArray | None = None, *, observations: Array | None = None, size: int = FRAME_SIZE
    ) -> Frames:
        """Return RGB images of some rows; see :class:`Camera`.

        Args:
            rows: Indices of the rows; None for all.
            observations: (n, ...), one per row of the world: a reported state to draw in place of the true one.
            size: Pixels per side.

        Returns:
            (len(rows), size, size, 3) bytes.

        Raises:
            UnsupportedEnvironment: The world has no images, or cannot draw a reported state.
        """
        if self.camera is None:
            raise UnsupportedEnvironment(f"{self.card.id} cannot be rendered.")
        if observations is not None and observations.shape != self.observations.shape:
            raise InvalidParameter(
                f"the observations to draw have shape {observations.shape}; expected {self.observations.shape}, one "
                f"per row of the world."
            )
        drawn = self._drawn(rows)
        size = positive_integer("size", size)
        return self.camera.draw(drawn, observations, size) if len(drawn) else np.empty((0, size, size, 3), np.uint8)

    def render(
        self, rows: IntArray | None = None, *, size: int = RENDER_SIZE, trails: FloatArray | None = None
    ) -> Frames:
        """Return RGB images of some rows for people.

        They may be clearer than :meth:`frames`, which agents and detectors get: particle worlds have a larger agent
        with a trail.

        Args:
            rows: Indices of the rows; None for all.
            size: Pixels per side.
            trails: (len(rows), k, 2): earlier positions of the agents; see :meth:`Camera.track`.

        Returns:
            (len(rows), size, size, 3) bytes.

        Raises:
            UnsupportedEnvironment: The world has no images.
        """
        if self.camera is None:
            raise UnsupportedEnvironment(f"{self.card.id} cannot be rendered.")
        drawn = self._drawn(rows)
        size = positive_integer("size", size)
        if trails is not None:
            require_shape("trails", trails, len(drawn), "k", 2)
        return self.camera.render(drawn, size, trails) if len(drawn) else np.empty((0, size, size, 3), np.uint8)

    def _drawn(self, rows: IntArray | None) -> IntArray:
        """Return the rows to draw; None are all."""
        if rows is None:
            return np.arange(self.n)
        drawn = np.asarray(rows, np.int64)
        if drawn.ndim != 1 or (drawn.size and not 0 <= drawn.min() <= drawn.max() < self.n):
            raise InvalidParameter(f"rows is {shown(rows)}; expected indices from 0 to {self.n - 1}.")
        return drawn

    def current_physics(self, row: int) -> dict[str, Any]:
        """Return the current physical parameters of a row. Tests use it to check that a fault is undone."""
        return {}

    def close(self) -> None:
        """Release the resources of the world."""


def box(channels: tuple[Channel, ...], limit: float = np.inf) -> Box:
    """Return the space of a vector of channels, symmetric around zero."""
    return Box(-limit, limit, (len(channels),), np.float32)
