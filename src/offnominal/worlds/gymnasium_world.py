"""Any Gymnasium environment as a world, for rollouts and twins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete

from offnominal.core.errors import UnsupportedEnvironment
from offnominal.core.streams import stream_keys
from offnominal.core.types import Array, FloatArray, Frames, IntArray
from offnominal.worlds.camera import DrawnCamera, resized
from offnominal.worlds.world import World
from offnominal.worlds.world_card import Channel, PhysicsParameter, WorldCard

DEFAULT_LIMIT = 1000


class GymnasiumWorld(World):
    """N instances of a Gymnasium environment with Box observations and Box or Discrete actions.

    Slower than a native world, because each row is a separate object; the interface is the same. A MuJoCo model in the
    environment gives physics parameters.

    Args:
        n: Number of rows.
        id: Gymnasium id.
        max_steps: Time limit; the registered one if None.
        **options: Passed to `gymnasium.make`; with ``render_mode="rgb_array"`` the world has images.

    Example:
        >>> world = GymnasiumWorld(2, id="Pendulum-v1")
        >>> world.card.max_steps
        200
    """

    def __init__(self, n: int, *, id: str, max_steps: int | None = None, **options: Any) -> None:
        limit = max_steps or gymnasium.spec(id).max_episode_steps or DEFAULT_LIMIT
        self._envs = [gymnasium.make(id, max_episode_steps=-1, **options) for _ in range(n)]
        first = self._envs[0]
        if not isinstance(first.observation_space, Box) or not isinstance(first.action_space, Box | Discrete):
            raise UnsupportedEnvironment(
                f"{id} has observations in {first.observation_space} and actions in {first.action_space}; observations "
                "must be in a Box, actions in a Box or Discrete space."
            )
        self.observation_space, self.action_space = first.observation_space, first.action_space
        self._renders = first.render_mode == "rgb_array"
        self._physics = self._find_physics()
        self.card = WorldCard(
            id=id,
            summary=f"{id} of Gymnasium",
            dt=float(getattr(first.unwrapped, "dt", 1.0)),
            max_steps=limit,
            expert_length=limit,
            observation=_channels(self.observation_space),
            action=_channels(self.action_space),
            physics_parameters=tuple(self._physics.physics_parameters.values()) if self._physics else (),
        )
        self._allocate(n)
        self._all = np.arange(n)

    def _find_physics(self) -> Any:
        if not hasattr(self._envs[0].unwrapped, "model"):
            return None
        from offnominal.worlds.mujoco.model_physics import find_physics

        return find_physics([env.unwrapped for env in self._envs])

    @property
    def physics_parameters(self) -> Mapping[str, PhysicsParameter]:
        """Physics parameters of the MuJoCo model, if there is one."""
        return self._physics.physics_parameters if self._physics else {}

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start new episodes; the first one of a seed is that of `reset(seed=seed)`."""
        for name, physics_parameter in self.physics_parameters.items():
            self.set_physics_parameter(name, rows, np.full(len(rows), physics_parameter.neutral))
        later = stream_keys(seeds, episodes, "reset") >> np.uint64(33)
        for i, row in enumerate(rows):
            seed = int(seeds[i]) if episodes[i] == 0 else int(later[i])
            self.observations[row], _ = self._envs[row].reset(seed=seed)
        for outcome in (self.rewards, self.terminated, self.success, self.critical, self.cost):
            outcome[rows] = 0

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Step the rows one after the other."""
        for row in self._all if rows is None else rows:
            action = actions[row].astype(self.action_space.dtype)
            observation, reward, terminated, _, info = self._envs[row].step(action)
            self.observations[row] = observation
            self.rewards[row] = reward
            self.terminated[row] = terminated
            self.success[row] = bool(info.get("is_success", info.get("success", False)))
            self.cost[row] = float(info.get("cost", 0.0))

    def set_physics_parameter(self, name: str, rows: IntArray, values: FloatArray) -> None:
        """Set a physics parameter of the MuJoCo models of some rows."""
        self._physics.set_physics_parameter(self.physics_parameter(name).name, rows, values)

    @property
    def camera(self) -> DrawnCamera | None:
        """Camera that renders the environments, if they have a render mode for arrays."""
        return DrawnCamera(self._draw) if self._renders else None

    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Return the rendered images, stretched to squares."""
        if observations is not None:
            raise UnsupportedEnvironment(
                f"{self.card.id} renders its true state only, not a reported one; use camera='clean'."
            )
        frames = np.empty((len(rows), size, size, 3), np.uint8)
        for k, row in enumerate(rows):
            frames[k] = resized(np.asarray(self._envs[row].render()), size)
        return frames

    def close(self) -> None:
        """Close every environment."""
        for env in self._envs:
            env.close()


def _channels(space: Box | Discrete) -> tuple[Channel, ...]:
    return tuple(Channel(str(index)) for index in range(int(np.prod(space.shape or ()))))
