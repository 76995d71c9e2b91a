"""Episodes for a calibration: faulty ones beside their nominal twins, as normalised scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from offnominal.agents.policy import Policy, RandomPolicy
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.schedule import Schedule
from offnominal.calibration.axis import Axis
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray
from offnominal.rollouts.collection import WorldSource, build_world, returns

REFERENCE_EPISODES = (2000, 16_000)
REFERENCE_ERRORS = {"expert": 0.001, "random": 0.004}
STARTS = 100_000
SEARCH_SEED = 60_000_000
FRESH_SEED = 70_000_000
RANDOM_SEED = 80_000_000
REFERENCE_SEED = 90_000_000
STARTS_SEED = 100_000_000


class Sampler:
    """Scores of faulty episodes in one world with one policy.

    The score of an episode is (its return - random) / (expert - random), so that the policy's nominal episodes score
    one on average and uniformly random actions zero. Episode i of every fault has the same seed, hence the same
    nominal twin: what is common to all is luck and cancels.

    Args:
        world: A world's id or a function from a number of rows to a world.
        policy: The policy whose loss is measured.
        batch: Episodes simulated at once.
        **options: Passed on when the world is given by id.
    """

    def __init__(
        self,
        world: WorldSource,
        policy: Policy | Callable[[Array], Array],
        *,
        batch: int = 512,
        **options: Any,
    ) -> None:
        self.world, self.policy, self.batch, self.options = world, policy, batch, options
        self.episodes = 0
        self._nominal: dict[int, FloatArray] = {}
        seen = self._starts(STARTS_SEED, STARTS)
        self._start_mean = seen.mean(axis=0)
        self._start_varies = np.ptp(seen, axis=0) > 0.0
        space = build_world(world, 1, **options).action_space
        self.random_return, self.expert_return = self._references(RandomPolicy(space))
        self.range = self.expert_return - self.random_return

    def control_variates(self, seed: int, n: int) -> FloatArray:
        """Return what chance gave each episode, as numbers that are zero on average over all seeds.

        The first column is the score of the nominal twin, the others are the first observation.
        """
        starts = (self._starts(seed, n) - self._start_mean)[:, self._start_varies]
        return np.column_stack([self._score(self._nominal_returns(seed, n)) - 1.0, starts])

    def faulty(self, axis: Axis, distances: FloatArray, seed: int, onset: Any = "start") -> FloatArray:
        """Return the scores of episodes whose faults lie at some distances from neutral.

        Args:
            axis: What goes wrong.
            distances: One per episode.
            seed: Seed of the first episode.
            onset: When the fault strikes.
        """
        schedule = Schedule(onset=onset)
        made: dict[float, Fault] = {}
        for distance, parameter in zip(distances.tolist(), axis.parameter(distances).tolist(), strict=True):
            made.setdefault(distance, Fault(axis.anomaly, parameter, schedule))
        faults: list[tuple[Fault, ...]] = [(made[distance],) for distance in distances.tolist()]
        self.episodes += len(faults)
        return self._score(self._run(self.policy, seed, faults))

    def _references(self, random: Policy) -> tuple[float, float]:
        """Return the mean returns of random actions and of the policy, each as exact as the scores need it."""
        least, most = REFERENCE_EPISODES
        earned = {"random": np.empty(0), "expert": np.empty(0)}
        acting = {"random": (random, RANDOM_SEED), "expert": (self.policy, REFERENCE_SEED)}
        unsure = list(earned)
        while unsure:
            for name in unsure:
                policy, seed = acting[name]
                known = earned[name]
                more = self._run(policy, seed + len(known), [()] * max(least, len(known)))
                earned[name] = np.concatenate([known, more])
            low, high = (float(np.mean(earned[name])) for name in ("random", "expert"))
            if not high > low:
                raise InvalidParameter(
                    f"the policy earns {high:.4g} on average, random actions {low:.4g}; a strength is a share of what "
                    "the policy earns above random, so give a policy that earns more."
                )
            errors = {name: np.std(each) / np.sqrt(len(each)) / (high - low) for name, each in earned.items()}
            unsure = [name for name in unsure if errors[name] > REFERENCE_ERRORS[name] and len(earned[name]) < most]
        return low, high

    def _score(self, earned: FloatArray) -> FloatArray:
        return (earned - self.random_return) / self.range

    def _nominal_returns(self, seed: int, n: int) -> FloatArray:
        """Return nominal returns; each seed is simulated once."""
        known = self._nominal.get(seed, np.empty(0))
        if len(known) < n:
            more = self._run(self.policy, seed + len(known), [()] * (n - len(known)))
            known = self._nominal[seed] = np.concatenate([known, more])
        return known[:n]

    def _starts(self, seed: int, n: int) -> FloatArray:
        """Return the first observations of n episodes."""
        size = min(n, self.batch)
        world = build_world(self.world, size, **self.options)
        seen = []
        for first in range(0, n, size):
            rows = np.arange(min(size, n - first))
            world.reset(rows, seed + first + rows, np.zeros_like(rows))
            seen.append(world.observations[rows].reshape(len(rows), -1).astype(np.float64))
        world.close()
        return np.concatenate(seen)

    def _run(self, policy: Any, seed: int, faults: list[tuple[Fault, ...]]) -> FloatArray:
        seeds = seed + np.arange(len(faults))
        return returns(self.world, policy, seeds, faults, batch=self.batch, **self.options)
