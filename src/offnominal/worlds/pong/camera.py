"""The camera in front of a game of Pong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from offnominal.core.types import Array, Frames, IntArray
from offnominal.worlds.camera import PixelCamera
from offnominal.worlds.pong.emulator import Palette
from offnominal.worlds.pong.game import Game
from offnominal.worlds.pong.kernel import HEIGHT, WIDTH, agent_view, paint, resized, to_grey


class PongCamera(PixelCamera):
    """Takes one colour image of 210 by 160 pixels per step of a game.

    Args:
        games: The games, one per row.
        palette: Colours of the screens.
    """

    def __init__(self, games: Sequence[Game], palette: Palette) -> None:
        self._games = games
        self._palette = palette

    def images(self, rows: IntArray) -> Frames:
        """Return the latest image of some rows, (len(rows), 210, 160, 3) bytes."""
        images = np.empty((len(rows), HEIGHT, WIDTH, 3), np.uint8)
        for k, row in enumerate(rows):
            paint(self._games[row].image, self._palette.colours, images[k])
        return images

    def observe(self, images: Frames, previous: Array) -> Array:
        """Return the stacks of grey images after one more image each."""
        stacks = np.empty_like(previous)
        stacks[:, :-1] = previous[:, 1:]
        grey = np.empty((HEIGHT, WIDTH), np.uint8)
        for k in range(len(images)):
            to_grey(images[k], grey)
            agent_view(grey, stacks[k, -1])
        return stacks

    def resize(self, images: Frames, size: int) -> Frames:
        """Return images stretched to squares."""
        return resized(images, size)
