"""Earlier positions of the agents of a world, for images for people."""

from __future__ import annotations

from collections import deque

import numpy as np

from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.world import World

LENGTH = 40


class Trail:
    """The last positions of the agents of a world; empty for worlds whose images have no trails.

    Args:
        world: The world.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._all = np.arange(world.n)
        self._positions: deque[FloatArray] = deque(maxlen=LENGTH)

    def start(self, rows: IntArray) -> None:
        """Forget the trails of some rows: their episodes have just begun."""
        for positions in self._positions:
            positions[rows] = np.nan

    def extend(self) -> None:
        """Add the current positions; call it before each step."""
        camera = self._world.camera
        positions = None if camera is None else camera.track(self._all)
        if positions is not None:
            self._positions.append(positions)

    def points(self) -> FloatArray | None:
        """Return (n, k, 2): earlier positions, oldest first; None if there are none."""
        return np.stack(list(self._positions), axis=1) if self._positions else None
