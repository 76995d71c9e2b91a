"""SAP: a point agent moves to a goal between objects that it may push and hazards that it must avoid."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.core.errors import SimulationDiverged
from offnominal.core.types import Array, FloatArray, Frames, IntArray
from offnominal.worlds.particles import kernel
from offnominal.worlds.particles.camera import ParticleCamera
from offnominal.worlds.particles.card import CARDS, LAYOUTS
from offnominal.worlds.world import World, box

TO_GOAL, AGENT_POSITION = slice(0, 2), slice(4, 6)


class ParticleWorld(World):
    """N particle worlds of one layout.

    Args:
        n: Number of rows.
        id: ``SAP-Goal0-v0``, ``SAP-Goal1-v0`` or ``SAP-Goal2-v0``.
        threads: Not used; accepted because other worlds have it.

    Example:
        >>> world = ParticleWorld(2, id="SAP-Goal0-v0")
        >>> world.reset(np.arange(2), seeds=np.array([7, 8]), episodes=np.zeros(2, int))
        >>> world.step(np.ones((2, 2)))
        >>> world.observations.shape
        (2, 26)
    """

    def __init__(self, n: int, *, id: str = "SAP-Goal0-v0", threads: int | None = None) -> None:
        self.card = CARDS[id]
        self.layout = LAYOUTS[id]
        self.observation_space = box(self.card.observation)
        self.action_space = box(self.card.action, limit=1.0)
        self._allocate(n)
        bodies = 1 + self.layout.objects
        self._position = np.zeros((n, bodies, 2))
        self._velocity = np.zeros((n, bodies, 2))
        self._goals = np.zeros((n, 2))
        self._hazards = np.zeros((n, self.layout.hazards, 2))
        self._moved = np.zeros((n, bodies), np.bool_)
        self._touched = np.zeros(n, np.bool_)
        self._neutral = np.array([physics_parameter.neutral for physics_parameter in self.card.physics_parameters])
        self._column = {physics_parameter.name: k for k, physics_parameter in enumerate(self.card.physics_parameters)}
        self._physics_parameters = np.tile(self._neutral, (n, 1))
        self._keys = np.zeros(n, np.uint64)
        self._ticks = np.zeros(n, np.int64)
        self._seeds = np.zeros(n, np.int64)
        self._all = np.arange(n)

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Draw a new initial state in some rows."""
        self._seeds[rows] = seeds
        self._physics_parameters[rows] = self._neutral
        kernel.reset_rows(
            rows,
            seeds,
            episodes,
            self._keys,
            self._ticks,
            self.layout.half,
            self._position,
            self._velocity,
            self._goals,
            self._hazards,
            self._moved,
            self._touched,
            self.observations,
            self.rewards,
            self.terminated,
            self.success,
            self.critical,
            self.cost,
        )

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Apply the thrusts for 0.1 s."""
        diverged = kernel.step_rows(
            self._all if rows is None else rows,
            actions,
            self._keys,
            self._ticks,
            self._physics_parameters,
            self._position,
            self._velocity,
            self._goals,
            self._hazards,
            self._moved,
            self._touched,
            self.observations,
            self.rewards,
            self.terminated,
            self.success,
            self.critical,
            self.cost,
        )
        if diverged >= 0:
            raise SimulationDiverged(
                f"{self.card.id}: the agent's position is not finite in row {diverged} (seed {self._seeds[diverged]}) "
                f"at step {self._ticks[diverged] - 1}; use a weaker fault."
            )

    def set_physics_parameter(self, name: str, rows: IntArray, values: FloatArray) -> None:
        """Set a physics parameter of some rows."""
        self._physics_parameters[rows, self._column[self.physics_parameter(name).name]] = values

    def current_physics(self, row: int) -> dict[str, Any]:
        """Return the current values of the physics parameters."""
        return {name: float(self._physics_parameters[row, column]) for name, column in self._column.items()}

    @property
    def camera(self) -> ParticleCamera:
        """Camera that draws the rows."""
        return ParticleCamera(self._draw, lambda rows: (self._position[rows], self._goals[rows], self._hazards[rows]))

    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Draw rows from above; reported observations move the agent and the goal."""
        from offnominal.worlds.particles.render import draw

        position, goals = self._position[rows], self._goals[rows]
        if observations is not None:
            reported = observations[rows].astype(np.float64)
            position[:, 0] = reported[:, AGENT_POSITION]
            goals = reported[:, AGENT_POSITION] + reported[:, TO_GOAL]
        return draw(position, goals, self._hazards[rows], size=size)
