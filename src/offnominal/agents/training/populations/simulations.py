"""Simulations of all agents of a population, which can return to the middle of their episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from offnominal.agents.training.checkpoint import State
from offnominal.agents.training.populations.held_actions import generator_states, restore_generators
from offnominal.agents.training.settings import FIRST_SEED
from offnominal.agents.training.simulations import (
    StartedEpisodes,
    SubprocessSimulations,
    SyncSimulations,
    make_simulations,
)
from offnominal.core.types import Array, BoolArray, IntArray
from offnominal.worlds.catalogue import make_world
from offnominal.worlds.checks import continuous_action_space


class Transitions(NamedTuple):
    """One transition of every simulation; the first axis is agents times rows.

    Args:
        before: Observations.
        rewards: Rewards.
        after: Next observations; where an episode ended, its last one.
        terminated: Whether the task ended.
        truncated: Whether the time limit ended the episode.
    """

    before: Array
    rewards: Array
    after: Array
    terminated: BoolArray
    truncated: BoolArray

    @property
    def ended(self) -> BoolArray:
        """Whether the episode ended."""
        return self.terminated | self.truncated


class PopulationSimulations:
    """Steps the simulations of all agents, each with seeds that depend on its own seed only.

    Args:
        world: Id of the world.
        seeds: Seed of each agent.
        rows: Simulations of each agent.
        workers: Number of processes; 0 for this one.
        options: Options of the world.

    Attributes:
        observations: (agents * rows, channels): current observations.
        generators: Generator of each agent, for random actions.
    """

    def __init__(self, world: str, seeds: Sequence[int], rows: int, workers: int, options: Mapping[str, Any]) -> None:
        self.agents, self.rows = len(seeds), rows
        sample = make_world(world, 1)
        self.card, self.space = sample.card, continuous_action_space(sample)
        self.widths = len(self.card.observation), len(self.card.action)
        self._middle, self._reach = (self.space.high + self.space.low) / 2.0, (self.space.high - self.space.low) / 2.0
        self._envs: SyncSimulations | SubprocessSimulations = make_simulations(
            world, self.agents * rows, workers, **options
        )
        self.generators = [np.random.default_rng(seed) for seed in seeds]
        self._seeds: IntArray = np.array(
            [FIRST_SEED + seed * 1_000_003 + row for seed in seeds for row in range(rows)], np.int64
        )
        self._every: IntArray = np.arange(len(self._seeds))
        self._episodes, self._elapsed = np.zeros_like(self._seeds), np.zeros_like(self._seeds)
        self._executed = np.zeros((self.card.max_steps, len(self._seeds), self.widths[1]), np.float32)
        self.observations = self._envs.reset(self._seeds.tolist())

    def random_actions(self) -> Array:
        """Return uniform actions in [-1, 1], (agents, rows, action)."""
        shape = self.rows, self.widths[1]
        return np.array([generator.uniform(-1.0, 1.0, shape) for generator in self.generators], np.float32)

    def step(self, actions: Array) -> Transitions:
        """Execute actions in [-1, 1], (agents, rows, action)."""
        before = self.observations
        commands = self._middle + self._reach * actions.reshape(len(self._seeds), -1)
        self._envs.send(commands)
        self._executed[self._elapsed, self._every] = commands
        self.observations, rewards, terminated, truncated = self._envs.receive()
        ended = terminated | truncated
        self._elapsed = np.where(ended, 0, self._elapsed + 1)
        self._episodes += ended
        after = np.where(ended[:, None], self._envs.final, self.observations)
        return Transitions(before, rewards, after, terminated, truncated)

    def state(self) -> State:
        """Return which episodes there are and what was done in them so far."""
        executed = self._executed[: max(int(self._elapsed.max()), 1)]
        arrays = {"episodes": self._episodes, "elapsed": self._elapsed, "executed": executed}
        return {
            "generators": generator_states(self.generators),
            **{name: torch.from_numpy(array) for name, array in arrays.items()},
        }

    def restore(self, state: State) -> None:
        """Return to the middle of the episodes: they are started again and their actions repeated."""
        restore_generators(self.generators, state["generators"])
        self._episodes, self._elapsed = state["episodes"].cpu().numpy(), state["elapsed"].cpu().numpy()
        executed = state["executed"].cpu().numpy()
        self._executed[: len(executed)] = executed
        self.observations = self._envs.repeat(StartedEpisodes(self._seeds, self._episodes, self._elapsed, executed))

    def close(self) -> None:
        """End the processes."""
        self._envs.close()
