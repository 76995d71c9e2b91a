"""A policy with Gaussian action noise, for exploration of states near those of another policy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from gymnasium.spaces import Box

from offnominal.core.errors import InvalidParameter
from offnominal.core.philox import fill_normal
from offnominal.core.policy import Policy
from offnominal.core.streams import stream_keys
from offnominal.core.types import Array, FloatArray, IntArray, KeyArray


@dataclass(frozen=True, slots=True)
class _NoisyState:
    inner: Any
    keys: KeyArray
    noise_levels: FloatArray
    step: int


class NoisyPolicy(Policy):
    """Adds Gaussian noise to the actions of another policy, with a noise level that varies by episode.

    Args:
        policy: Policy whose actions are changed.
        space: Action space; actions are clipped to its bounds.
        max_noise: Largest standard deviation, as a fraction of half the range of the actions. Five successive seeds
            have 0, 1/4, 1/2, 3/4 and 1 times this noise.

    Example:
        >>> from offnominal.agents import RandomPolicy
        >>> space = Box(-1, 1, (2,))
        >>> policy = NoisyPolicy(RandomPolicy(space), space, 0.1)
        >>> policy.act(np.zeros((5, 4)), policy.start(np.arange(5), np.zeros(5, int)))[0].shape
        (5, 2)
    """

    NOISE_LEVELS = 5

    def __init__(self, policy: Policy, space: Box, max_noise: float) -> None:
        self.policy = policy
        self.space = space
        if not max_noise >= 0.0:
            raise InvalidParameter(f"max_noise is {max_noise!r}; expected a number of at least 0.")
        self.max_noise = max_noise

    def start(self, seeds: IntArray, episodes: IntArray) -> _NoisyState:
        """Return the noise level and the random stream of every episode."""
        keys = stream_keys(seeds, episodes, "stumbling")
        noise_levels = self.max_noise * (np.asarray(seeds) % self.NOISE_LEVELS) / (self.NOISE_LEVELS - 1)
        return _NoisyState(self.policy.start(seeds, episodes), keys, noise_levels, 0)

    def act(self, observations: Array, state: _NoisyState | None) -> tuple[Array, _NoisyState]:
        """Return the actions of the other policy with noise."""
        state = self.begun(observations, state)
        actions, inner = self.policy.act(observations, state.inner)
        n, width = len(actions), int(np.prod(self.space.shape))
        noise = np.empty((n, width))
        fill_normal(state.keys, np.full(n, state.step), 0, noise)
        reach = (self.space.high.astype(np.float64) - self.space.low) / 2
        noisy = actions + reach * (state.noise_levels[:, None] * noise).reshape(n, *self.space.shape)
        noisy = np.clip(noisy, self.space.low, self.space.high).astype(self.space.dtype)
        return noisy, _NoisyState(
            self.policy.record_actions(inner, noisy), state.keys, state.noise_levels, state.step + 1
        )

    def record_actions(self, state: _NoisyState, actions: Array) -> _NoisyState:
        """Return the state after other actions were executed."""
        return replace(state, inner=self.policy.record_actions(state.inner, actions))

    def take(self, state: _NoisyState, rows: IntArray) -> _NoisyState:
        """Return the state of the given rows."""
        return _NoisyState(self.policy.take(state.inner, rows), state.keys[rows], state.noise_levels[rows], state.step)
