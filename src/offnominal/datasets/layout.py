"""Layout of episodes in a table: one row per observation, one column per channel.

Row t of an episode has the observation o_t and the transition that starts there: action, reward and labels. No
transition starts at the last observation, so those columns are null in its row.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array

INDEX = ("episode", "seed", "step")
MAIN = ("observations", "actions", "rewards", "active")
SINGULAR = {
    "observations": "observation",
    "clean_observations": "clean_observation",
    "actions": "action",
    "executed_actions": "executed_action",
    "rewards": "reward",
}

Channels = Mapping[str, Sequence[str]]
"""Names of the channels of some signals."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One array of every episode of a split.

    Args:
        name: Name of the array.
        dtype: NumPy type string.
        shape: Shape of one entry.
        closed: Whether it has T + 1 entries, one for the last observation too, not T.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    closed: bool

    @property
    def width(self) -> int:
        """Number of columns."""
        return math.prod(self.shape)

    def columns(self, channels: Channels) -> list[str]:
        """Return the names of its columns; channels without names are numbered."""
        stem = SINGULAR.get(self.name, self.name)
        if not self.shape:
            return [stem]
        names = list(channels.get(self.name, ()))
        if len(set(names)) != self.width or len(names) != self.width:
            names = [".".join(map(str, index)) for index in np.ndindex(self.shape)]
        return [f"{stem}.{name}" for name in names]


def arrays_of(episode: Episode) -> dict[str, Array]:
    """Return the arrays of an episode with one entry per step, in the order of storage."""
    return {**{name: getattr(episode, name) for name in MAIN}, **episode.extras}


def signals_of(episode: Episode) -> tuple[Signal, ...]:
    """Return the signals of an episode.

    Example:
        >>> episode = Episode(np.zeros((4, 2), np.float32), np.zeros((3, 1)), np.zeros(3), np.zeros(3, bool))
        >>> signals_of(episode)[0]
        Signal(name='observations', dtype='<f4', shape=(2,), closed=True)
    """
    return tuple(_signal(name, values, len(episode)) for name, values in arrays_of(episode).items())


def _signal(name: str, values: Array, length: int) -> Signal:
    if values.dtype.kind not in "biuf" or values.dtype.itemsize > 8:
        raise InvalidParameter(
            f"{name} has type {values.dtype}; a dataset can have booleans, integers and floats of up to 64 bits."
        )
    if values.ndim == 0 or len(values) not in (length, length + 1):
        raise InvalidParameter(
            f"{name} has shape {values.shape} in an episode of {length} transitions; expected {length} or "
            f"{length + 1} entries."
        )
    return Signal(name, values.dtype.newbyteorder("<").str, values.shape[1:], len(values) > length)


def stacked(signal: Signal, episodes: Sequence[Episode]) -> Array:
    """Return a signal of several episodes, concatenated, with a zero where an episode has no entry."""
    parts: list[Array] = []
    padding = np.zeros((1, *signal.shape), signal.dtype)
    for episode in episodes:
        values = arrays_of(episode)[signal.name]
        parts += [values] if signal.closed else [values, padding]
    return np.concatenate(parts)
