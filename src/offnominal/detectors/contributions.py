"""Contributions of channels to scores, as detectors return them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import BoolArray, FloatArray
from offnominal.detectors.observation_limits import MAX_SCORE, invalid

Method = Literal["sum", "maximum", "occlusion", "shapley"]
"""How contributions relate to the score:

* ``"sum"``: they add up to it; they are the terms of the detector's own formula.
* ``"maximum"``: the largest one is the score.
* ``"occlusion"``: each is the decrease of the score if the channel has its nominal mean; they do not add up.
* ``"shapley"``: sampled Shapley values; they and the score of the mean observation add up to the score.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """What each channel contributes to each score of an episode.

    Args:
        values: (T, channels) contributions.
        method: How they relate to the score.
        channels: Names of the channels; empty for all observation channels, then all action channels.
        n_observations: Number of leading columns that are the first observation channels.
        baseline: (T,) part of the score that belongs to no channel; zero if None.
    """

    values: FloatArray
    method: Method
    channels: tuple[str, ...]
    n_observations: int
    baseline: FloatArray | None = None

    @classmethod
    def sums(cls, values: FloatArray, widths: tuple[int, int]) -> Contributions:
        """Return contributions that add up to the score.

        Args:
            values: (T, observation channels) or (T, observation and action channels).
            widths: Number of observation channels and of action channels. Actions without a column contribute zero.
        """
        missing = np.zeros((len(values), sum(widths) - values.shape[1]))
        return cls(np.concatenate([values, missing], axis=1), "sum", channel_names(*widths), widths[0])


def channel_names(observation: int, action: int) -> tuple[str, ...]:
    """Return the names of channels that have no name of their own.

    Example:
        >>> channel_names(2, 1)
        ('observation 0', 'observation 1', 'action 0')
    """
    names = [f"observation {number}" for number in range(observation)]
    return (*names, *(f"action {number}" for number in range(action)))


def invalid_channels(episode: Episode, found: Contributions) -> BoolArray:
    """Return which channels of which transitions have an invalid reading, (T, channels).

    Args:
        episode: The episode, as it was given.
        found: Contributions to its scores. Columns that are no channel of the episode are never invalid.
    """
    readings = invalid(episode.observations).reshape(len(episode) + 1, -1)
    observed, n = readings[:-1] | readings[1:], found.n_observations
    columns = np.zeros_like(found.values, np.bool_)
    columns[:, :n] = observed[:, :n]
    commanded = invalid(episode.actions).reshape(len(episode), -1)
    if columns[0].size == observed[0].size + commanded[0].size:
        columns[:, n:] = commanded
    return columns


def with_largest_scores(values: FloatArray, scores: FloatArray, broken: BoolArray) -> FloatArray:
    """Return contributions in which those of the largest scores add up to it, and all are finite.

    The score of a transition with an invalid reading is the largest one, whatever the algorithm returns; the invalid
    channels share it. A score that overflows is the largest one too; its channels keep their shares.

    Args:
        values: (T, channels) contributions.
        scores: (T,) scores.
        broken: (T, channels) invalid readings.

    Example:
        >>> with_largest_scores(np.array([[3.0, 1.0]]), np.array([MAX_SCORE]), np.array([[False, True]])).tolist()
        [[0.0, 1e+30]]
    """
    largest = scores >= MAX_SCORE
    finite = np.nan_to_num(values, nan=0.0, posinf=MAX_SCORE, neginf=-MAX_SCORE)
    if not largest.any():
        return finite
    weights = np.where(broken.any(axis=1, keepdims=True), broken, np.maximum(finite, 0.0) / MAX_SCORE)
    weights = np.where(weights.any(axis=1, keepdims=True), weights, 1.0)
    shares = weights / weights.sum(axis=1, keepdims=True)
    return np.where(largest[:, None], shares * MAX_SCORE, finite)


def named_channels(channels: tuple[str, ...], names: Sequence[str] | None) -> tuple[str, ...]:
    """Return the given names of channels, or raise :class:`InvalidParameter` unless there is one for each channel.

    Args:
        channels: Names of channels that have no name of their own.
        names: Given names; None for none.
    """
    if names is None:
        return channels
    given = tuple(names) if isinstance(names, Sequence) and not isinstance(names, str) else names
    if not isinstance(given, tuple) or not all(isinstance(name, str) for name in given):
        raise InvalidParameter(f"the names are {shown(names)}; expected a list of texts.")
    if len(given) != len(channels):
        raise InvalidParameter(f"there are {len(given)} names for {len(channels)} channels; give one for each.")
    return given
