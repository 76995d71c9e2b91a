"""Normalised scores of faulty episodes, with control variates from their nominal twins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

AnyPolicy = Policy | Callable[[Array], Array]
"""A policy, or a function from a batch of observations to a batch of actions."""
REFERENCE_EPISODES = 2000
MAX_REFERENCE_EPISODES = 16_000
REFERENCE_ERRORS = {"expert": 0.001, "random": 0.004}
LEAST_LEARNED = 0.5
"""Smallest return above random actions of a policy, as a share of that of the best."""
STARTS = 100_000
SEARCH_SEED = 60_000_000
FRESH_SEED = 70_000_000
RANDOM_SEED = 80_000_000
REFERENCE_SEED = 90_000_000
STARTS_SEED = 100_000_000


def ignore(episodes: int) -> None:
    """Ignore a number of episodes."""


class Sampler:
    """Scores of faulty episodes in one world with one policy or several.

    The score of an episode is (return - random) / (nominal - random), where `nominal` is the mean nominal return of the
    episode's own policy: nominal episodes of each policy have a mean of one, uniformly random actions of zero. So a
    level is a share of what an agent earns, and no policy has more weight because it earns more. Policies take turns:
    the seed decides. Episode i of every fault has the same seed, the same policy and the same nominal twin, so
    differences between faults have little variance.

    Args:
        world: Source of the world; see :data:`~offnominal.worlds.world_source.WorldSource`.
        policies: Policies whose returns are measured.
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
        policies: Sequence[AnyPolicy],
        *,
        batch: int = 512,
        references: int = MAX_REFERENCE_EPISODES,
        starts: int = STARTS,
        max_steps: int | None = None,
        on_episodes: Callable[[int], None] = ignore,
        **options: Any,
    ) -> None:
        self.world, self.policies, self.batch, self.options = world, tuple(policies), batch, options
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
        self._find_references(RandomPolicy(space))

    def policy_of(self, seed: int, n: int) -> IntArray:
        """Return the index of the policy of each of n episodes."""
        found: IntArray = (seed + np.arange(n)) % len(self.policies)
        return found

    def control_variates(self, seed: int, n: int) -> FloatArray:
        """Return control variates of each episode, whose expectation over all seeds is zero.

        The first column is the score of the nominal twin. The next ones are the policy, as deviations from equal
        shares: they take the differences between policies out of the variance. The others are the first observation.
        """
        which = self.policy_of(seed, n)
        policies = (which[:, None] == np.arange(1, len(self.policies))) - 1.0 / len(self.policies)
        starts = (self._starts(seed, n) - self._start_mean)[:, self._start_varies]
        return np.column_stack([self._score(self.nominal_returns(seed, n), which) - 1.0, policies, starts])

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
        seeds, which = seed + np.arange(len(faults)), self.policy_of(seed, len(faults))
        return self._score(self._returns_of(which, seeds, faults), which)

    def _find_references(self, random: Policy) -> None:
        """Measure the mean returns of random actions and of each policy, with small standard errors.

        The errors of the policies add up to that of their mean, so each may be larger if there are several.
        """
        count = len(self.policies)
        least = min(REFERENCE_EPISODES, self.references)
        sampled: list[FloatArray] = [np.empty(0) for _ in range(count + 1)]
        allowed = np.array([REFERENCE_ERRORS["random"]] + [REFERENCE_ERRORS["expert"] * np.sqrt(count)] * count)
        imprecise = list(range(count + 1))
        while imprecise:
            for index in imprecise:
                earlier = len(sampled[index])
                policy, seed = (random, RANDOM_SEED) if index == 0 else (self.policies[index - 1], REFERENCE_SEED)
                size = max(-(-least // count) if index else least, earlier)
                more = self._returns(policy, seed + earlier + np.arange(size), [()] * size)
                sampled[index] = np.concatenate([sampled[index], more])
            means = np.array([float(np.mean(values)) for values in sampled])
            ranges = means[1:] - means[0]
            require_learned(means[0], means[1:])
            spread = np.array([np.std(values) / np.sqrt(len(values)) for values in sampled])
            errors = spread / np.append(np.mean(ranges), ranges)
            most = [self.references] + [-(-self.references // count)] * count
            imprecise = [
                index for index in imprecise if errors[index] > allowed[index] and len(sampled[index]) < most[index]
            ]
        self.random_return, self.nominal_means, self.ranges = float(means[0]), means[1:], ranges
        self.reference_errors, self.random_errors = errors[1:], spread[0] / ranges

    def _score(self, total_rewards: FloatArray, which: IntArray) -> FloatArray:
        found: FloatArray = (total_rewards - self.random_return) / self.ranges[which]
        return found

    def nominal_returns(self, seed: int, n: int) -> FloatArray:
        """Return the returns of n nominal episodes of the policies; each seed is simulated once."""
        seeds = range(seed, seed + n)
        missing = [each for each in seeds if each not in self._nominal]
        if missing:
            found = self._returns_of(np.array(missing) % len(self.policies), np.array(missing), [()] * len(missing))
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

    def _returns_of(self, which: IntArray, seeds: IntArray, faults: list[tuple[Fault, ...]]) -> FloatArray:
        """Return the return of each episode, each with its own policy."""
        found = np.empty(len(seeds))
        for index, policy in enumerate(self.policies):
            chosen = np.flatnonzero(which == index)
            if len(chosen):
                found[chosen] = self._returns(policy, seeds[chosen], [faults[each] for each in chosen])
        return found

    def _returns(self, policy: Any, seeds: IntArray, faults: list[tuple[Fault, ...]]) -> FloatArray:
        found = returns(self.world, policy, seeds, faults, batch=self.batch, max_steps=self.max_steps, **self.options)
        self.on_episodes(len(seeds))
        return found


def require_learned(random: float, returns: FloatArray) -> None:
    """Raise an error for a policy that is no better than random actions, or has learned far less than the best."""
    worst, best = int(np.argmin(returns)), float(np.max(returns))
    which = "the policy" if len(returns) == 1 else f"policy {worst + 1} of {len(returns)}"
    if not returns[worst] > random:
        raise InvalidParameter(
            f"the mean return of {which} is {returns[worst]:.4g}, that of random actions {random:.4g}; a strength is a "
            "loss relative to their difference, so give a policy that is better than random."
        )
    if returns[worst] - random < LEAST_LEARNED * (best - random):
        raise InvalidParameter(
            f"the mean return of {which} is {returns[worst]:.4g}, that of the best {best:.4g} and of random actions "
            f"{random:.4g}; leave out policies that earn less than {LEAST_LEARNED:.0%} of what the best earns."
        )
