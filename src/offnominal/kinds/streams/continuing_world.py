"""A world that never ends: where an episode would end, it starts again, and nobody is told."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.worlds.camera import Camera
from offnominal.worlds.world import World


class ContinuingWorld(World):
    """Rows of a world that run on without an end.

    A row starts again, in the same step, when its task has ended or its time is over. The observation after that step
    is the first one of the new task. Physics parameters, such as wear, keep their values; the flags of an ended
    episode are never set. A reset of this world starts nothing: it only makes the physics neutral, so that successive
    rollouts continue each other.

    Args:
        world: The world; it belongs to this one.
        seeds: Root seed of each row.
        time_limit: Steps of a task; None for no limit.

    Attributes:
        restarts: Pairs of row and step at which a row has started again; steps are counted since the making.

    Example:
        >>> from offnominal.worlds import make_world
        >>> world = ContinuingWorld(make_world("OOD-CartPole-v0", 1), np.array([0]))
        >>> for _ in range(30):
        ...     world.step(np.ones(1, int))
        >>> len(world.restarts), bool(world.terminated[0])
        (3, False)
    """

    def __init__(self, world: World, seeds: IntArray, time_limit: int | None = None) -> None:
        self.inner, self.card, self.n = world, world.card, world.n
        self.observation_space, self.action_space = world.observation_space, world.action_space
        self.seeds, self.time_limit = np.asarray(seeds, np.int64), time_limit
        self.terminated, self.truncated = np.zeros(self.n, np.bool_), np.zeros(self.n, np.bool_)
        self.restarts: list[tuple[int, int]] = []
        self._tasks, self._ages, self._step = np.zeros(self.n, np.int64), np.zeros(self.n, np.int64), 0
        self._physics: dict[str, FloatArray] = {}
        world.reset(np.arange(self.n), self.seeds, self._tasks)
        self._show()

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Set every physics parameter of some rows to its neutral value, and start nothing."""
        for name, values in self._physics.items():
            values[rows] = self.physics_parameter(name).neutral
            self.inner.set_physics_parameter(name, rows, values[rows])

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Execute one action in every row, or in some, and start those again that have ended."""
        stepped = np.arange(self.n) if rows is None else rows
        self.inner.step(actions, rows)
        self._ages[stepped] += 1
        over = self.inner.terminated[stepped] | self.inner.truncated[stepped]
        if self.time_limit is not None:
            over = over | (self._ages[stepped] >= self.time_limit)
        if over.any():
            self._begin(stepped[over])
        self._step += 1
        self._show()

    def _begin(self, rows: IntArray) -> None:
        self.restarts += [(int(row), self._step) for row in rows]
        self._tasks[rows] += 1
        self._ages[rows] = 0
        self.inner.reset(rows, self.seeds[rows], self._tasks[rows])
        for name, values in self._physics.items():
            self.inner.set_physics_parameter(name, rows, values[rows])

    def _show(self) -> None:
        for name in ("observations", "rewards", "success", "critical", "cost"):
            setattr(self, name, getattr(self.inner, name))

    def set_physics_parameter(self, name: str, rows: IntArray, values: FloatArray) -> None:
        """Set a physics parameter of some rows until it is set again; a new task keeps it."""
        neutral = self.physics_parameter(name).neutral
        kept = self._physics.setdefault(name, np.full(self.n, neutral))
        kept[rows] = values
        self.inner.set_physics_parameter(name, rows, values)

    def executed(self, actions: Array) -> Array:
        """Return the action that the actuators execute."""
        return self.inner.executed(actions)

    def refusal(self, anomaly: str) -> str:
        """Return why this world must not have an anomaly; empty if it may."""
        return self.inner.refusal(anomaly)

    @property
    def camera(self) -> Camera | None:
        """Camera of the world."""
        return self.inner.camera

    def current_physics(self, row: int) -> dict[str, Any]:
        """Return the current physical parameters of a row."""
        return self.inner.current_physics(row)

    def close(self) -> None:
        """Do nothing: it goes on in the next rollout. :meth:`end` releases the resources."""

    def end(self) -> None:
        """Release the resources of the world."""
        self.inner.close()
