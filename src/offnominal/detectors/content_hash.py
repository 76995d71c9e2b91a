"""Numbers that name what was seen, for detectors that draw: the same online and in a batch."""

from __future__ import annotations

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.streams import stream_keys
from offnominal.core.types import Array, IntArray, KeyArray


def content_hashes(observations: Array) -> IntArray:
    """Return a whole number of 63 bits for each observation, by its bytes.

    Args:
        observations: (n, ...): bytes, or numbers, of which the float32 counts.

    Example:
        >>> one, other, again = content_hashes(np.array([[0.5, 1.0], [1.0, 0.5], [0.5, 1.0]]))
        >>> one == again, one == other
        (np.True_, np.False_)
    """
    rows = observations.reshape(len(observations), -1)
    if rows.dtype != np.uint8 or rows.shape[1] % 4:
        rows = rows.astype(np.float32)
    return _digits(np.ascontiguousarray(rows).view(np.uint32), np.zeros(len(rows), np.int64))


def content_keys(observations: Array, seed: int, purpose: str) -> KeyArray:
    """Return a stream for each observation, named by its bytes, whatever the episode.

    Args:
        observations: (n, ...).
        seed: Of the one who draws.
        purpose: What the streams are for.
    """
    return stream_keys(content_hashes(observations), np.full(len(observations), seed), purpose)


def history_hashes(before: IntArray, observations: Array) -> IntArray:
    """Return a number for each observation and what was seen before it.

    Args:
        before: (n,): what this returned for the observations before; zeros at the beginning.
        observations: (n, ...).
    """
    return _digits(content_hashes(observations).view(np.uint32).reshape(len(before), 2), before)


def chained_hashes(observations: Array) -> IntArray:
    """Return for each observation of an episode, one after the other, what :func:`history_hashes` does step by step."""
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
