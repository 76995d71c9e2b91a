"""The latest values of a stream with their ranks, in a vector of constant size, for compiled functions."""

from __future__ import annotations

import numpy as np

from offnominal.core.compilation import compiled_internal
from offnominal.core.types import FloatArray

COUNT, POSITION, VALUES = 0, 1, 2
"""Where a vector has the number of its values, the place of the oldest, and the values: first in time, then sorted."""


def first_values(values: FloatArray, capacity: int) -> FloatArray:
    """Return the vector that holds the last values of a series, at most as many as its capacity.

    Args:
        values: (n,): values in the order of time.
        capacity: Number of values that the vector can hold.

    Example:
        >>> first_values(np.array([9.0, 3.0, 1.0, 2.0]), 3)
        array([3., 0., 3., 1., 2., 1., 2., 3.])
    """
    kept = values[-capacity:]
    vector = np.zeros(VALUES + 2 * capacity)
    vector[COUNT] = len(kept)
    vector[POSITION] = len(kept) % capacity
    vector[VALUES : VALUES + len(kept)] = kept
    vector[VALUES + capacity : VALUES + capacity + len(kept)] = np.sort(kept)
    return vector


@compiled_internal
def kept_values(vector: FloatArray) -> int:
    """Return the number of values of a vector; within its capacity whatever is in it, as states come from files."""
    return min(max(int(vector[COUNT]), 0), (len(vector) - VALUES) // 2)


@compiled_internal
def append_value(vector: FloatArray, value: float) -> None:
    """Add a value to a vector; the oldest one goes if it is full."""
    capacity = (len(vector) - VALUES) // 2
    if capacity == 0:
        return
    n, place = kept_values(vector), min(max(int(vector[POSITION]), 0), capacity - 1)
    ordered = vector[VALUES + capacity :]
    if n == capacity:
        gone = np.searchsorted(ordered[:n], vector[VALUES + place])
        ordered[gone : n - 1] = ordered[gone + 1 : n].copy()
        n -= 1
    after = np.searchsorted(ordered[:n], value)
    ordered[after + 1 : n + 1] = ordered[after:n].copy()
    ordered[after] = value
    vector[VALUES + place] = value
    vector[COUNT], vector[POSITION] = n + 1, (place + 1) % capacity


@compiled_internal
def value_at_level(vector: FloatArray, level: float) -> float:
    """Return the value that a new one exceeds with a probability of at most `level`, if all are exchangeable.

    It is the value of rank ceil((n + 1) (1 - level)); infinite if that is more than n or the level is not positive, and
    less than every value if the level is 1 or more.
    """
    n = kept_values(vector)
    if level >= 1.0:
        return -np.inf
    rank = n + 1 - int(np.floor(level * (n + 1) + 1e-9))
    if level <= 0.0 or rank > n:
        return np.inf
    if rank < 1:
        return -np.inf
    capacity = (len(vector) - VALUES) // 2
    return float(vector[VALUES + capacity + rank - 1])


@compiled_internal
def conformal_p_value(vector: FloatArray, value: float) -> float:
    """Return the share of values that are as large as a new one or larger; the new one counts, too."""
    n, capacity = kept_values(vector), (len(vector) - VALUES) // 2
    below = np.searchsorted(vector[VALUES + capacity : VALUES + capacity + n], value)
    return float((n - below + 1.0) / (n + 1.0))
