"""Signals in the units a network works in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from offnominal.core.episode import Episode
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.detector import transitions
from offnominal.detectors.normaliser import Normaliser
from offnominal.detectors.state_arrays import StateArrays

SinglePrecision: TypeAlias = NDArray[np.float32]

MAX_VALUE = 1e6


@dataclass(frozen=True, slots=True)
class Scaling:
    """Observations, actions and changes of the observation, each in units of its own nominal spread.

    A change is measured against how much the channel usually changes in one transition, not against where the channel
    has been: a slow channel counts as much as a fast one, and a jump that the channel never makes is large. A channel
    that never changes within an episode is measured by its spread over episodes, and one that never varies at all stays
    in its raw unit.

    What lies further than a million spreads from the mean counts as a million, so that no finite input overflows.

    Args:
        observation: Of the observations.
        action: Of the actions.
        change: Of the changes between normalised observations.
    """

    observation: Normaliser
    action: Normaliser
    change: Normaliser

    @classmethod
    def of(cls, episodes: Sequence[Episode]) -> Scaling:
        """Learn from nominal episodes."""
        observations, actions, after = transitions(episodes)
        observation = Normaliser.of(np.concatenate([observations, after]))
        return cls(observation, Normaliser.of(actions), Normaliser.of(observation(after) - observation(observations)))

    def inputs(self, observations: Array, actions: Array | None) -> SinglePrecision:
        """Return rows of normalised observations, and actions if given."""
        rows = self.observation(observations)
        if actions is not None:
            rows = np.concatenate([rows, self.action(actions)], axis=1)
        return _bounded(rows).astype(np.float32)

    def changes(self, observations: Array, after: Array) -> FloatArray:
        """Return rows of normalised changes."""
        return _bounded(self.change(self.observation(after) - self.observation(observations)))

    def arrays(self) -> dict[str, Array]:
        """Return what was learned."""
        return {f"{name}.{part}": getattr(getattr(self, name), part) for name, part in _parts()}

    @classmethod
    def restored(cls, state: StateArrays, observation: int, action: int) -> Scaling:
        """Read what was learned, given the widths of observations and actions."""
        widths = {"observation": observation, "action": action, "change": observation}
        return cls(*(Normaliser.restored(state, f"{name}.mean", f"{name}.scale", widths[name]) for name in _NAMES))


_NAMES = ("observation", "action", "change")


def _parts() -> list[tuple[str, str]]:
    return [(name, part) for name in _NAMES for part in ("mean", "scale")]


def _bounded(values: FloatArray) -> FloatArray:
    return np.clip(values, -MAX_VALUE, MAX_VALUE)
