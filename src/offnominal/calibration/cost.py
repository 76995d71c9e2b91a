"""Cost of a calibration: the largest number of episodes, and the sizes that fit into a given number."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from offnominal.calibration.axis import Axis
from offnominal.calibration.sampler import REFERENCE_EPISODES, REFERENCE_SEED, Sampler
from offnominal.calibration.search import AT_ONCE, EPISODES_PER_GRID_POINT, MORE
from offnominal.calibration.signal_ratio import EPISODES as SIGNAL_EPISODES
from offnominal.core.errors import InvalidParameter
from offnominal.core.progress_bar import ProgressCallback, format_duration

FRESH_OTHER_ONSET = 500
REFERENCES_PER_FRESH = 8
SMALLEST = 50
"""Smallest number of episodes per level and of new episodes that a limit is met with."""
PILOT = 2


@dataclass(frozen=True, slots=True)
class CalibrationCost:
    """Largest cost of a calibration; most searches end earlier.

    Args:
        episodes: Largest number of simulated episodes: references, nominal twins, search and new episodes.
        seconds: Largest time, from the time of some episodes of the policy; nan if it was not measured.
        budget: Largest number of faulty episodes per level.
        fresh: Number of new episodes per level.
    """

    episodes: int
    seconds: float
    budget: int
    fresh: int

    def __str__(self) -> str:
        lasting = "" if np.isnan(self.seconds) else f", {format_duration(self.seconds)}"
        return (
            f"at most {self.episodes:,} episodes{lasting}: per level {self.budget} in the search and {self.fresh} new "
            "ones"
        )


def most_episodes(axes: list[Axis], levels: int, budget: int, fresh: int, policies: int = 1) -> int:
    """Return the largest number of episodes that a calibration simulates.

    Example:
        >>> most_episodes([Axis("action/offset", 0.0)], 1, 1600, 2000)
        40507
    """
    references = _most_references(fresh, 1) + policies * _most_references(fresh, policies)
    twins = 1 + PILOT + EPISODES_PER_GRID_POINT + budget + fresh + _signal_episodes(policies)
    return references + twins + sum(most_per_axis(axis, levels, budget, fresh, policies) for axis in axes)


def _most_references(fresh: int, policies: int) -> int:
    """Return the largest number of episodes of a reference return, of one of several policies."""
    most = -(-REFERENCES_PER_FRESH * fresh // policies)
    references = -(-min(REFERENCE_EPISODES, REFERENCES_PER_FRESH * fresh) // policies)
    while references < most:
        references *= 2
    return references


def _signal_episodes(policies: int) -> int:
    return -(-SIGNAL_EPISODES // policies) * policies


def most_per_axis(axis: Axis, levels: int, budget: int, fresh: int, policies: int = 1) -> int:
    """Return the largest number of faulty episodes of one axis."""
    if axis.integer:
        search = -(-budget // (2 * AT_ONCE)) * 2 * AT_ONCE
    else:
        search = max(budget, -(-(budget // 2) // (3 * MORE)) * 3 * MORE + MORE)
    scan = len(axis.grid()) * EPISODES_PER_GRID_POINT
    return scan + levels * (search + fresh + min(fresh, FRESH_OTHER_ONSET) + _signal_episodes(policies))


def fitted_sizes(
    axes: list[Axis], levels: int, budget: int, fresh: int, limit: int | None, policies: int = 1
) -> tuple[int, int]:
    """Return the largest budget and number of new episodes, in their given ratio, that a limit allows.

    Args:
        axes: Axes to calibrate.
        levels: Number of levels.
        budget: Wanted number of episodes per level.
        fresh: Wanted number of new episodes per level.
        limit: Largest number of episodes of the whole calibration; None for no limit.
        policies: Number of policies.

    Raises:
        InvalidParameter: The limit does not allow :data:`SMALLEST` episodes per level.
    """
    if limit is None or most_episodes(axes, levels, budget, fresh, policies) <= limit:
        return budget, fresh

    def sizes(share: float) -> tuple[int, int]:
        return max(SMALLEST, int(share * budget)), max(SMALLEST, int(share * fresh))

    least = most_episodes(axes, levels, *sizes(0.0), policies)
    if least > limit:
        raise InvalidParameter(
            f"max_episodes is {limit:,}; {len(axes)} axes with {levels} levels each need at least {least:,}. Calibrate "
            "fewer anomalies or levels, or allow more episodes."
        )
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if most_episodes(axes, levels, *sizes(middle), policies) <= limit else (low, middle)
    return sizes(low)


def timed_cost(
    sampler: Sampler, axes: list[Axis], levels: int, budget: int, fresh: int, *, workers: int = 1
) -> CalibrationCost:
    """Return the cost, with the time of an episode measured on a few episodes of the policy.

    Args:
        sampler: Source of scores.
        axes: Axes to calibrate.
        levels: Number of levels.
        budget: Largest number of faulty episodes per level.
        fresh: Number of new episodes per level.
        workers: Number of processes of the search.
    """
    sampler.nominal_returns(REFERENCE_SEED, 1)  # compiles kernels and loads models
    start = time.perf_counter()
    sampler.nominal_returns(REFERENCE_SEED + 1, PILOT)
    each = (time.perf_counter() - start) / PILOT
    policies = len(sampler.policies)
    episodes = most_episodes(axes, levels, budget, fresh, policies)
    faulty = sum(most_per_axis(axis, levels, budget, fresh, policies) for axis in axes)
    return CalibrationCost(episodes, each * (episodes - faulty + faulty / min(workers, len(axes) or 1)), budget, fresh)


class EpisodeProgress:
    """Progress in episodes: those of this process as they are simulated, the others when their axis ends."""

    def __init__(self, tick: ProgressCallback) -> None:
        self.tick, self.episodes, self.expected = tick, 0, 0

    def __call__(self, episodes: int) -> None:
        """Count episodes that were simulated in this process."""
        self.episodes += episodes
        self.tick(episodes)

    def end(self, most: int, label: str) -> None:
        """Advance to the largest number of episodes of the axes that have ended."""
        self.expected += most
        self.tick(max(0, self.expected - self.episodes), note=label)
        self.episodes = max(self.episodes, self.expected)
