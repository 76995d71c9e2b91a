"""Normalised scores of faulty episodes, with control variates from their nominal twins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from offnominal.anomalies.fault import Fault
from offnominal.anomalies.schedule import Schedule
from offnominal.calibration.axis import Axis
from offnominal.core.errors import InvalidParameter
from offnominal.core.policy import Policy, RandomPolicy
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.rollouts.collection import returns
from offnominal.worlds.world_source import WorldSource, open_world

REFERENCE_EPISODES = 2000
MAX_REFERENCE_EPISODES = 16_000
REFERENCE_ERRORS = {"expert": 0.001, "random": 0.004}
STARTS = 100_000
SEARCH_SEED = 60_000_000
FRESH_SEED = 70_000_000
RANDOM_SEED = 80_000_000
REFERENCE_SEED = 90_000_000
STARTS_SEED = 100_000_000


def ignore(episodes: int) -> None:
    """Ignore a number of episodes."""


class Sampler:
    """Scores of faulty episodes in one world with one policy.

    The score of an episode is (return - random) / (expert - random): the policy's nominal episodes have a mean of one,
    uniformly random actions of zero. Episode i of every fault has the same seed and the same nominal twin, so
    differences between faults have little variance.

    Args:
        world: Source of the world; see :data:`~offnominal.worlds.world_source.WorldSource`.
        policy: Policy whose return is measured.
        batch: Number of episodes that are simulated together.
        references: Largest number of episodes for the mean return of the policy, and of random actions.
        starts: Number of resets for the mean first observation.
        max_steps: Time limit; the world's own if None.
        on_episodes: Called with the number of episodes after each part of the simulation.
        **options: Options of the world, if it is given by id.
    """

    def __init__(
        self,
        world: WorldSource,
        policy: Policy | Callable[[Array], Array],
        *,
        batch: int = 512,
        references: int = MAX_REFERENCE_EPISODES,
        starts: int = STARTS,
        max_steps: int | None = None,
        on_episodes: Callable[[int], None] = ignore,
        **options: Any,
    ) -> None:
        self.world, self.policy, self.batch, self.options = world, policy, batch, options
        self.max_steps, self.on_episodes = max_steps, on_episodes
        self.references, self.starts = references, starts
        self.episodes = 0
        self._nominal: dict[int, float] = {}

    def prepare(self) -> None:
        """Simulate the reference episodes of the policy and of random actions."""
        starts = self._starts(STARTS_SEED, self.starts)
        self._start_mean = starts.mean(axis=0)
        self._start_varies = np.ptp(starts, axis=0) > 0.0
        with open_world(self.world, 1, **self.options) as sample:
            space = sample.action_space
        self.random_return, self.expert_return = self._references(RandomPolicy(space), self.references)
        self.range = self.expert_return - self.random_return

    def control_variates(self, seed: int, n: int) -> FloatArray:
        """Return control variates of each episode, whose expectation over all seeds is zero.

        The first column is the score of the nominal twin, the others are the first observation.
        """
        starts = (self._starts(seed, n) - self._start_mean)[:, self._start_varies]
        return np.column_stack([self._score(self.nominal_returns(seed, n)) - 1.0, starts])

    def simulate_nominal(self, seed: int, n: int) -> None:
        """Simulate nominal twins ahead, so that copies of this object in other processes share them."""
        self.nominal_returns(seed, n)

    def faulty(self, axis: Axis, distances: FloatArray, seed: int, onset: Any = "start") -> FloatArray:
        """Return the scores of faulty episodes.

        Args:
            axis: Axis of the anomaly.
            distances: Distance from neutral, one per episode.
            seed: Seed of the first episode.
            onset: Onset of the fault.
        """
        schedule = Schedule(onset=onset)
        made: dict[float, Fault] = {}
        for distance, parameter in zip(distances.tolist(), axis.parameter(distances).tolist(), strict=True):
            made.setdefault(distance, Fault(axis.anomaly, parameter, schedule))
        faults: list[tuple[Fault, ...]] = [(made[distance],) for distance in distances.tolist()]
        self.episodes += len(faults)
        return self._score(self._run(self.policy, seed, faults))

    def _references(self, random: Policy, most: int) -> tuple[float, float]:
        """Return the mean returns of random actions and of the policy, with small standard errors."""
        least = min(REFERENCE_EPISODES, most)
        sampled = {"random": np.empty(0), "expert": np.empty(0)}
        policies = {"random": (random, RANDOM_SEED), "expert": (self.policy, REFERENCE_SEED)}
        imprecise = list(sampled)
        while imprecise:
            for name in imprecise:
                policy, seed = policies[name]
                earlier = sampled[name]
                more = self._run(policy, seed + len(earlier), [()] * max(least, len(earlier)))
                sampled[name] = np.concatenate([earlier, more])
            low, high = (float(np.mean(sampled[name])) for name in ("random", "expert"))
            if not high > low:
                raise InvalidParameter(
                    f"the mean return of the policy is {high:.4g}, that of random actions {low:.4g}; a strength is a "
                    "loss relative to their difference, so give a policy that is better than random."
                )
            errors = {name: np.std(values) / np.sqrt(len(values)) / (high - low) for name, values in sampled.items()}
            imprecise = [
                name for name in imprecise if errors[name] > REFERENCE_ERRORS[name] and len(sampled[name]) < most
            ]
        return low, high

    def _score(self, total_rewards: FloatArray) -> FloatArray:
        return (total_rewards - self.random_return) / self.range

    def nominal_returns(self, seed: int, n: int) -> FloatArray:
        """Return the returns of n nominal episodes of the policy; each seed is simulated once."""
        seeds = range(seed, seed + n)
        missing = [each for each in seeds if each not in self._nominal]
        if missing:
            found = self._returns(self.policy, np.array(missing), [()] * len(missing))
            self._nominal.update(zip(missing, found.tolist(), strict=True))
        return np.array([self._nominal[each] for each in seeds])

    def _starts(self, seed: int, n: int) -> FloatArray:
        """Return the first observations of n episodes."""
        observations = []
        with open_world(self.world, min(n, self.batch), **self.options) as world:
            size = min(n, world.n)
            for first in range(0, n, size):
                rows = np.arange(min(size, n - first))
                world.reset(rows, seed + first + rows, np.zeros_like(rows))
                observations.append(world.observations[rows].reshape(len(rows), -1).astype(np.float64))
        return np.concatenate(observations)

    def _run(self, policy: Any, seed: int, faults: list[tuple[Fault, ...]]) -> FloatArray:
        return self._returns(policy, seed + np.arange(len(faults)), faults)

    def _returns(self, policy: Any, seeds: IntArray, faults: list[tuple[Fault, ...]]) -> FloatArray:
        found = returns(self.world, policy, seeds, faults, batch=self.batch, max_steps=self.max_steps, **self.options)
        self.on_episodes(len(seeds))
        return found
