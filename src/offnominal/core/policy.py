"""The contract of a policy: batched, with explicit state and its own random stream."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete

from offnominal.core.checks import numeric_array, positive_integer, require_shape
from offnominal.core.errors import InvalidAction, InvalidParameter, OffnominalError
from offnominal.core.philox import fill_uniform
from offnominal.core.printable import shown
from offnominal.core.streams import check_seed, stream_keys
from offnominal.core.types import Array, IntArray, KeyArray

TILE = 64


class Policy(ABC):
    """Maps observations of several episodes to actions.

    The action for one episode does not depend on the other episodes of the batch. Rollouts use :meth:`start` and
    :meth:`act`. A loop around one environment calls the policy with each observation, after :meth:`reset`.

    Example:
        >>> policy = RandomPolicy(Box(-1, 1, (2,)))
        >>> policy.reset(seed=3)
        >>> policy(np.zeros(4)).shape
        (2,)
    """

    _episode: Any = None
    _in_episode: bool = False

    def reset(self, seed: int = 0) -> None:
        """Start an episode of single observations.

        Args:
            seed: Seed of the policy's random stream; :func:`~offnominal.rollouts.collect` uses that of the episode.
        """
        self._episode = self.start(np.array([check_seed(seed)]), np.zeros(1, np.int64))
        self._in_episode = True

    def __call__(self, observation: Any) -> Any:
        """Return the action for one observation of the current episode; the first call starts an episode of seed 0."""
        given = numeric_array("observations", observation)
        if not self._in_episode:
            self.reset()
        actions, self._episode = self.act(given[None], self._episode)
        return actions[0]

    def start(self, seeds: IntArray, episodes: IntArray) -> Any:
        """Return the state at the beginning of episodes, or None for a policy without state."""
        return None

    @abstractmethod
    def act(self, observations: Array, state: Any) -> tuple[Array, Any]:
        """Return an action per row and the state for the next step.

        Args:
            observations: (n, ...): one observation per row.
            state: Result of :meth:`start` or of the previous call for these rows. None starts new episodes of seed 0.
        """

    def begun(self, observations: Array, state: Any) -> Any:
        """Return the state, or the state of new episodes of seed 0 if it is None."""
        if state is not None:
            return state
        require_shape("observations", observations, "n", "...")
        rows = np.arange(len(observations))
        return self.start(np.zeros_like(rows), rows)

    def record_actions(self, state: Any, actions: Array) -> Any:
        """Return the state after other actions than those of :meth:`act` were executed."""
        return state

    def take(self, state: Any, rows: IntArray) -> Any:
        """Return the state of the given rows; the other episodes have ended."""
        return state


@dataclass(frozen=True, slots=True)
class _RandomState:
    keys: KeyArray
    step: int


class RandomPolicy(Policy):
    """Policy with uniformly random actions of a Box or Discrete space.

    Example:
        >>> policy = RandomPolicy(Box(-1, 1, (2,)))
        >>> state = policy.start(np.array([0, 1]), np.array([0, 0]))
        >>> actions, state = policy.act(np.zeros((2, 4)), state)
        >>> actions.shape
        (2, 2)
        >>> RandomPolicy(Discrete(3)).act(np.zeros((2, 4)), state)[0]
        array([2, 2])
    """

    def __init__(self, space: Box | Discrete) -> None:
        if not isinstance(space, Box | Discrete):
            raise InvalidParameter(f"uniform actions need a Box or a Discrete space; the space is {space}.")
        if isinstance(space, Box) and not (np.isfinite(space.low).all() and np.isfinite(space.high).all()):
            raise InvalidParameter(f"uniform actions need finite bounds; the space is {space}.")
        self.space = space

    def start(self, seeds: IntArray, episodes: IntArray) -> _RandomState:
        """Return the random stream of every episode."""
        return _RandomState(stream_keys(seeds, episodes, "policy"), 0)

    def act(self, observations: Array, state: _RandomState | None) -> tuple[Array, _RandomState]:
        """Return random actions, drawn from each episode's stream."""
        require_shape("observations", observations, "n", "...")
        state = self.begun(observations, state)
        n, shape = len(observations), self.space.shape or ()
        uniform = np.empty((n, int(np.prod(shape))))
        fill_uniform(state.keys, np.full(n, state.step), 0, uniform)
        return self._scaled(uniform.reshape(n, *shape)), _RandomState(state.keys, state.step + 1)

    def _scaled(self, uniform: Array) -> Array:
        """Return actions of the space for uniform numbers on (0, 1)."""
        space = self.space
        if isinstance(space, Discrete):
            # A number close to 1 would be rounded up to n.
            return space.start + np.minimum((uniform * space.n).astype(np.int64), space.n - 1)
        low, high = space.low.astype(np.float64), space.high.astype(np.float64)
        return (low + (high - low) * uniform).astype(space.dtype)

    def take(self, state: _RandomState, rows: IntArray) -> _RandomState:
        """Return the streams of the given rows."""
        return _RandomState(state.keys[rows], state.step)


class FunctionPolicy(Policy):
    """Policy without state, from a function of a batch of observations.

    The function is always called with `tile` rows, the last ones padded with zeros: matrix products of other shapes
    round differently, and the action for one observation must not depend on the size of the batch.

    Args:
        function: Function from (tile, ...) observations to (tile, ...) actions.
        tile: Number of rows per call.

    Example:
        >>> policy = FunctionPolicy(lambda observations: -observations[:, :1])
        >>> policy.act(np.ones((3, 4)), None)[0].shape
        (3, 1)
    """

    def __init__(self, function: Callable[[Array], Array], tile: int = TILE) -> None:
        self.function = function
        self.tile = positive_integer("tile", tile)

    def act(self, observations: Array, state: Any) -> tuple[Array, Any]:
        """Return the actions of the function."""
        require_shape("observations", observations, "n", "...")
        n = len(observations)
        padded = np.zeros((-(-n // self.tile) * self.tile, *observations.shape[1:]), observations.dtype)
        padded[:n] = observations
        parts = []
        for first in range(0, len(padded), self.tile):
            part = self._called(padded[first : first + self.tile])
            if part.shape[:1] != (self.tile,):
                raise InvalidAction(
                    f"the policy function returned shape {part.shape} for {self.tile} observations; expected one "
                    "action per observation."
                )
            parts.append(part)
        return np.concatenate(parts)[:n], state

    def _called(self, observations: Array) -> Array:
        try:
            return np.asarray(self.function(observations))
        except OffnominalError:
            raise
        except Exception as error:
            raise InvalidAction(
                f"the policy function failed for observations of shape {observations.shape}: "
                f"{type(error).__name__}: {error}"
            ) from error


def as_policy(policy: Policy | Callable[[Array], Array]) -> Policy:
    """Return a policy; a function becomes a :class:`FunctionPolicy`."""
    if isinstance(policy, Policy):
        return policy
    if callable(policy):
        return FunctionPolicy(policy)
    raise InvalidParameter(f"{shown(policy)} is a {type(policy).__name__}; expected a Policy or a function.")
