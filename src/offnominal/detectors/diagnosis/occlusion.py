"""Contributions of channels for any detector: scores with some channels replaced by their nominal means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.streams import Stream
from offnominal.core.types import Array, BoolArray, FloatArray
from offnominal.detectors.contributions import Contributions, channel_names
from offnominal.detectors.observation_limits import NominalReadings

Score = Callable[[Sequence[Episode]], list[FloatArray]]
MOST_VALUES = 4_000_000
"""Largest number of values in the changed copies of an episode that are scored together."""
ORDERS = 2
"""Number of random orders of the channels for Shapley values; the reverse of each is used too."""


def occlusion(score: Score, episode: Episode, readings: NominalReadings) -> Contributions:
    """Return the decrease of the scores if one channel after the other has its nominal mean in the whole episode.

    A channel that only matters together with another one can contribute nothing, so contributions do not add up.
    Integer channels have no nominal mean; they are replaced by zero.

    Args:
        score: Returns the scores of episodes.
        episode: A checked episode.
        readings: The nominal means.
    """
    n_observations, n_actions = _widths(episode)
    single = np.eye(n_observations + n_actions, dtype=np.bool_)
    (scores,) = score([episode])
    without = _scores_without(score, episode, readings, single)
    return Contributions((scores - without).T, "occlusion", channel_names(n_observations, n_actions), n_observations)


def shapley(score: Score, episode: Episode, readings: NominalReadings) -> Contributions:
    """Return Shapley values of the channels, estimated with a few orders in which channels get their own values.

    The baseline is the score of an episode whose channels all have their nominal mean. Contributions and baseline add
    up to the score. They cost four times as many scores as an occlusion.

    Args:
        score: Returns the scores of episodes.
        episode: A checked episode.
        readings: The nominal means.
    """
    n_observations, n_actions = _widths(episode)
    n = n_observations + n_actions
    generator = Stream.named(0, 0, "shapley").generator()
    drawn = [generator.permutation(n) for _ in range(ORDERS)]
    orders = [order for each in drawn for order in (each, each[::-1])]
    values = np.zeros((len(episode), n))
    baseline = np.zeros(len(episode))
    for order in orders:
        places = np.argsort(order)
        replaced = places[None, :] >= np.arange(n + 1)[:, None]
        found = _scores_without(score, episode, readings, replaced)
        values[:, order] += np.diff(found, axis=0).T / len(orders)
        baseline = found[0]
    return Contributions(values, "shapley", channel_names(n_observations, n_actions), n_observations, baseline)


def _scores_without(score: Score, episode: Episode, readings: NominalReadings, replaced: BoolArray) -> FloatArray:
    """Return the scores (cases, T) of copies of an episode, given which channels (cases, channels) are replaced."""
    together = max(1, MOST_VALUES // (episode.observations.size + episode.actions.size))
    found: list[FloatArray] = []
    for first in range(0, len(replaced), together):
        found += score([_replaced(episode, readings, case) for case in replaced[first : first + together]])
    return np.stack(found)


def _replaced(episode: Episode, readings: NominalReadings, case: BoolArray) -> Episode:
    n_observations, _ = _widths(episode)
    return replace(
        episode,
        observations=_with_means(episode.observations, readings.observation, case[:n_observations]),
        actions=_with_means(episode.actions, readings.action, case[n_observations:]),
    )


def _with_means(values: Array, mean: FloatArray, columns: BoolArray) -> Array:
    if not columns.any():
        return values
    flat = values.reshape(len(values), -1)
    return np.where(columns, mean if mean.size else 0, flat).astype(values.dtype).reshape(values.shape)


def _widths(episode: Episode) -> tuple[int, int]:
    n = len(episode)
    return episode.observations[0].size, episode.actions.size // n
