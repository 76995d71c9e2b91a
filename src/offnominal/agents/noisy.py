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
    spreads: FloatArray
    step: int


class NoisyPolicy(Policy):
    """Adds Gaussian noise to the actions of another policy, in every episode of another size.

    Args:
        policy: The other one.
        space: Action space; actions stay within its limits.
        spread: Largest standard deviation, as a share of half the range of the actions. The ith of five episodes in a
            row has i quarters of it, so that one in five has no noise at all.

    Example:
        >>> from offnominal.agents import RandomPolicy
        >>> space = Box(-1, 1, (2,))
        >>> policy = NoisyPolicy(RandomPolicy(space), space, 0.1)
        >>> policy.act(np.zeros((5, 4)), policy.start(np.arange(5), np.zeros(5, int)))[0].shape
        (5, 2)
    """

    KINDS = 5

    def __init__(self, policy: Policy, space: Box, spread: float) -> None:
        self.policy = policy
        self.space = space
        if not spread >= 0.0:
            raise InvalidParameter(f"spread is {spread!r}; expected a number of at least 0.")
        self.spread = spread

    def start(self, seeds: IntArray, episodes: IntArray) -> _NoisyState:
        """Give every episode its size of noise."""
        spreads = self.spread * (np.asarray(seeds) % self.KINDS) / (self.KINDS - 1)
        return _NoisyState(self.policy.start(seeds, episodes), stream_keys(seeds, episodes, "stumbling"), spreads, 0)

    def act(self, observations: Array, state: _NoisyState | None) -> tuple[Array, _NoisyState]:
        """Let the other policy choose, and shake what it chose."""
        state = self.begun(observations, state)
        actions, inner = self.policy.act(observations, state.inner)
        n, width = len(actions), int(np.prod(self.space.shape))
        noise = np.empty((n, width))
        fill_normal(state.keys, np.full(n, state.step), 0, noise)
        reach = (self.space.high.astype(np.float64) - self.space.low) / 2
        shaken = actions + reach * (state.spreads[:, None] * noise).reshape(n, *self.space.shape)
        shaken = np.clip(shaken, self.space.low, self.space.high).astype(self.space.dtype)
        return shaken, _NoisyState(self.policy.did(inner, shaken), state.keys, state.spreads, state.step + 1)

    def did(self, state: _NoisyState, actions: Array) -> _NoisyState:
        """Tell the other policy."""
        return replace(state, inner=self.policy.did(state.inner, actions))

    def take(self, state: _NoisyState, rows: IntArray) -> _NoisyState:
        """Keep some rows."""
        return _NoisyState(self.policy.take(state.inner, rows), state.keys[rows], state.spreads[rows], state.step)
