"""A window that shows the images of an environment."""

from __future__ import annotations

import os
import sys

import numpy as np

from offnominal.core.errors import MissingDependency, UnsupportedEnvironment
from offnominal.core.types import Frame


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
