"""What agents see of a world through its cameras, when these have faults."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from offnominal.core.types import Array, Frames, IntArray
from offnominal.worlds.pictured import See
from offnominal.worlds.world import World


class Eyes:
    """What agents see of a world that `sees`, through cameras some of which have faults.

    The world itself keeps what they would see through sound ones. What an agent sees may hold earlier pictures too, so
    a fault is seen for as long after its end as a picture is. Rows whose cameras are sound cost nothing.

    Args:
        world: What is seen.
        faulty: The rows whose cameras have faults.
    """

    def __init__(self, world: World, faulty: Iterable[int]) -> None:
        self._world = world
        self._faulty = np.zeros(world.n, np.bool_)
        self._faulty[list(faulty)] = True
        self._seen = np.zeros_like(world.observations)
        self._shown: dict[int, Array] = {}

    def open(self, rows: IntArray, see: See) -> None:
        """Take note of the first pictures of some rows, which no fault touches.

        Args:
            rows: The rows that were started.
            see: What faults make of a picture.
        """
        rows = rows[self._faulty[rows]]
        if rows.size:
            self._keep(rows, see(self._world.pictures(rows), rows))
            self._seen[rows] = self._world.observations[rows]

    def look(self, observations: Array, rows: IntArray, see: See) -> Array:
        """Return (n, ...): what agents see after a step of some rows.

        Args:
            observations: (n, ...): what they would see through sound cameras; not changed.
            rows: The rows that were stepped.
            see: What faults make of a picture.
        """
        rows = rows[self._faulty[rows]]
        if not rows.size:
            return observations
        shown = see(self._world.pictures(rows), rows)
        self._keep(rows, shown)
        self._seen[rows] = self._world.look(shown, self._seen[rows])
        seen = observations.copy()
        seen[rows] = self._seen[rows]
        return seen

    def shown(self, rows: IntArray) -> Frames:
        """Return (len(rows), H, W, 3): the latest picture that the camera of each row showed."""
        pictures = self._world.pictures(rows)
        for k, row in enumerate(rows.tolist()):
            if self._faulty[row]:
                pictures[k] = self._shown[row]
        return pictures

    def _keep(self, rows: IntArray, shown: Frames) -> None:
        self._shown.update(zip(rows.tolist(), shown, strict=True))
