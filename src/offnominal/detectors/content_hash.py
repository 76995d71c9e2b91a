"""Hashes of observations, as seeds for detectors that draw random numbers: the same online and in a batch."""

from __future__ import annotations

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.streams import stream_keys
from offnominal.core.types import Array, IntArray, KeyArray


def content_hashes(observations: Array) -> IntArray:
    """Return a hash of 63 bits for each observation, by its bytes.

    Args:
        observations: (n, ...) bytes, or numbers, which are hashed in single precision.

    Example:
        >>> first, second, third = content_hashes(np.array([[0.5, 1.0], [1.0, 0.5], [0.5, 1.0]]))
        >>> first == third, first == second
        (np.True_, np.False_)
    """
    rows = observations.reshape(len(observations), -1)
    if rows.dtype != np.uint8 or rows.shape[1] % 4:
        rows = rows.astype(np.float32)
    return _digits(np.ascontiguousarray(rows).view(np.uint32), np.zeros(len(rows), np.int64))


def content_keys(observations: Array, seed: int, purpose: str) -> KeyArray:
    """Return a random stream for each observation, which depends on its bytes and not on the episode.

    Args:
        observations: (n, ...) observations.
        seed: Seed of the detector.
        purpose: Purpose of the streams.
    """
    return stream_keys(content_hashes(observations), np.full(len(observations), seed), purpose)


def history_hashes(before: IntArray, observations: Array) -> IntArray:
    """Return a hash for each observation and all observations before it.

    Args:
        before: (n,) result for the previous observations; zeros at the beginning.
        observations: (n, ...) observations.
    """
    return _digits(content_hashes(observations).view(np.uint32).reshape(len(before), 2), before)


def chained_hashes(observations: Array) -> IntArray:
    """Return the results of :func:`history_hashes` for all observations of an episode."""
    return _chained(content_hashes(observations).view(np.uint32).reshape(len(observations), 2))


@compiled
def _digits(words: Array, before: IntArray) -> IntArray:
    found = np.empty(len(words), np.int64)
    for row in range(len(words)):
        found[row] = _mixed(words[row], before[row])
    return found


@compiled
def _chained(words: Array) -> IntArray:
    found = np.empty(len(words), np.int64)
    before = np.int64(0)
    for row in range(len(words)):
        before = _mixed(words[row], before)
        found[row] = before
    return found


@compiled
def _mixed(words: Array, before: np.int64) -> np.int64:
    mixed = np.uint64(before)
    for word in words:
        mixed = (mixed ^ np.uint64(word)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return np.int64(mixed >> np.uint64(1))
