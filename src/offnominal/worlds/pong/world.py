"""Pong: N games on emulators, with pixel observations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from gymnasium.spaces import Box, Discrete

from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream, stream_keys
from offnominal.core.types import Array, Frames, IntArray
from offnominal.worlds.camera import PixelCamera
from offnominal.worlds.pong.card import ACTIONS, PONG
from offnominal.worlds.pong.emulator import Palette
from offnominal.worlds.pong.game import Game
from offnominal.worlds.pong.kernel import HEIGHT, SIDE, WIDTH, agent_view, paint, resized, to_grey
from offnominal.worlds.world import World

STACK = 4


class Pong(World):
    """N games of Pong with the usual preprocessing: stacks of four grey images, four frames per action.

    A camera takes one colour image of the screen per step, 210 by 160 pixels, with the brighter pixel of the last two
    frames. An observation is the stack of the latest four images, in grey and shrunk to 84 by 84; at the start the
    first image is repeated. Camera faults act on the colour images, so they change the observations. There are no
    sticky actions, and without `noops` every game starts equal: then the seed only affects the policy.

    The reward is 1 for a point won and -1 for a point lost, which is critical. An episode ends when one side has 21
    points; success means that the agent has them.

    Args:
        n: Number of rows.
        noops: Largest number of frames without action at the start; if above zero, each episode draws from 1 to this
            many.

    Example:
        >>> world = Pong(2)  # doctest: +SKIP
        >>> world.observation_space.shape, int(world.action_space.n)  # doctest: +SKIP
        ((4, 84, 84), 6)
    """

    def __init__(self, n: int, *, noops: int = 0) -> None:
        if isinstance(noops, bool) or not isinstance(noops, int | np.integer) or noops < 0:
            raise InvalidParameter(f"noops is {noops!r}; expected a whole number of frames, at least 0.")
        self.card = PONG
        self.observation_space = Box(0, 255, (STACK, SIDE, SIDE), np.uint8)
        self.action_space = Discrete(len(ACTIONS))
        self.random_starts = noops > 0
        self._noops = int(noops)
        self._palette = Palette()
        self._games = [Game(row, self._palette) for row in range(n)]
        self._score = np.zeros(n, np.int64)
        self._allocate(n)
        self._all = np.arange(n)

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start games; all of them are equal unless `noops` is above zero."""
        keys = stream_keys(seeds, episodes, "reset")
        for row, key in zip(rows, keys, strict=True):
            self._games[row].reset(Stream(key).integer(1, self._noops) if self._noops else 0)
            self._push_frame(row)
            self.observations[row, :-1] = self.observations[row, -1]
        self._score[rows] = 0
        self._clear_outcomes(rows)

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Hold an action for four frames in every row, one row after the other."""
        for row in self._all if rows is None else rows:
            points, over = self._games[row].step(int(actions[row]))
            self._score[row] += points
            self.rewards[row] = points
            self.critical[row] = points < 0
            self.terminated[row] = over
            self.success[row] = over and self._score[row] > 0
            self.observations[row, :-1] = self.observations[row, 1:]
            self._push_frame(row)

    def _push_frame(self, row: int) -> None:
        """Write the latest image of a row as the last one of its observation."""
        agent_view(self._games[row].grey, self.observations[row, -1])

    @property
    def camera(self) -> PongCamera:
        """Camera in front of every screen."""
        return PongCamera(self._games, self._palette)


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
