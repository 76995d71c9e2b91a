"""Intervals of differences from published numbers, which are means over drawn episodes and are from one training."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import stdtrit

from offnominal.alarms.share_interval import TAIL
from offnominal.core.types import FloatArray
from offnominal.evaluation.estimate import Estimate, average
from offnominal.papers.anomaly_gym.published_numbers import PUBLISHED_EPISODES
from offnominal.studies.metric_table import MetricTable


def with_published_sampling(measured: MetricTable, table: Any) -> MetricTable:
    """Return a metric with replicates of the difference from a published number, drawn around ours.

    The variance of the difference of two means over `n` and `m` episodes is ``1 + n / m`` times that of the first. So
    our replicates are moved away from our number by the root of this factor.

    Args:
        measured: A metric of the run, each value between 0 and 1.
        table: Rows of the run, with the number of episodes of each split.
    """
    ours = dict(zip(table["world"].to_pylist(), table["episodes"].to_pylist(), strict=True))
    # Worlds with several policies have them in their names.
    worlds = [world.partition(" ")[0] for world in measured.world]
    shares = [ours[world] / PUBLISHED_EPISODES[world] if world in PUBLISHED_EPISODES else 0.0 for world in worlds]
    factors = np.sqrt(1.0 + np.array(shares))
    return replace(measured, draws=_spread(measured.draws, measured.values, factors))


def _spread(draws: FloatArray, values: FloatArray, factors: FloatArray) -> FloatArray:
    centres = values[:, None]
    return np.clip(centres + (draws - centres) * factors[:, None], 0.0, 1.0)


LEAST_FREEDOM = 3
"""Degrees of freedom from which on a spread is used; with one, Student's factor is 12.7 and any number is inside."""
Means = dict[tuple[str, str], Estimate]
"""Our numbers by world and detector."""


def with_training_intervals(measured: MetricTable, means: Mapping[tuple[str, str], Estimate]) -> Means:
    """Return means with prediction intervals for one more training, in worlds with several trainings of a detector.

    The spread is pooled over the worlds of a family, which have the same simulator and resemble each other: trainings
    of a detector of images differ by 0.01 in one family and by 0.1 in another. Other worlds keep their interval: a
    spread that was not measured there is not assumed. So do detectors whose spread has fewer than
    :data:`LEAST_FREEDOM` degrees of freedom.

    Args:
        measured: One metric at one level.
        means: Its means by world and detector.
    """
    found = dict(means)
    for name in measured.names:
        part = measured.take((measured.name == name) & ~np.isnan(measured.values))
        families: defaultdict[str, dict[str, list[Estimate]]] = defaultdict(dict)
        for world, trainings in part.per_world():
            if len(trainings) > 1:
                families[_family(world)][world] = trainings
        for runs in families.values():
            deviation, freedom = training_spread([_values(trainings) for trainings in runs.values()])
            if freedom >= LEAST_FREEDOM:
                found |= {(world, name): _predicted(trainings, deviation, freedom) for world, trainings in runs.items()}
    return found


def training_spread(worlds: Sequence[Sequence[float]]) -> tuple[float, int]:
    """Return the standard deviation between trainings, pooled over worlds, and its degrees of freedom.

    Args:
        worlds: Numbers of the trainings in each world.

    Example:
        >>> training_spread([(0.50, 0.52), (0.80, 0.78, 0.79)])
        (0.0115..., 3)
    """
    freedom = sum(len(values) - 1 for values in worlds)
    squares = sum(float(np.square(np.subtract(values, np.mean(values))).sum()) for values in worlds)
    return (squares / freedom) ** 0.5 if freedom else 0.0, freedom


def prediction_interval(episodes: Estimate, trainings: int, deviation: float, freedom: int) -> Estimate:
    """Return a mean over trainings with the interval of one more training: its spread beside that over episodes.

    The number of another training deviates from the mean of `n` by ``s * sqrt(1 + 1 / n)``, with Student's factor for a
    measured ``s``. The reach of this and that of the interval over episodes add up as squares.

    Args:
        episodes: The mean, with its replicates over episodes.
        trainings: Number of trainings.
        deviation: Standard deviation between trainings.
        freedom: Degrees of freedom of the deviation.

    Example:
        >>> prediction_interval(Estimate(0.8, np.array([0.79, 0.81])), 3, 0.02, 6)
        Estimate(0.800 [0.743, 0.857])
    """
    assert episodes.value is not None
    reach = float(stdtrit(freedom, 1.0 - TAIL)) * deviation * (1.0 + 1.0 / trainings) ** 0.5
    ends = (episodes.low, episodes.high)
    below, above = (0.0 if end is None else abs(end - episodes.value) for end in ends)
    low, high = episodes.value - np.hypot(below, reach), episodes.value + np.hypot(above, reach)
    return Estimate(episodes.value, np.clip([low, high], 0.0, 1.0))


def _family(world: str) -> str:
    """Return the family of a world: that of the arm is the same in simulation and over RTDE."""
    return "UR" if world.startswith("UR") else world.partition("-")[0]


def _predicted(trainings: Sequence[Estimate], deviation: float, freedom: int) -> Estimate:
    return prediction_interval(average(trainings), len(trainings), deviation, freedom)


def _values(trainings: Sequence[Estimate]) -> list[float]:
    return [each.value for each in trainings if each.value is not None]
