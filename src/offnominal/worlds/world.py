"""The contract of a world: N simulations advanced together, each independent of the others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete

from offnominal.core.checks import positive_integer
from offnominal.core.errors import InvalidParameter, UnknownName, UnsupportedEnvironment, did_you_mean
from offnominal.core.types import Array, BoolArray, FloatArray, Frame, Frames, IntArray
from offnominal.worlds.world_card import Channel, PhysicsParameter, WorldCard

FRAME_SIZE = 128


class World(ABC):
    """N simulations that share code and nothing else.

    A world knows nothing of faults or of Gymnasium. It is told which rows to start and which actions to execute, and
    leaves the outcome in arrays that stay valid until the next call. Whatever happens in one row never depends on
    the other rows.

    Attributes:
        renders: Whether there are pictures.
        pixel_observations: Whether agents see through the world's own cameras, so that a fault of a camera changes what
            they observe.
        random_starts: Whether episodes of different seeds start differently.
        card: Names, limits and reference returns.
        observation_space: Space of one row's observation.
        action_space: Space of one row's action. An action of a Discrete space is one integer, so a batch of them has
            shape (n,).
        n: Number of rows.
        observations: (n, ...): the observation after the latest reset or step of each row.
        rewards: (n,): the latest reward.
        terminated: (n,): the task ended.
        success: (n,): the task is solved.
        critical: (n,): the state is one to be avoided, such as a collision.
        cost: (n,): what the state costs in safety terms; 0 where nothing is at stake.
    """

    renders: bool = False
    pixel_observations: bool = False
    random_starts: bool = True

    card: WorldCard
    observation_space: Box
    action_space: Box | Discrete
    n: int
    observations: Array
    rewards: FloatArray
    terminated: BoolArray
    success: BoolArray
    critical: BoolArray
    cost: FloatArray

    def _allocate(self, n: int) -> None:
        """Make the arrays that every world has; call it from the constructor once the spaces are set."""
        self.n = n
        self.observations = np.zeros((n, *self.observation_space.shape), self.observation_space.dtype)
        self.rewards = np.zeros(n)
        self.terminated = np.zeros(n, np.bool_)
        self.success = np.zeros(n, np.bool_)
        self.critical = np.zeros(n, np.bool_)
        self.cost = np.zeros(n)

    @abstractmethod
    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start a new episode in some rows, with every physics parameter back at its neutral value.

        Args:
            rows: Which rows.
            seeds: Root seed of each.
            episodes: How many episodes were started from that seed before.
        """

    @abstractmethod
    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Execute one action in every row, or in some.

        Args:
            actions: (n, ...): one action per row of the world, also when only some rows are stepped.
            rows: Which rows; None for all.

        Raises:
            SimulationDiverged: A row's physics became non-finite.
        """

    @property
    def action_shape(self) -> tuple[int, ...]:
        """Shape of one row's action; of a choice, empty."""
        return self.action_space.shape or ()

    @property
    def physics_parameters(self) -> Mapping[str, PhysicsParameter]:
        """The physical parameters that can be set."""
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
        """Set a physics parameter of some rows; it stays so until set again or until the row is reset."""
        raise UnknownName(f"{self.card.id} has no physics parameter {name!r}.")

    def executed(self, actions: Array) -> Array:
        """Return what the actuators make of an action, such as saturation at their limits."""
        return actions

    def frames(
        self, rows: IntArray | None = None, *, observations: Array | None = None, size: int = FRAME_SIZE
    ) -> Frames:
        """Return RGB pictures of some rows as a camera sees them: no text and no clock, and equal states look equal.

        Args:
            rows: Which rows; None for all.
            observations: (n, ...), one per row of the world, as a sensor reports them. What they report is drawn in
                place of the truth; what they do not report stays true. A report that is not finite shows nothing.
            size: Pixels per side.

        Returns:
            (len(rows), size, size, 3), bytes. Picture k shows ``rows[k]`` and does not depend on the others.

        Raises:
            UnsupportedEnvironment: The world has no pictures.
        """
        if not self.renders:
            raise UnsupportedEnvironment(f"{self.card.id} cannot be rendered.")
        if observations is not None and observations.shape != self.observations.shape:
            raise InvalidParameter(
                f"the observations to draw have shape {observations.shape}; expected {self.observations.shape}, one "
                f"per row of the world."
            )
        drawn = np.arange(self.n) if rows is None else np.asarray(rows, np.int64)
        size = positive_integer("size", size)
        return self.draw(drawn, observations, size) if len(drawn) else np.empty((0, size, size, 3), np.uint8)

    def draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Draw some rows for :meth:`frames`, which checks the arguments; a world with ``renders = True`` has this."""
        raise UnsupportedEnvironment(f"{self.card.id} says that it renders, but has no `draw`; write one.")

    def camera_images(self, rows: IntArray) -> Frames:
        """Return the images that pixel observations are made from: (len(rows), H, W, 3) bytes.

        Image k belongs to ``rows[k]``. There is one per reset and one per step of a row. Only worlds with
        `pixel_observations` have them.
        """
        raise UnsupportedEnvironment(f"{self.card.id} has no pixel observations.")

    def observe_images(self, images: Frames, before: Array) -> Array:
        """Return the next pixel observations, made from these images.

        A pure function of its arguments. Applied to the result of :meth:`camera_images` after a step, it gives the
        world's own `observations`.

        Args:
            images: (k, H, W, 3) bytes.
            before: (k, ...): what the same agents observed one step earlier.
        """
        raise UnsupportedEnvironment(f"{self.card.id} has no pixel observations.")

    def resize_images(self, images: Frames, size: int) -> Frames:
        """Return images of :meth:`camera_images` in the size of :meth:`frames`."""
        raise UnsupportedEnvironment(f"{self.card.id} has no pixel observations.")

    def render(self, row: int = 0) -> Frame:
        """Return an RGB picture of one row."""
        frame: Frame = self.frames(np.array([row]))[0]
        return frame

    def current_physics(self, row: int) -> dict[str, Any]:
        """Return the physical parameters in force in a row, to see that a fault was undone."""
        return {}

    def close(self) -> None:
        """Free what the world holds."""


def box(channels: tuple[Channel, ...], limit: float = np.inf) -> Box:
    """Return the space of a vector of channels, symmetric around zero."""
    return Box(-limit, limit, (len(channels),), np.float32)
