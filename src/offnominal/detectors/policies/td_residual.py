"""Temporal-difference residual of the policy's values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.core.discrete_actions import one_hot
from offnominal.core.episode import Episode
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.detector import transitions
from offnominal.detectors.normaliser import Normaliser
from offnominal.detectors.policies.policy_detector import PolicyDetector, values_of
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor

    from offnominal.detectors.torch_step import TorchStep

WIDEST = 32
"""Largest width of a transition for which the reward is predicted; beyond it, the mean reward is used."""


class TDResidual(PolicyDetector):
    """Absolute difference between the value of an action and its reward plus the discounted value of the next state.

    Detectors do not get rewards, so `fit` learns a reward model from nominal episodes: least squares on products of two
    columns of the transition. Detectors do not get terminations either, so the next state always has its value. For
    the arguments, see :class:`PolicyDetector`.

    Example:
        >>> import offnominal as off
        >>> nominal = off.collect("OOD-CartPole-v0", off.expert("OOD-CartPole-v0"), 5)
        >>> TDResidual().fit(nominal).score(nominal)[0].min() >= 0.0
        np.True_
    """

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        super()._fit(episodes, validation, seed)
        rewards = np.concatenate([episode.rewards for episode in episodes])
        if self._uses_mean_reward():
            self.normaliser_ = Normaliser(np.zeros(0), np.zeros(0))
            self.weights_ = np.array([rewards.mean()])
            return
        rows = self._rows(*transitions(episodes))
        self.normaliser_ = Normaliser.of(rows)
        self.weights_ = np.linalg.lstsq(_products(self.normaliser_(rows)), rewards, rcond=1e-9)[0]

    def _uses_mean_reward(self) -> bool:
        return 2 * self.widths_[0] + self.widths_[1] > WIDEST

    def _rows(self, observations: Array, actions: Array, after: Array) -> FloatArray:
        space = self.policy_.space
        columns = one_hot(actions[:, 0] - space.start, int(space.n)) if isinstance(space, Discrete) else actions
        return np.concatenate([observations, columns, after], axis=1, dtype=np.float64)

    def _score_transitions(self, observations: Array, actions: Array, after: Array) -> FloatArray:
        targets = self._rewards(observations, actions, after) + self._future(after)
        return np.abs(targets - self._value(observations, actions))

    def _rewards(self, observations: Array, actions: Array, after: Array) -> FloatArray:
        if self._uses_mean_reward():
            return np.full(len(actions), self.weights_[0])
        products = _products(self.normaliser_(self._rows(observations, actions, after)))
        # Not a matrix product: its rounding would depend on the batch size.
        rewards: FloatArray = (products * self.weights_).sum(axis=1)
        return rewards

    def _future(self, after: Array) -> FloatArray:
        return self.policy_.discount * values_of(self.policy_, self.predicted(after)[0], after)

    def _value(self, observations: Array, actions: Array) -> FloatArray:
        space = self.policy_.space
        if not isinstance(space, Discrete):
            return self.policy_.action_value(observations, actions)
        mean, _ = self.predicted(observations)
        chosen = actions[:, 0] - space.start
        valid = (chosen >= 0) & (chosen < space.n)
        return np.where(valid, mean[np.arange(len(mean)), np.where(valid, chosen, 0)], np.nan)

    def _torch_update(self, state: None, step: TorchStep) -> tuple[None, Tensor]:
        import torch

        before, after, space = step.observation, step.next_observation, self.policy_.space
        actions = step.action if step.action.ndim > 1 else step.action[:, None]
        chosen = (
            actions[:, :1] - int(space.start) == torch.arange(int(space.n)) if isinstance(space, Discrete) else None
        )
        columns = actions if chosen is None else chosen.double()
        mean = self._torch_predicted(after)[0]
        target = self._torch_rewards(torch.cat([before, columns, after], dim=1))
        target = target + self.policy_.discount * self._torch_values(mean, after)
        if chosen is None:
            return None, (target - self._torch_action_value(before, actions)).abs()
        value = (self._torch_predicted(before)[0] * columns).sum(1)
        return None, torch.where(chosen.any(1), (target - value).abs(), torch.nan)

    def _torch_rewards(self, rows: Tensor) -> Tensor:
        import torch

        weights = torch.from_numpy(self.weights_)
        if self._uses_mean_reward():
            return weights.expand(len(rows))
        values = self.normaliser_.torch(rows)
        first, second = (torch.from_numpy(part) for part in np.triu_indices(values.shape[1]))
        products = values[:, first] * values[:, second]
        return (torch.cat([torch.ones_like(values[:, :1]), values, products], dim=1) * weights).sum(1)

    def _state_dict(self) -> dict[str, Array]:
        """Return the policy and the reward model."""
        reward_model = {"mean": self.normaliser_.mean, "scale": self.normaliser_.scale, "weights": self.weights_}
        return super()._state_dict() | {f"reward.{name}": values for name, values in reward_model.items()}

    def _load_state_dict(self, state: StateArrays) -> None:
        super()._load_state_dict(state)
        space = self.policy_.space
        width = 2 * self.widths_[0] + (int(space.n) if isinstance(space, Discrete) else self.widths_[1])
        width = 0 if self._uses_mean_reward() else width
        self.normaliser_ = Normaliser.restored(state, "reward.mean", "reward.scale", width)
        self.weights_ = state.floats("reward.weights", (1 + width + width * (width + 1) // 2,))


def _products(rows: FloatArray) -> FloatArray:
    """Return a column of ones, every column, and every product of two columns."""
    first, second = np.triu_indices(rows.shape[1])
    return np.concatenate([np.ones((len(rows), 1)), rows, rows[:, first] * rows[:, second]], axis=1)
