"""A policy that stumbles, to see what lies beside its path."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from gymnasium.spaces import Box

from offnominal.agents.policy import Policy
from offnominal.core.errors import InvalidParameter
from offnominal.core.philox import fill_normal
from offnominal.core.streams import stream_keys
from offnominal.core.types import Array, FloatArray, IntArray, KeyArray


@dataclass(frozen=True, slots=True)
class _NoisyState:
    inner: Any
    keys: KeyArray
    noise_levels: FloatArray
    step: int


class NoisyPolicy(Policy):
    """Adds Gaussian noise to the actions of another policy, in every episode of another size.

    Args:
        policy: The other one.
        space: Action space; actions stay within its limits.
        max_noise: Largest standard deviation, as a share of half the range of the actions. The ith of five episodes in
            a row has i quarters of it, so that one in five has no noise at all.

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
            raise InvalidParameter(f"spread is {max_noise!r}; expected a number of at least 0.")
        self.max_noise = max_noise

    def start(self, seeds: IntArray, episodes: IntArray) -> _NoisyState:
        """Give every episode its size of noise."""
        noise_levels = self.max_noise * (np.asarray(seeds) % self.NOISE_LEVELS) / (self.NOISE_LEVELS - 1)
        return _NoisyState(
            self.policy.start(seeds, episodes), stream_keys(seeds, episodes, "stumbling"), noise_levels, 0
        )

    def act(self, observations: Array, state: _NoisyState | None) -> tuple[Array, _NoisyState]:
        """Let the other policy choose, and shake what it chose."""
        state = self.begun(observations, state)
        actions, inner = self.policy.act(observations, state.inner)
        n, width = len(actions), int(np.prod(self.space.shape))
        noise = np.empty((n, width))
        fill_normal(state.keys, np.full(n, state.step), 0, noise)
        reach = (self.space.high.astype(np.float64) - self.space.low) / 2
        shaken = actions + reach * (state.noise_levels[:, None] * noise).reshape(n, *self.space.shape)
        shaken = np.clip(shaken, self.space.low, self.space.high).astype(self.space.dtype)
        return shaken, _NoisyState(
            self.policy.record_actions(inner, shaken), state.keys, state.noise_levels, state.step + 1
        )

    def record_actions(self, state: _NoisyState, actions: Array) -> _NoisyState:
        """Tell the other policy."""
        return replace(state, inner=self.policy.record_actions(state.inner, actions))

    def take(self, state: _NoisyState, rows: IntArray) -> _NoisyState:
        """Keep some rows."""
        return _NoisyState(self.policy.take(state.inner, rows), state.keys[rows], state.noise_levels[rows], state.step)
