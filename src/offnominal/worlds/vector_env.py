"""A world as a native Gymnasium vector environment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from offnominal.core.checks import positive_integer
from offnominal.core.errors import InvalidParameter, InvalidState
from offnominal.core.streams import check_seed, row_seeds
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.worlds.checks import checked_actions
from offnominal.worlds.pixel_observations import ObservationBuilder, ObservationKind
from offnominal.worlds.trail import Trail
from offnominal.worlds.world import RENDER_SIZE, World

RECORDED = ("success", "critical", "cost")


class WorldVectorEnv(VectorEnv[Any, Array, Array]):
    """A world of N rows as a Gymnasium vector environment.

    Autoreset is *same step*: when an episode ends, `step` returns the first observation of the next one. The final
    observation is in ``infos["final_obs"]`` and its info in ``infos["final_info"]``. Row i of ``reset(seed=s)`` is the
    episode that a single environment starts with ``reset(seed=s + i)``.

    Args:
        world: The world.
        max_episode_steps: Time limit; the world's own if None.
        render_mode: None or ``"rgb_array"``.
        render_size: Pixels per side of rendered images.
        observation: ``"vector"``, ``"image"`` or ``"both"``; see :class:`ObservationBuilder`.

    Attributes:
        on_episode_end: Called with the rows whose episode has ended, before they are reset and their state is lost.
    """

    def __init__(
        self,
        world: World,
        *,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        render_size: int = RENDER_SIZE,
        observation: ObservationKind = "vector",
    ) -> None:
        self.world = world
        self.num_envs = world.n
        self.observation_builder = ObservationBuilder(world, observation)
        self.single_observation_space = self.observation_builder.space(world.observation_space)
        self.single_action_space = world.action_space
        self.observation_space = batch_space(self.single_observation_space, world.n)
        self.action_space = batch_space(world.action_space, world.n)
        self.max_episode_steps = positive_integer("max_episode_steps", max_episode_steps or world.card.max_steps)
        self.render_mode = checked_render_mode(render_mode, world, ("rgb_array",))
        self.render_size = positive_integer("render_size", render_size)
        self._trail = None if render_mode is None else Trail(world)
        self.metadata = {
            "autoreset_mode": AutoresetMode.SAME_STEP,
            "render_modes": [] if world.camera is None else ["rgb_array"],
            "render_fps": round(1 / world.card.dt),
        }
        self.seeds: IntArray = np.zeros(world.n, np.int64)
        self.episodes: IntArray = np.full(world.n, -1, np.int64)
        self.elapsed: IntArray = np.zeros(world.n, np.int64)
        self.on_episode_end: Callable[[IntArray], None] | None = None
        self._everyone: BoolArray = np.ones(world.n, np.bool_)
        self._everyone.flags.writeable = False
        self._started = False
        self._shape = (world.n, *world.action_shape)

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a new episode in every row, or in those of ``options["reset_mask"]``.

        Without a seed the next episodes of the current seeds start; the first call draws seeds.
        """
        mask = _reset_mask(options, self.num_envs)
        rows = np.flatnonzero(mask)
        if seed is None and (self.episodes[rows] < 0).any():
            seed = int(self.np_random.integers(2**62))
        if seed is None:
            self.episodes[rows] += 1
        else:
            self.seeds[rows] = _row_seeds(seed, self.num_envs)[rows]
            self.episodes[rows] = 0
            if isinstance(seed, int):
                super().reset(seed=seed)
        self._started = bool((self.episodes >= 0).all())
        self._start(rows)
        return self._observations(), self._infos(mask)

    def step(self, actions: Array) -> tuple[Any, FloatArray, BoolArray, BoolArray, dict[str, Any]]:
        """Advance every row by one transition."""
        world = self.world
        if not self._started:
            raise InvalidState("step was called before the first reset of every row; call reset first.")
        checked = checked_actions(actions, self._shape, world.action_space)
        if self._trail is not None:
            self._trail.extend()
        world.step(checked)
        self.elapsed += 1
        rewards, terminated = world.rewards.copy(), world.terminated.copy()
        truncated = self.elapsed >= self.max_episode_steps
        done = terminated | truncated
        rows = done.nonzero()[0]
        if not rows.size:
            return self._observations(), rewards, terminated, truncated, self._infos(self._everyone)

        final_infos = self._infos(done)
        final_obs = np.full(self.num_envs, None, dtype=object)
        for row, last in zip(rows.tolist(), self.observation_builder.iter_rows(self._observations(rows)), strict=True):
            final_obs[row] = last
        if self.on_episode_end is not None:
            self.on_episode_end(rows)
        self.episodes[rows] += 1
        self._start(rows)
        infos = self._infos(self._everyone)
        infos.update(final_obs=final_obs, _final_obs=done, final_info=final_infos, _final_info=done)
        return self._observations(), rewards, terminated, truncated, infos

    def _observations(self, rows: IntArray | None = None) -> Any:
        return self.observation_builder.observe(rows, self.world.observations)

    def _start(self, rows: IntArray) -> None:
        self.elapsed[rows] = 0
        self.world.reset(rows, self.seeds[rows], self.episodes[rows])
        if self._trail is not None:
            self._trail.start(rows)

    def _infos(self, present: BoolArray) -> dict[str, Any]:
        world = self.world
        return {
            "success": world.success.copy(),
            "_success": present,
            "critical": world.critical.copy(),
            "_critical": present,
            "cost": world.cost.copy(),
            "_cost": present,
        }

    def render(self, *, size: int | None = None) -> tuple[Any, ...] | None:
        """Return an image of every row, or None without a render mode.

        Args:
            size: Pixels per side; `render_size` if None.
        """
        if self._trail is None:
            return None
        return tuple(self.world.render(size=size or self.render_size, trails=self._trail.points()))

    def close_extras(self, **kwargs: Any) -> None:
        """Close the world."""
        self.world.close()

    def __repr__(self) -> str:
        return f"WorldVectorEnv({self.world.card.id}, num_envs={self.num_envs})"


def checked_render_mode(mode: str | None, world: World, modes: tuple[str, ...]) -> str | None:
    """Return the render mode if it is one of some and the world has images."""
    if mode is not None and (mode not in modes or world.camera is None):
        offered = "None" if world.camera is None else f"{', '.join(modes)} or None"
        raise InvalidParameter(f"render_mode {mode!r} is not offered by {world.card.id}; choose {offered}.")
    return mode


def _reset_mask(options: dict[str, Any] | None, n: int) -> BoolArray:
    mask = (options or {}).get("reset_mask")
    if mask is None:
        return np.ones(n, np.bool_)
    array = np.asarray(mask)
    if array.dtype != np.bool_ or array.shape != (n,) or not array.any():
        raise InvalidParameter(f"reset_mask must be {n} booleans, at least one of them True; got {mask!r}.")
    return array


def _row_seeds(seed: Any, n: int) -> IntArray:
    if not isinstance(seed, list | tuple | np.ndarray):
        return row_seeds(seed, n)
    seeds = list(seed)
    if len(seeds) != n:
        raise InvalidParameter(f"{len(seeds)} seeds were given for {n} rows; give one int or one seed per row.")
    return np.array([check_seed(seed) for seed in seeds], np.int64)
