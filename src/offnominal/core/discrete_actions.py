"""Discrete actions as integers and in one-hot encoding."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.types import Array, FloatArray


def are_discrete(actions: Array) -> bool:
    """Whether actions are discrete: one integer per transition, as in a Discrete space."""
    return np.ndim(actions) == 1 and np.asarray(actions).dtype.kind in "iu"


def n_discrete_actions(episodes: Iterable[Episode]) -> int:
    """Return the largest discrete action plus one; 0 if the actions are continuous."""
    largest = -1
    for episode in episodes:
        if not are_discrete(episode.actions):
            return 0
        largest = max(largest, int(episode.actions.max(initial=-1)))
    return largest + 1


def one_hot(actions: Array, count: int) -> FloatArray:
    """Return the one-hot encoding of actions; an action without a column is a row of zeros.

    Example:
        >>> one_hot(np.array([1, 0, 5]), 2)
        array([[0., 1.],
               [1., 0.],
               [0., 0.]])
    """
    rows: FloatArray = (np.asarray(actions)[:, None] == np.arange(count)).astype(np.float64)
    return rows
