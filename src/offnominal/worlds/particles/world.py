"""SAP: a point agent moves to a goal between objects that it may push and hazards that it must avoid."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from offnominal.core.compilation import RepeatedCall
from offnominal.core.types import Array, FloatArray, Frames, IntArray
from offnominal.worlds.camera import DrawFunction, DrawnCamera
from offnominal.worlds.compiled_world import CompiledWorld
from offnominal.worlds.particles import kernel
from offnominal.worlds.particles.card import CARDS, LAYOUTS
from offnominal.worlds.world import box

TO_GOAL, AGENT_POSITION = slice(0, 2), slice(4, 6)
STEP = RepeatedCall(kernel.step_rows)


class ParticleWorld(CompiledWorld):
    """N particle worlds of one layout.

    Args:
        n: Number of rows.
        id: ``SAP-Goal0-v0``, ``SAP-Goal1-v0`` or ``SAP-Goal2-v0``.

    Example:
        >>> world = ParticleWorld(2, id="SAP-Goal0-v0")
        >>> world.reset(np.arange(2), seeds=np.array([7, 8]), episodes=np.zeros(2, int))
        >>> world.step(np.ones((2, 2)))
        >>> world.observations.shape
        (2, 26)
    """

    def __init__(self, n: int, *, id: str = "SAP-Goal0-v0") -> None:
        self.card = CARDS[id]
        self.layout = LAYOUTS[id]
        self.observation_space = box(self.card.observation)
        self.action_space = box(self.card.action, limit=1.0)
        self._allocate(n)
        bodies = 1 + self.layout.objects
        self._state = kernel.State(
            keys=np.zeros(n, np.uint64),
            ticks=self._ticks,
            position=np.zeros((n, bodies, 2)),
            velocity=np.zeros((n, bodies, 2)),
            goals=np.zeros((n, 2)),
            hazards=np.zeros((n, self.layout.hazards, 2)),
            moved=np.zeros((n, bodies), np.bool_),
            touched=np.zeros(n, np.bool_),
        )

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Draw a new initial state in some rows."""
        self._begin(rows, seeds)
        kernel.reset_rows(rows, seeds, episodes, self.layout.half, self._state, self._outcomes)

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Apply the thrusts for 0.1 s."""
        self._step(STEP, rows, actions, self._physics_parameters, self._state, self._outcomes)

    @property
    def camera(self) -> ParticleCamera:
        """Camera that draws the rows."""
        return ParticleCamera(self._draw, self._placed)

    def _placed(self, rows: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return positions of bodies, goals and hazards of some rows."""
        return self._state.position[rows], self._state.goals[rows], self._state.hazards[rows]

    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Draw rows from above; reported observations move the agent and the goal."""
        from offnominal.worlds.particles.render import draw

        position, goals, hazards = self._placed(rows)
        if observations is not None:
            reported = observations[rows].astype(np.float64)
            position[:, 0] = reported[:, AGENT_POSITION]
            goals = reported[:, AGENT_POSITION] + reported[:, TO_GOAL]
        return draw(position, goals, hazards, size=size)


Bodies: TypeAlias = Callable[[IntArray], tuple[FloatArray, FloatArray, FloatArray]]

ENLARGED = 1.8
"""Factor on the radius of the agent in images for people."""


class ParticleCamera(DrawnCamera):
    """Camera whose images for people have a larger agent with a trail.

    Args:
        function: Implements :meth:`Camera.draw`.
        bodies: Returns the positions of the bodies, the goals and the hazards of some rows.
    """

    def __init__(self, function: DrawFunction, bodies: Bodies) -> None:
        super().__init__(function)
        self._bodies = bodies

    def render(self, rows: IntArray, size: int, trails: FloatArray | None = None) -> Frames:
        """Return square RGB images of some rows, with the trails of the agents."""
        from offnominal.worlds.particles.render import draw

        if trails is None:
            trails = np.empty((len(rows), 0, 2))
        return draw(*self._bodies(rows), size=size, trails=trails, agent_scale=ENLARGED)

    def track(self, rows: IntArray) -> FloatArray:
        """Return the positions of the agents, m."""
        positions: FloatArray = self._bodies(rows)[0][:, 0].copy()
        return positions
