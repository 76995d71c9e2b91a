"""Readings of broken sensors: which are invalid, their replacement, and their score.

A broken sensor reports NaN, infinity or very large numbers. That is when an alarm is needed most, so such a reading
raises no error: the transition has the largest score, and the detector gets the nominal mean instead, so that its state
stays valid. The rule has no state of its own, so it is the same online and in a batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.types import Array, BoolArray, FloatArray

MAX_READING = 1e30
"""Largest magnitude of a valid reading. No physical quantity comes near it, and divided by the smallest scale of a
channel (1e-6) it is still finite in single precision."""

MAX_SCORE = 1e30
"""Score of a transition with an invalid reading, and the largest score.

It is far above every score of ordinary input, and small enough for arithmetic: it is finite in single precision, as is
the sum of a hundred million of them; its square, or its ratio to a tiny standard deviation, is finite in double
precision."""


def all_valid(values: Array) -> bool:
    """Return whether every reading is finite and at most :data:`MAX_READING` in magnitude.

    Example:
        >>> all_valid(np.array([1.0, -2.0])), all_valid(np.array([1.0, np.nan])), all_valid(np.array([1e160]))
        (True, False, False)
    """
    return values.dtype.kind in "biu" or _small(values, MAX_READING) or _largest(values) <= MAX_READING


def _largest(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0))


def _small(values: Array, limit: float) -> bool:
    """Return True only if no magnitude is above the limit: by the sum of squares, a tenth of the work for one row."""
    # `vdot` does not warn of an overflow.
    return float(np.vdot(values, values)) <= 0.99 * limit * limit


def invalid(values: Array) -> BoolArray:
    """Return which readings are invalid, an array of the same shape."""
    if values.dtype.kind in "biu":
        return np.zeros(values.shape, np.bool_)
    return ~(np.abs(values.astype(np.float64, copy=False)) <= MAX_READING)


def invalid_rows(values: Array) -> BoolArray:
    """Return which rows of (n, ...) have an invalid reading, (n,).

    Example:
        >>> invalid_rows(np.array([[0.0, 1.0], [np.inf, 1.0]]))
        array([False,  True])
    """
    return np.asarray(invalid(values).reshape(len(values), -1).any(axis=1))


def bounded(scores: FloatArray) -> FloatArray:
    """Return scores with :data:`MAX_SCORE` in place of those that are not finite or larger; others are unchanged.

    Example:
        >>> bounded(np.array([0.5, np.inf, -np.inf, np.nan, 1e200])).tolist()
        [0.5, 1e+30, 1e+30, 1e+30, 1e+30]
    """
    if _small(scores, MAX_SCORE) or _largest(scores) <= MAX_SCORE:
        return scores
    good = (scores <= MAX_SCORE) & (scores > -np.inf)
    return scores if good.all() else np.where(good, scores, MAX_SCORE)


@dataclass(frozen=True, slots=True)
class NominalReadings:
    """Mean nominal observation and action, which replace invalid readings.

    Args:
        observation: (width,) mean; empty if unknown or if observations are integers, which are always valid. Zeros are
            the replacement then.
        action: The same for actions.

    Example:
        >>> NominalReadings(np.array([5.0, 6.0])).observations(np.array([[1.0, np.nan]]))
        array([[1., 6.]])
    """

    observation: FloatArray = field(default_factory=lambda: np.zeros(0))
    action: FloatArray = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def of(cls, episodes: Sequence[Episode]) -> NominalReadings:
        """Return the means of nominal episodes, whose readings are all valid."""
        return cls(
            _mean([episode.observations for episode in episodes]), _mean([episode.actions for episode in episodes])
        )

    def observations(self, values: Array) -> Array:
        """Return observations (n, ...) with the mean in place of invalid readings."""
        return _replaced(values, self.observation)

    def actions(self, values: Array) -> Array:
        """Return actions (n, ...) with the mean in place of invalid readings."""
        return _replaced(values, self.action)


def _mean(parts: Sequence[Array]) -> FloatArray:
    if parts[0].dtype.kind in "biu":
        return np.zeros(0)
    total = sum(part.reshape(len(part), -1).sum(axis=0, dtype=np.float64) for part in parts)
    return np.asarray(total / sum(map(len, parts)), np.float64)


def _replaced(values: Array, mean: FloatArray) -> Array:
    bad = invalid(values).reshape(len(values), -1)
    kept = np.where(bad, mean if mean.size else 0.0, values.reshape(len(values), -1))
    return kept.astype(values.dtype).reshape(values.shape)
