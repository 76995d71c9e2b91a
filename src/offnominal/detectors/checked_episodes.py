"""Checks of the episodes that a detector is given."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from offnominal.core.checks import numeric_array
from offnominal.core.discrete_actions import are_discrete, one_hot
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.lazy_sequence import LazySequence
from offnominal.core.printable import shown
from offnominal.core.types import Array, BoolArray
from offnominal.detectors.observation_limits import NominalReadings, all_valid, invalid_rows

LISTED = 5


class FaultyTrainingData(UserWarning):
    """A detector was trained on episodes with active labels."""


def widths(episode: Episode) -> tuple[int, int]:
    """Return the number of values in an observation and in an action."""
    return width(episode.observations), width(episode.actions)


def width(values: Array) -> int:
    """Return the number of values in a row of (n, ...)."""
    return math.prod(np.shape(values)[1:])


def require_same_widths(observations: Array, actions: Array, where: str, first: Episode) -> None:
    """Raise :class:`InvalidParameter` unless observations and actions are as wide as those of the first episode."""
    if (width(observations), width(actions)) != widths(first):
        raise InvalidParameter(
            f"{where} has observations of shape {observations.shape[1:]} and actions of shape {actions.shape[1:]}; "
            f"expected {first.observations.shape[1:]} and {first.actions.shape[1:]}, those of the first episode."
        )


class CheckedEpisodes(LazySequence[Episode]):
    """Episodes with at least one transition and only valid readings.

    Each episode is checked when it is accessed, so that episodes on disk are read one at a time.

    Args:
        episodes: Episodes, or a single one.
        require: Raises an error if the observations and actions of the named episode do not fit.
        n_actions: Number of columns for discrete actions; 0 to keep them as integers.
        readings: Replacement for invalid readings; None if they are an error.

    Attributes:
        invalid: By index of the episodes accessed so far: which transitions, (T,), have an invalid reading.
        faulty: Indices of the episodes accessed so far that have active labels.
    """

    def __init__(
        self,
        episodes: Sequence[Episode],
        require: Callable[[Array, Array, str], None] | None = None,
        *,
        n_actions: int = 0,
        readings: NominalReadings | None = None,
    ) -> None:
        self.episodes = _sequence(episodes)
        if not len(self.episodes):
            raise InvalidParameter("there are no episodes; give at least one.")
        self._require = require
        self._n_actions = n_actions
        self._readings = readings
        self.invalid: dict[int, BoolArray] = {}
        self.faulty: set[int] = set()

    def __len__(self) -> int:
        return len(self.episodes)

    def __iter__(self) -> Iterator[Episode]:
        for number, episode in enumerate(self.episodes):
            yield self._checked(number, episode)

    def _item(self, number: int) -> Episode:
        return self._checked(number, self.episodes[number])

    def _checked(self, number: int, episode: Episode) -> Episode:
        if not isinstance(episode, Episode):
            raise InvalidParameter(f"entry {number} is a {type(episode).__name__}; expected an Episode.")
        if len(episode) == 0:
            raise InvalidParameter(f"episode {number} has no transitions; remove it.")
        if episode.active.any():
            self.faulty.add(number)
        observations = numeric_array(f"observations of episode {number}", episode.observations)
        actions = numeric_array(f"actions of episode {number}", episode.actions)
        if self._n_actions and are_discrete(actions):
            actions = one_hot(actions, self._n_actions)
        if self._require is not None:
            self._require(observations, actions, f"episode {number}")
        if not (all_valid(observations) and all_valid(actions)):
            observations, actions = self._replaced(number, observations, actions)
        if observations is episode.observations and actions is episode.actions:
            return episode
        return replace(episode, observations=observations, actions=actions)

    def warn_of_faults(self, name: str) -> None:
        """Warn if an episode that was accessed has active labels: training takes every transition as nominal.

        Args:
            name: Name of the detector.
        """
        if self.faulty:
            listed = ", ".join(map(str, sorted(self.faulty)[:LISTED])) + ", …" * (len(self.faulty) > LISTED)
            warnings.warn(
                f"{name} was trained on {len(self.faulty)} of {len(self)} episodes with active labels (index {listed}) "
                "as if they were nominal; remove them, or set their labels to False.",
                FaultyTrainingData,
                stacklevel=3,
            )

    def _replaced(self, number: int, observations: Array, actions: Array) -> tuple[Array, Array]:
        """Replace invalid readings by nominal ones, and store which transitions have them."""
        if self._readings is None:
            what = "actions" if all_valid(observations) else "observations"
            raise InvalidParameter(
                f"the {what} of episode {number} have values that are not finite or too large; remove or repair the "
                "episode."
            )
        broken = invalid_rows(observations)
        self.invalid[number] = broken[:-1] | broken[1:] | invalid_rows(actions)
        return self._readings.observations(observations), self._readings.actions(actions)


def _sequence(episodes: Any) -> Sequence[Episode]:
    """Return episodes as a sequence, also for a single episode or an iterator; the entries are not checked."""
    if isinstance(episodes, Episode):
        return [episodes]
    if isinstance(episodes, Sequence) and not isinstance(episodes, str | bytes):
        return episodes
    if isinstance(episodes, Iterable) and not isinstance(episodes, str | bytes | Mapping):
        try:
            return list(episodes)
        except TypeError:
            pass
    raise InvalidParameter(f"the episodes are {shown(episodes)}; expected a sequence of them.")
