"""A batched world as a vector environment of Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices, VecEnvStepReturn

from offnominal.core.errors import InvalidParameter, UnsupportedEnvironment
from offnominal.core.types import Array
from offnominal.worlds.vector_env import RECORDED, WorldVectorEnv


class SB3VecEnv(VecEnv):
    """N episodes of a world with the vector API of Stable-Baselines3.

    Observations, rewards and ends of episodes are bit for bit those of a ``DummyVecEnv`` of N single environments. The
    rows share one world: an attribute has the same value for all of them.

    Args:
        envs: Vector environment of ``make_vec``, with or without faults.

    Example:
        >>> from offnominal.anomalies.factory import make_vec
        >>> envs = SB3VecEnv(make_vec("SAP-Goal0-v0", 4))
        >>> envs.seed(0)
        [0, 1, 2, 3]
        >>> envs.reset().shape
        (4, 26)
    """

    def __init__(self, envs: VectorEnv[Any, Any, Any]) -> None:
        if not isinstance(envs.unwrapped, WorldVectorEnv):
            raise UnsupportedEnvironment(f"{envs} is not a batched world; give a vector environment of `make_vec`.")
        self.envs = envs
        self._owners = (envs.unwrapped.world, envs, envs.unwrapped)
        self._actions: Array = np.zeros(0)
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> Array:
        """Reset all rows, with the seeds given to :meth:`seed` since the last reset."""
        seeds: Any = [seed for seed in self._seeds if seed is not None] or None
        observations: Array
        observations, infos = self.envs.reset(seed=seeds)
        self.reset_infos = _by_row(infos, self.num_envs)
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: Array) -> None:
        """Set the actions for :meth:`step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Step all rows; finished episodes are reset, and their last observation is in the info."""
        observations, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        done = terminated | truncated
        by_row = _by_row(infos, self.num_envs)
        if done.any():
            last = _by_row(infos["final_info"], self.num_envs)
            for row in np.flatnonzero(done):
                self.reset_infos[row] = by_row[row]
                by_row[row] = {**last[row], "terminal_observation": infos["final_obs"][row]}
        for info, late in zip(by_row, truncated & ~terminated, strict=True):
            info["TimeLimit.truncated"] = bool(late)
        return observations, rewards.astype(np.float32), done, by_row

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of the world, once per requested row."""
        return [getattr(self._owner(attr_name), attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of the world."""
        self._require_all(f"set {attr_name}", indices)
        setattr(self._owner(attr_name), attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """Call a method of the world once, and return its result for each row."""
        self._require_all(f"call {method_name}", indices)
        return [getattr(self._owner(method_name), method_name)(*args, **kwargs)] * self.num_envs

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Return False for each row; wrap the vector environment instead, for example in a ``VecMonitor``."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[Array | None]:
        """Return an image of every row, or None without a render mode."""
        images: Any = self.envs.render()
        return list(images) if images else [None] * self.num_envs

    def close(self) -> None:
        """Close the world."""
        self.envs.close()

    def _owner(self, name: str) -> Any:
        """Return the object with an attribute: the world, or else one of its vector environments."""
        return next((owner for owner in self._owners if hasattr(owner, name)), self.envs)

    def _require_all(self, what: str, indices: VecEnvIndices) -> None:
        if len(set(self._get_indices(indices))) < self.num_envs:
            raise InvalidParameter(f"cannot {what} for rows {indices} only: all {self.num_envs} share one world.")


def _by_row(infos: dict[str, Any], n: int) -> list[dict[str, Any]]:
    return [{name: infos[name][row].item() for name in RECORDED} for row in range(n)]
