"""A world of one row as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from offnominal.core.errors import InvalidState
from offnominal.core.streams import check_seed
from offnominal.core.types import Array, Frame
from offnominal.worlds.checks import checked_actions
from offnominal.worlds.pixel_observations import ObservationBuilder, ObservationKind
from offnominal.worlds.vector_env import RECORDED, checked_render_mode
from offnominal.worlds.world import World
from offnominal.worlds.world_card import WorldCard

_ROW = np.zeros(1, np.int64)


class WorldEnv(gymnasium.Env[Any, Any]):
    """A world of one row as a Gymnasium environment.

    The time limit is a wrapper, as usual in Gymnasium; `gymnasium.make` adds it.

    Args:
        world: A world of one row.
        render_mode: None or ``"rgb_array"``.
        observation: ``"vector"``, ``"image"`` or ``"both"``; see :class:`ObservationBuilder`.
    """

    def __init__(
        self, world: World, *, render_mode: str | None = None, observation: ObservationKind = "vector"
    ) -> None:
        self.world = world
        self.observation_builder = ObservationBuilder(world, observation)
        self.observation_space = self.observation_builder.space(world.observation_space)
        self.action_space = world.action_space
        self.render_mode = checked_render_mode(render_mode, world)
        self.metadata = {
            "render_modes": [] if world.camera is None else ["rgb_array"],
            "render_fps": round(1 / world.card.dt),
        }
        self.seed_in_use: int | None = None
        self.episode = -1

    @property
    def card(self) -> WorldCard:
        """Description of the world."""
        return self.world.card

    @property
    def dt(self) -> float:
        """Seconds per transition."""
        return self.card.dt

    @property
    def expert_return(self) -> float | None:
        """Mean return of the published expert."""
        return self.card.expert_return

    @property
    def random_return(self) -> float | None:
        """Mean return of uniformly random actions, as published."""
        return self.card.random_return

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode; without a seed, the next one of the current seed."""
        seed = None if seed is None else check_seed(seed)
        super().reset(seed=seed)
        if seed is None and self.seed_in_use is None:
            seed = int(self.np_random.integers(2**62))
        if seed is None:
            self.episode += 1
        else:
            self.seed_in_use, self.episode = seed, 0
        self.world.reset(_ROW, np.array([self.seed_in_use], np.int64), np.array([self.episode]))
        return self._observation(), self._info()

    def step(self, action: Array) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Advance by one transition."""
        world = self.world
        if self.episode < 0:
            raise InvalidState("step was called before the first reset; call reset first.")
        world.step(checked_actions(action, world.action_shape, world.action_space)[None])
        return self._observation(), float(world.rewards[0]), bool(world.terminated[0]), False, self._info()

    def _observation(self) -> Any:
        return self.observation_builder.row(self.observation_builder.observe(_ROW, self.world.observations), 0)

    def _info(self) -> dict[str, Any]:
        return {name: getattr(self.world, name)[0].item() for name in RECORDED}

    def render(self) -> Frame | None:
        """Return an image, or None without a render mode."""
        if self.render_mode is None:
            return None
        image: Frame = self.world.frames(_ROW)[0]
        return image

    def close(self) -> None:
        """Close the world."""
        self.world.close()
