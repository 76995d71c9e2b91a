"""Any Gymnasium environment as a world, for rollouts and twins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.spaces.utils import flatten

from offnominal.core.errors import MissingDependency, UnsupportedEnvironment
from offnominal.core.streams import stream_keys
from offnominal.core.types import Array, FloatArray, Frames, IntArray
from offnominal.worlds.camera import DrawnCamera, resized
from offnominal.worlds.environment_physics import physics_of
from offnominal.worlds.spaces import Spaces, checked_spaces
from offnominal.worlds.world import World
from offnominal.worlds.world_card import Channel, PhysicsParameter, WorldCard

DEFAULT_LIMIT = 1000


@contextmanager
def packages_of(id: str) -> Iterator[None]:
    """Name the package that an environment of Gymnasium needs and that is not installed.

    Raises:
        MissingDependency: The package is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        raise MissingDependency(f"{id} needs {name}; install it with `pip install {name}`.") from None
    except gymnasium.error.DependencyNotInstalled as error:
        raise MissingDependency(f"{id} needs a package: {error}.") from None


class GymnasiumWorld(World):
    """N instances of a Gymnasium environment with Box or Discrete actions.

    Slower than a native world, because each row is a separate object; the interface is the same. Observations in a
    Discrete, Dict or Tuple space are flattened as Gymnasium's ``flatten`` does. A MuJoCo model in the environment gives
    physics parameters.

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
        with packages_of(id):
            envs = [gymnasium.make(id, max_episode_steps=-1, **options) for _ in range(n)]
        self._set_up(envs, id, limit)

    @classmethod
    def of(cls, envs: Sequence[gymnasium.Env[Any, Any]]) -> Self:
        """Return a world whose rows are given environments, all of one kind.

        Args:
            envs: One environment per row. A time limit of their own ends an episode too.
        """
        world = cls.__new__(cls)
        spec = envs[0].spec
        limit = getattr(spec, "max_episode_steps", None) or DEFAULT_LIMIT
        world._set_up(list(envs), getattr(spec, "id", None) or type(envs[0].unwrapped).__name__, limit)
        return world

    def _set_up(self, envs: list[gymnasium.Env[Any, Any]], name: str, limit: int) -> None:
        self._envs = envs
        first = envs[0]
        spaces = checked_spaces(name, first.observation_space, first.action_space)
        self.observation_space, self.action_space = spaces.observation, spaces.action
        self._flattens = not isinstance(first.observation_space, Box)
        self._renders = first.render_mode == "rgb_array"
        self._physics = physics_of([env.unwrapped for env in envs])
        dt = float(getattr(first.unwrapped, "dt", 1.0))
        self.card = card_of(name, spaces, limit, dt, self.physics_parameters)
        self._allocate(len(envs))
        self._all = np.arange(len(envs))

    @property
    def physics_parameters(self) -> Mapping[str, PhysicsParameter]:
        """Physics parameters of the MuJoCo model, if there is one."""
        return self._physics.physics_parameters if self._physics else {}

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start new episodes; the first one of a seed is that of `reset(seed=seed)`."""
        for name, physics_parameter in self.physics_parameters.items():
            self.set_physics_parameter(name, rows, np.full(len(rows), physics_parameter.neutral))
        for row, seed in zip(rows, episode_seeds(seeds, episodes).tolist(), strict=True):
            self._store(row, self._envs[row].reset(seed=seed)[0])
        self._clear_outcomes(rows)

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Step the rows one after the other."""
        for row in self._all if rows is None else rows:
            action = actions[row].astype(self.action_space.dtype)
            observation, reward, terminated, truncated, info = self._envs[row].step(action)
            self._store(row, observation)
            self.rewards[row] = reward
            self.terminated[row], self.truncated[row] = terminated, truncated
            self.success[row] = bool(info.get("is_success", info.get("success", False)))
            self.cost[row] = float(info.get("cost", 0.0))

    def _store(self, row: int, observation: Any) -> None:
        if self._flattens:
            observation = flatten(self._envs[row].observation_space, observation)
        self.observations[row] = observation

    def set_physics_parameter(self, name: str, rows: IntArray, values: FloatArray) -> None:
        """Set a physics parameter of the MuJoCo models of some rows."""
        known = self.physics_parameter(name).name
        assert self._physics is not None
        self._physics.set_physics_parameter(known, rows, values)

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


def card_of(
    name: str, spaces: Spaces, limit: int, dt: float, physics_parameters: Mapping[str, PhysicsParameter]
) -> WorldCard:
    """Return the card of an environment of another package."""
    return WorldCard(
        id=name,
        summary=f"{name} of Gymnasium",
        dt=dt,
        max_steps=limit,
        expert_length=limit,
        observation=_channels(spaces.observation),
        action=_channels(spaces.action),
        physics_parameters=tuple(physics_parameters.values()),
    )


def episode_seeds(seeds: IntArray, episodes: IntArray) -> IntArray:
    """Return the seed of each `reset`: that of the row for its first episode, a derived one for later episodes."""
    later = (stream_keys(seeds, episodes, "reset") >> np.uint64(33)).astype(np.int64)
    return np.where(np.asarray(episodes) == 0, seeds, later)


def _channels(space: Box | Discrete) -> tuple[Channel, ...]:
    return tuple(Channel(str(index)) for index in range(int(np.prod(space.shape or ()))))
