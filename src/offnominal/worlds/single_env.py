"""A world of one row as a Gymnasium environment, and a window that shows its images."""

from __future__ import annotations

import os
import sys
from typing import Any

import gymnasium
import numpy as np

from offnominal.core.checks import positive_integer
from offnominal.core.errors import InvalidState, MissingDependency, UnsupportedEnvironment
from offnominal.core.streams import check_seed
from offnominal.core.types import Array, Frame
from offnominal.worlds.checks import checked_actions
from offnominal.worlds.pixel_observations import ObservationBuilder, ObservationKind
from offnominal.worlds.trail import Trail
from offnominal.worlds.vector_env import RECORDED, checked_render_mode
from offnominal.worlds.world import RENDER_SIZE, World
from offnominal.worlds.world_card import WorldCard

RENDER_MODES = ("rgb_array", "human")
_ROW = np.zeros(1, np.int64)


class WorldEnv(gymnasium.Env[Any, Any]):
    """A world of one row as a Gymnasium environment.

    The time limit is a wrapper, as usual in Gymnasium; `gymnasium.make` adds it.

    Args:
        world: A world of one row.
        render_mode: None, ``"rgb_array"``, or ``"human"`` for a window that shows every step.
        render_size: Pixels per side of rendered images.
        observation: ``"vector"``, ``"image"`` or ``"both"``; see :class:`ObservationBuilder`.
    """

    def __init__(
        self,
        world: World,
        *,
        render_mode: str | None = None,
        render_size: int = RENDER_SIZE,
        observation: ObservationKind = "vector",
    ) -> None:
        self.world = world
        self.observation_builder = ObservationBuilder(world, observation)
        self.observation_space = self.observation_builder.space(world.observation_space)
        self.action_space = world.action_space
        self.render_mode = checked_render_mode(render_mode, world, RENDER_MODES)
        self.render_size = positive_integer("render_size", render_size)
        fps = round(1 / world.card.dt)
        self.metadata = {"render_modes": [] if world.camera is None else list(RENDER_MODES), "render_fps": fps}
        self._trail = None if render_mode is None else Trail(world)
        self._window = Window(world.card.id, fps) if render_mode == "human" else None
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
        if self._trail is not None:
            self._trail.start(_ROW)
        self._show()
        return self._observation(), self._info()

    def step(self, action: Array) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Advance by one transition."""
        world = self.world
        if self.episode < 0:
            raise InvalidState("step was called before the first reset; call reset first.")
        checked = checked_actions(action, world.action_shape, world.action_space)[None]
        if self._trail is not None:
            self._trail.extend()
        world.step(checked)
        self._show()
        return self._observation(), float(world.rewards[0]), bool(world.terminated[0]), False, self._info()

    def _observation(self) -> Any:
        return self.observation_builder.row(self.observation_builder.observe(_ROW, self.world.observations), 0)

    def _info(self) -> dict[str, Any]:
        return {name: getattr(self.world, name)[0].item() for name in RECORDED}

    def render(self, *, size: int | None = None) -> Frame | None:
        """Return an image for people; None without a render mode, or with a window, which shows it.

        Args:
            size: Pixels per side; `render_size` if None.

        Example:
            >>> from offnominal.worlds import make_world
            >>> env = WorldEnv(make_world("SAP-Goal0-v0", 1), render_mode="rgb_array")
            >>> _ = env.reset(seed=0)
            >>> env.render(size=256).shape
            (256, 256, 3)
        """
        return None if self._window is not None or self._trail is None else self._image(size)

    def _image(self, size: int | None = None) -> Frame:
        assert self._trail is not None
        image: Frame = self.world.render(_ROW, size=size or self.render_size, trails=self._trail.points())[0]
        return image

    def _show(self) -> None:
        if self._window is not None:
            self._window.show(self._image())

    def close(self) -> None:
        """Close the world and the window."""
        if self._window is not None:
            self._window.close()
        self.world.close()


class Window:
    """A window that shows images at the pace of an environment.

    Args:
        title: Title of the window.
        fps: Images per second; :meth:`show` waits to keep to it.

    Raises:
        MissingDependency: pygame is not installed.
        UnsupportedEnvironment: There is no display.
    """

    def __init__(self, title: str, fps: int) -> None:
        try:
            import pygame
        except ModuleNotFoundError:
            raise MissingDependency(
                "render_mode='human' needs pygame; install it with `pip install pygame-ce`."
            ) from None
        variables = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
        if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in variables):
            raise UnsupportedEnvironment(
                "render_mode='human' needs a display, and there is none; use render_mode='rgb_array'."
            )
        self._pygame = pygame
        self._title = title
        self._fps = fps
        self._surface: pygame.Surface | None = None
        self._clock = pygame.time.Clock()

    def show(self, frame: Frame) -> None:
        """Show an image (height, width, 3) and wait for its turn. A closed window stays closed."""
        pygame = self._pygame
        if self._surface is None:
            try:
                pygame.display.init()
                self._surface = pygame.display.set_mode((frame.shape[1], frame.shape[0]))
            except pygame.error as error:
                raise UnsupportedEnvironment(
                    f"the display cannot be opened ({error}); use render_mode='rgb_array'."
                ) from None
            pygame.display.set_caption(self._title)
        if not pygame.display.get_init():
            return
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
            return
        pygame.surfarray.blit_array(self._surface, np.swapaxes(frame, 0, 1))
        pygame.display.flip()
        self._clock.tick(self._fps)

    def close(self) -> None:
        """Close the window."""
        if self._pygame.display.get_init():
            self._pygame.display.quit()
