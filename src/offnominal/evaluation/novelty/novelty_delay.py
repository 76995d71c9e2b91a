"""Delays of alarms in novel episodes, by type of novelty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from offnominal.core.types import Array
from offnominal.evaluation.bootstrap import REPLICATES, Resamples
from offnominal.evaluation.errors import InvalidLabels
from offnominal.evaluation.estimate import Estimate, average
from offnominal.evaluation.step_scores import StepScores
from offnominal.evaluation.timing import HORIZON, AlarmOutcomes, Timing, timing_of_outcomes


@dataclass(frozen=True, slots=True)
class NoveltyDelay:
    """Delays in frames in the episodes of one type of novelty.

    Args:
        episodes: Number of episodes.
        mean_delay: Mean number of frames before the first alarm; an episode without an alarm counts with its full
            length. This is the published definition. It rewards short episodes, so read `timing` as well.
        detection_rate: Share of episodes with an alarm.
        timing: Median delay, mean delay in which a miss costs the horizon, and cumulative incidence.
    """

    episodes: int
    mean_delay: Estimate
    detection_rate: Estimate
    timing: Timing

    def numbers(self) -> dict[str, Estimate]:
        """Return the numbers by name."""
        return {
            "mean_delay": self.mean_delay,
            "detection_rate": self.detection_rate,
            "median_delay": self.timing.median_delay,
            "horizon_delay": self.timing.mean_delay,
        }


@dataclass(frozen=True, slots=True)
class NoveltyDelays:
    """Delays in frames at one threshold.

    Args:
        threshold: The threshold; a frame raises an alarm if its score is at least this.
        by_type: Delays of each type of novelty.
        mean_delay: Mean over the types, each with the same weight; as published: with a zero for normal episodes.
        detection_rate: Mean over the types.
    """

    threshold: float
    by_type: Mapping[str, NoveltyDelay]
    mean_delay: Estimate
    detection_rate: Estimate

    def rows(self) -> list[dict[str, Any]]:
        """Return one row of a table per type."""
        rows: list[dict[str, Any]] = []
        for name, found in self.by_type.items():
            row: dict[str, Any] = {"novelty": name, "episodes": found.episodes}
            for number, value in found.numbers().items():
                row |= value.columns(number)
            rows.append(row)
        return rows


def measure_novelty_delays(
    scores: Sequence[Array],
    novelties: Sequence[str | None],
    threshold: float,
    *,
    horizon: int = HORIZON,
    as_published: bool = False,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> NoveltyDelays:
    """Measure how many frames of a novel episode pass before its first alarm.

    Args:
        scores: One array per episode with a score for each frame.
        novelties: Type of novelty of each episode; None for a normal one.
        threshold: A frame raises an alarm if its score is at least this.
        horizon: Horizon of the mean delay in which a miss costs the horizon, in frames.
        as_published: Whether the mean over types includes a zero for the normal episodes, as in the public code of
            NovelCraft. With four types the published delays are 4/5 of the true ones.
        replicates: Bootstrap replicates over episodes.
        seed: Seed of the bootstrap.

    Example:
        >>> found = measure_novelty_delays([[0, 0, 5], [0, 0, 0, 0], [1]], ["tree", "tree", None], 3.0, replicates=0)
        >>> found.by_type["tree"].mean_delay, found.detection_rate
        (Estimate(3.000), Estimate(0.500))
    """
    steps = StepScores.of(scores)
    names = novelty_names(novelties, len(steps))
    resamples = Resamples.draw(len(steps), replicates, seed=seed)
    outcomes = AlarmOutcomes.of(steps.values >= threshold, steps.lengths, [0] * len(steps))
    waited = np.where(outcomes.delays < 0, steps.lengths, outcomes.delays).astype(np.float64)
    found = {}
    for name in names:
        of_type = np.array([novelty == name for novelty in novelties])
        columns = np.stack([waited, outcomes.delays >= 0], axis=1)
        mean_delay, detection_rate = resamples.means(np.where(of_type[:, None], columns, np.nan))
        timing = timing_of_outcomes(replace(outcomes, faulty=of_type & outcomes.faulty), resamples, horizon=horizon)
        found[name] = NoveltyDelay(int(of_type.sum()), mean_delay, detection_rate, timing)
    delays = [each.mean_delay for each in found.values()]
    zero = [Estimate(0.0, np.zeros(replicates))] if as_published else []
    return NoveltyDelays(
        threshold, found, average(delays + zero), average([each.detection_rate for each in found.values()])
    )


def novelty_names(novelties: Sequence[str | None], n: int) -> list[str]:
    """Return the types of novelty in the order of their first episode, or raise :class:`InvalidLabels`."""
    if len(novelties) != n:
        raise InvalidLabels(f"there are novelties of {len(novelties)} episodes; expected {n}.")
    names = [name for name in dict.fromkeys(novelties) if name is not None]
    if not names:
        raise InvalidLabels("there is no novel episode; name the novelty of at least one.")
    return names
