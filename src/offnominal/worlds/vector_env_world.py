"""A Gymnasium vector environment as a world, for rollouts and twins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces.utils import flatten
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import iterate

from offnominal.core.errors import UnsupportedEnvironment
from offnominal.core.streams import stream_keys
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.worlds.environment_physics import physics_of
from offnominal.worlds.gymnasium_world import DEFAULT_LIMIT, card_of, episode_seeds
from offnominal.worlds.spaces import checked_spaces
from offnominal.worlds.world import World
from offnominal.worlds.world_card import PhysicsParameter


class VectorEnvWorld(World):
    """The rows of a vector environment of any kind.

    A reset starts all rows, and a step steps all rows; rows that have ended go on and are ignored. Physics parameters
    exist if the single environments are in this process and run MuJoCo models.

    Args:
        env: The vector environment.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        self._env = env
        name = getattr(env.spec, "id", None) or type(env.unwrapped).__name__
        spaces = checked_spaces(name, env.single_observation_space, env.single_action_space)
        self.observation_space, self.action_space = spaces.observation, spaces.action
        self._mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        singles = [getattr(single, "unwrapped", single) for single in getattr(env.unwrapped, "envs", ())]
        self._physics = physics_of(singles)
        limit = getattr(env.spec, "max_episode_steps", None) or DEFAULT_LIMIT
        dt = float(getattr(singles[0], "dt", 1.0)) if singles else 1.0
        self.card = card_of(name, spaces, limit, dt, self.physics_parameters)
        self._allocate(env.num_envs)
        self._ended = np.zeros(self.n, np.bool_)

    @property
    def physics_parameters(self) -> Mapping[str, PhysicsParameter]:
        """Physics parameters of the MuJoCo models, if there are any."""
        return self._physics.physics_parameters if self._physics else {}

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start new episodes in all rows; those that are not named get seeds of their own."""
        everywhere = np.arange(self.n)
        for name, physics_parameter in self.physics_parameters.items():
            self.set_physics_parameter(name, everywhere, np.full(self.n, physics_parameter.neutral))
        given = (stream_keys(everywhere, np.zeros(self.n, np.int64), "reset") >> np.uint64(33)).astype(np.int64)
        given[rows] = episode_seeds(seeds, episodes)
        observations, _ = self._env.reset(seed=given.tolist())
        self._store(observations, everywhere)
        for outcome in (self.rewards, self.terminated, self.truncated, self.success, self.critical, self.cost):
            outcome[:] = 0
        self._ended[:] = False

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Step all rows; store the results of the given ones."""
        kept = np.arange(self.n) if rows is None else rows
        if self._ended[kept].any():
            raise UnsupportedEnvironment(f"row {int(kept[np.argmax(self._ended[kept])])} has ended; reset it first.")
        observations, rewards, terminated, truncated, infos = self._env.step(actions.astype(self.action_space.dtype))
        self._store(observations, kept)
        done = np.asarray(terminated) | np.asarray(truncated)
        if self._mode == AutoresetMode.SAME_STEP:
            for row in kept[done[kept]]:
                self.observations[row] = self._flat(infos["final_obs"][row])
            infos = {**infos, **infos.get("final_info", {})}
        self.rewards[kept] = np.asarray(rewards)[kept]
        self.terminated[kept], self.truncated[kept] = np.asarray(terminated)[kept], np.asarray(truncated)[kept]
        self.success[kept] = np.asarray(infos.get("is_success", infos.get("success", np.zeros(self.n))), bool)[kept]
        self.cost[kept] = np.asarray(infos.get("cost", np.zeros(self.n)), np.float64)[kept]
        self._ended |= done

    def _store(self, observations: Any, rows: IntArray) -> None:
        if isinstance(observations, np.ndarray) and observations.shape == self.observations.shape:
            self.observations[rows] = observations[rows]
            return
        every = list(iterate(self._env.observation_space, observations))
        for row in rows:
            self.observations[row] = self._flat(every[row])

    def _flat(self, observation: Any) -> Any:
        if np.shape(observation) == self.observation_space.shape:
            return observation
        return flatten(self._env.single_observation_space, observation)

    def set_physics_parameter(self, name: str, rows: IntArray, values: FloatArray) -> None:
        """Set a physics parameter of the MuJoCo models of some rows."""
        known = self.physics_parameter(name).name
        assert self._physics is not None
        self._physics.set_physics_parameter(known, rows, values)

    def close(self) -> None:
        """Close the vector environment."""
        self._env.close()
