"""One game of Pong, frame by frame."""

from __future__ import annotations

import numpy as np

from offnominal.core.types import Frame, Frames
from offnominal.worlds.pong.card import SKIP
from offnominal.worlds.pong.emulator import EmulatorState, Palette, emulator
from offnominal.worlds.pong.kernel import HEIGHT, WIDTH, merge_screens


class Game:
    """One game of Pong.

    Args:
        index: Index of its emulator.
        palette: The colours.

    Attributes:
        image: (210, 160): palette indices of the latest step, the brighter pixel of its last two frames.
        grey: (210, 160): grey levels of the same image.
    """

    def __init__(self, index: int, palette: Palette) -> None:
        self._state = EmulatorState()
        self._palette = palette
        self._emulator = emulator(index)
        self._actions = self._emulator.ale.getMinimalActionSet()
        self._screens: Frames = np.zeros((2, HEIGHT, WIDTH), np.uint8)
        self.image: Frame = np.zeros((HEIGHT, WIDTH), np.uint8)
        self.grey: Frame = np.zeros((HEIGHT, WIDTH), np.uint8)

    def reset(self, noops: int) -> None:
        """Start a game with some frames without action."""
        ale = self._emulator.ale
        with self._emulator.lock:
            self._emulator.switch(self._state, restart=True)
            for _ in range(noops):
                ale.act(self._actions[0])
            self._palette.read(ale, self._screens[0], self._screens[1])
        self._screens[1] = self._screens[0]
        merge_screens(self._screens, self._palette.greys, self.image, self.grey)

    def step(self, action: int) -> tuple[int, bool]:
        """Hold an action for four frames; return points won minus points lost, and whether the game is over."""
        ale, points = self._emulator.ale, 0
        with self._emulator.lock:
            self._emulator.switch(self._state)
            for frame in range(SKIP):
                points += ale.act(self._actions[action])
                if frame >= SKIP - 2:
                    late = frame - (SKIP - 2)
                    self._palette.read(ale, self._screens[late], self._screens[1 - late])
            over = ale.game_over()
        merge_screens(self._screens, self._palette.greys, self.image, self.grey)
        return points, over
