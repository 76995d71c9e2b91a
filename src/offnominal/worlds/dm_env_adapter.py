"""Environments with the interface of dm_env, such as those of dm_control, as Gymnasium environments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space

from offnominal.core.errors import UnsupportedEnvironment

INTERFACE = ("reset", "step", "observation_spec", "action_spec")


def is_dm_env(env: Any) -> bool:
    """Whether an object has the interface of a ``dm_env.Environment``."""
    return not isinstance(env, gymnasium.Env | type) and all(callable(getattr(env, name, None)) for name in INTERFACE)


class DmEnvAdapter(gymnasium.Env[Any, Any]):
    """A Gymnasium environment around an environment with the interface of dm_env.

    An episode that ends with discount 0 is terminated; one that ends with another discount is truncated. MuJoCo physics
    of dm_control is found by dynamics faults.

    Args:
        env: The environment. dm_env itself need not be installed.
        set_seed: Function that seeds the environment; by default the random state of dm_control's task or of its
            composer environment is replaced.

    Example:
        >>> from dm_control import suite  # doctest: +SKIP
        >>> env = DmEnvAdapter(suite.load("cartpole", "swingup"))  # doctest: +SKIP
    """

    def __init__(self, env: Any, *, set_seed: Callable[[Any, int], None] | None = None) -> None:
        if not is_dm_env(env):
            raise UnsupportedEnvironment(
                f"a {type(env).__name__} is no dm_env environment; it needs the methods {', '.join(INTERFACE)}."
            )
        self.env = env
        self._set_seed = set_seed or replace_random_state
        self.observation_space = _space(env.observation_spec(), "observations")
        self.action_space = _space(env.action_spec(), "actions")

    @property
    def physics(self) -> Any:
        """Physics of dm_control; None for other environments."""
        return getattr(self.env, "physics", None)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        super().reset(seed=seed)
        if seed is not None:
            self._set_seed(self.env, seed)
        return self._observation(self.env.reset()), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take a step."""
        time_step = self.env.step(action)
        ended = bool(time_step.last())
        terminated = ended and time_step.discount == 0.0
        reward = float(time_step.reward or 0.0)
        return self._observation(time_step), reward, terminated, ended and not terminated, {}

    def _observation(self, time_step: Any) -> Any:
        def converted(space: Space[Any], value: Any) -> Any:
            if isinstance(space, Dict):
                return {name: converted(part, value[name]) for name, part in space.spaces.items()}
            return np.asarray(value, space.dtype).reshape(space.shape or ())

        return converted(self.observation_space, time_step.observation)

    def close(self) -> None:
        """Close the environment."""
        if hasattr(self.env, "close"):
            self.env.close()


def replace_random_state(env: Any, seed: int) -> None:
    """Give an environment of dm_control the random state of a seed.

    Raises:
        UnsupportedEnvironment: The environment has no known random state.
    """
    state = np.random.RandomState(seed % 2**32)
    for owner, name in ((getattr(env, "task", None), "_random"), (env, "_random_state")):
        if owner is not None and hasattr(owner, name):
            setattr(owner, name, state)
            return
    raise UnsupportedEnvironment(
        f"no random state is known in a {type(env).__name__}, so a seed cannot fix an episode; pass "
        "DmEnvAdapter(env, set_seed=...)."
    )


def _space(spec: Any, name: str) -> Space[Any]:
    """Return the space of a spec: Dict of a table, Discrete of a discrete array, otherwise Box."""
    if isinstance(spec, Mapping):
        return Dict({key: _space(part, name) for key, part in spec.items()})
    if not hasattr(spec, "shape") or not hasattr(spec, "dtype"):
        raise UnsupportedEnvironment(f"the {name} have the spec {spec!r}; expected an array or a table of arrays.")
    if hasattr(spec, "num_values"):
        return Discrete(int(spec.num_values))
    dtype = np.dtype(spec.dtype)
    kind = np.float32 if dtype.kind == "f" else dtype.type
    bounds = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    low, high = (getattr(spec, side, bound) for side, bound in zip(("minimum", "maximum"), bounds, strict=True))
    shape = tuple(spec.shape) or (1,)
    return Box(np.broadcast_to(low, shape).astype(kind), np.broadcast_to(high, shape).astype(kind), dtype=kind)
