"""Recorders: storage of episodes or returns during a rollout."""

from __future__ import annotations

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.anomalies.injection import Injection
from offnominal.core.episode import Episode
from offnominal.core.types import Array, IntArray
from offnominal.worlds.world import World

OUTCOMES = ("success", "critical", "cost")
INITIAL_CAPACITY = 1024


class EpisodeRecorder:
    """Records the episodes of a batch in arrays that grow with the longest episode."""

    def __init__(self, world: World, injection: Injection, rows: int, limit: int) -> None:
        self.world, self.injection = world, injection
        self._limit, limit = limit, min(limit, INITIAL_CAPACITY)
        observation, action = world.observation_space, world.action_space
        shape = (rows, limit, *world.action_shape)
        faults = injection.applied.shape[1]
        self.lengths = np.zeros(rows, np.int64)
        self.terminated = np.zeros(rows, np.bool_)
        self.observations = np.zeros((rows, limit + 1, *observation.shape), observation.dtype)
        self.steps: dict[str, Array] = {
            "actions": np.zeros(shape, action.dtype),
            "rewards": np.zeros((rows, limit)),
            "active": np.zeros((rows, limit), np.bool_),
            "executed_actions": np.zeros(shape, np.int64 if isinstance(action, Discrete) else np.float64),
            "applied": np.zeros((rows, limit, faults)),
            **{name: np.zeros((rows, limit), getattr(world, name).dtype) for name in OUTCOMES},
        }
        self.clean = np.zeros_like(self.observations)

    def start(self) -> None:
        """Record the first observations, which no fault changes."""
        rows = len(self.observations)
        self.observations[:, 0] = self.world.observations[:rows]
        self.clean[:, 0] = self.world.observations[:rows]

    def record(self, t: int, rows: IntArray, commanded: Array, executed: Array, observations: Array) -> None:
        """Record one transition of some rows."""
        world, injection = self.world, self.injection
        if t == self.steps["rewards"].shape[1]:
            self._grow(min(2 * t, self._limit) - t)
        self.lengths[rows] = t + 1
        self.terminated[rows] = world.terminated[rows]
        self.observations[rows, t + 1] = observations[rows]
        self.clean[rows, t + 1] = world.observations[rows]
        values = {
            "actions": commanded,
            "rewards": world.rewards,
            "active": injection.active,
            "executed_actions": world.executed(executed),
            "applied": injection.applied,
            **{name: getattr(world, name) for name in OUTCOMES},
        }
        for name, value in values.items():
            self.steps[name][rows, t] = value[rows]

    def episode(self, row: int, seed: int) -> Episode:
        """Return one recorded episode."""
        length = int(self.lengths[row])
        cut = {name: values[row, :length].copy() for name, values in self.steps.items()}
        cut["applied"] = cut["applied"][:, : len(self.injection.faults[row])].copy()
        main = {name: cut.pop(name) for name in ("actions", "rewards", "active")}
        return Episode(
            observations=self.observations[row, : length + 1].copy(),
            **main,
            events=self.injection.events(row),
            seed=seed,
            terminated=bool(self.terminated[row]),
            extras={"clean_observations": self.clean[row, : length + 1].copy(), **cut},
        )

    def _grow(self, more: int) -> None:
        """Extend the arrays by more transitions."""

        def longer(values: Array) -> Array:
            return np.concatenate([values, np.zeros((len(values), more, *values.shape[2:]), values.dtype)], axis=1)

        self.steps = {name: longer(values) for name, values in self.steps.items()}
        self.observations, self.clean = longer(self.observations), longer(self.clean)


class ReturnRecorder:
    """Records the return of each episode only."""

    def __init__(self, world: World, injection: Injection, rows: int, limit: int) -> None:
        self.world = world
        self.rewards = np.zeros((rows, limit))
        self.lengths = np.zeros(rows, np.int64)

    def start(self) -> None:
        """Do nothing; there is no reward yet."""

    def record(self, t: int, rows: IntArray, commanded: Array, executed: Array, observations: Array) -> None:
        """Record the rewards of one transition."""
        self.rewards[rows, t] = self.world.rewards[rows]
        self.lengths[rows] = t + 1

    def episode(self, row: int, seed: int) -> float:
        """Return the return of an episode."""
        return float(np.sum(self.rewards[row, : self.lengths[row]]))
