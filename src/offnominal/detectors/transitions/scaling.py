"""Normalisation of the inputs and targets of a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled
from offnominal.core.episode import Episode
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.detector import transitions
from offnominal.detectors.normaliser import Normaliser
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor

SinglePrecision: TypeAlias = NDArray[np.float32]

MAX_VALUE = 1e6
_NO_ACTION = np.zeros(0)


@dataclass(frozen=True, slots=True)
class Scaling:
    """Normalises observations, actions and changes of the observation by their nominal mean and deviation.

    By default a change is divided by the deviation of changes in one transition, not by that of the channel: a slow
    channel counts as much as a fast one, and a jump that the channel never makes is large. A channel that is constant
    within episodes is divided by its deviation over episodes, and a constant channel keeps its raw unit.

    Values are clipped at a million deviations from the mean, so that no finite input overflows.

    Args:
        observation: Normaliser of observations.
        action: Normaliser of actions.
        change: Normaliser of the changes between normalised observations.
    """

    observation: Normaliser
    action: Normaliser
    change: Normaliser

    @classmethod
    def of(cls, episodes: Sequence[Episode], *, constant_scale: float = 1.0, scale_changes: bool = True) -> Scaling:
        """Return the scaling of nominal episodes.

        Args:
            episodes: Nominal episodes.
            constant_scale: Divisor of observation channels that are constant.
            scale_changes: Whether a change is divided by the deviation of changes, and not only by that of its channel.
        """
        observations, actions, after = transitions(episodes)
        observation = Normaliser.of(np.concatenate([observations, after]), constant_scale=constant_scale)
        changes = observation(after) - observation(observations)
        change = Normaliser.of(changes) if scale_changes else Normaliser.identity(changes.shape[1])
        return cls(observation, Normaliser.of(actions), change)

    def inputs(self, observations: Array, actions: Array | None) -> SinglePrecision:
        """Return rows of normalised observations, and actions if given."""
        rows = self.observation(observations)
        if actions is not None:
            rows = np.concatenate([rows, self.action(actions)], axis=1)
        return _bounded(rows).astype(np.float32)

    def changes(self, observations: Array, after: Array) -> FloatArray:
        """Return rows of normalised changes."""
        return _bounded(self.change(self.observation(after) - self.observation(observations)))

    def torch_inputs(self, observations: Tensor, actions: Tensor | None) -> Tensor:
        """Return the same as :meth:`inputs` by torch operators."""
        import torch

        rows = self.observation.torch(observations)
        if actions is not None:
            rows = torch.cat([rows, self.action.torch(actions)], dim=1)
        return rows.clamp(-MAX_VALUE, MAX_VALUE).float()

    def torch_changes(self, observations: Tensor, after: Tensor) -> Tensor:
        """Return the same as :meth:`changes` by torch operators."""
        change = self.observation.torch(after) - self.observation.torch(observations)
        return self.change.torch(change).clamp(-MAX_VALUE, MAX_VALUE)

    def of_step(self, before: Array, actions: Array | None, after: Array) -> tuple[SinglePrecision, FloatArray]:
        """Return inputs and changes of one transition, the same numbers as the other methods, in less time.

        Args:
            before: (1, ...) observation.
            actions: (1, ...) action, if it is an input.
            after: (1, ...) next observation.
        """
        here, act, there = (
            np.asarray(part, np.float64).ravel() for part in (before, _NO_ACTION if actions is None else actions, after)
        )
        channels, acting, change = self.observation, self.action, self.change
        return _step(
            here,
            act,
            there,
            channels.mean,
            channels.scale,
            acting.mean,
            acting.scale,
            change.mean,
            change.scale,
        )

    def arrays(self) -> dict[str, Array]:
        """Return the arrays of the state dict."""
        return {f"{name}.{part}": getattr(getattr(self, name), part) for name, part in _parts()}

    @classmethod
    def restored(cls, state: StateArrays, observation: int, action: int) -> Scaling:
        """Return the scaling from a state dict, given the widths of observations and actions."""
        widths = {"observation": observation, "action": action, "change": observation}
        return cls(*(Normaliser.restored(state, f"{name}.mean", f"{name}.scale", widths[name]) for name in _NAMES))


_NAMES = ("observation", "action", "change")


def _parts() -> list[tuple[str, str]]:
    return [(name, part) for name in _NAMES for part in ("mean", "scale")]


@compiled
def _step(
    before: FloatArray,
    action: FloatArray,
    after: FloatArray,
    mean: FloatArray,
    scale: FloatArray,
    action_mean: FloatArray,
    action_scale: FloatArray,
    change_mean: FloatArray,
    change_scale: FloatArray,
) -> tuple[SinglePrecision, FloatArray]:
    width = len(before)
    inputs, changes = np.empty((1, width + len(action)), np.float32), np.empty((1, width))
    for c in range(width):
        here = (before[c] - mean[c]) / scale[c]
        there = (after[c] - mean[c]) / scale[c]
        change = ((there - here) - change_mean[c]) / change_scale[c]
        inputs[0, c] = min(max(here, -MAX_VALUE), MAX_VALUE)
        changes[0, c] = min(max(change, -MAX_VALUE), MAX_VALUE)
    for c in range(len(action)):
        value = (action[c] - action_mean[c]) / action_scale[c]
        inputs[0, width + c] = min(max(value, -MAX_VALUE), MAX_VALUE)
    return inputs, changes


def _bounded(values: FloatArray) -> FloatArray:
    bounded: FloatArray = np.minimum(np.maximum(values, -MAX_VALUE), MAX_VALUE)
    return bounded
