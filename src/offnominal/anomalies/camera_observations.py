"""What agents see of a world through its cameras, when these have faults."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from offnominal.core.types import Array, Frames, IntArray
from offnominal.worlds.pixel_observations import FrameTransform
from offnominal.worlds.world import World


class CameraObservations:
    """What agents see of a world that `pixel_observations`, through cameras some of which have faults.

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

    def start(self, rows: IntArray, transform: FrameTransform) -> None:
        """Take note of the first pictures of some rows, which no fault touches.

        Args:
            rows: The rows that were started.
            transform: What faults make of a picture.
        """
        rows = rows[self._faulty[rows]]
        if rows.size:
            self._keep(rows, transform(self._world.camera_images(rows), rows))
            self._seen[rows] = self._world.observations[rows]

    def observe(self, observations: Array, rows: IntArray, transform: FrameTransform) -> Array:
        """Return (n, ...): what agents see after a step of some rows.

        Args:
            observations: (n, ...): what they would see through sound cameras; not changed.
            rows: The rows that were stepped.
            transform: What faults make of a picture.
        """
        rows = rows[self._faulty[rows]]
        if not rows.size:
            return observations
        shown = transform(self._world.camera_images(rows), rows)
        self._keep(rows, shown)
        self._seen[rows] = self._world.observe_images(shown, self._seen[rows])
        seen = observations.copy()
        seen[rows] = self._seen[rows]
        return seen

    def camera_images(self, rows: IntArray) -> Frames:
        """Return (len(rows), H, W, 3): the latest picture that the camera of each row showed."""
        images = self._world.camera_images(rows)
        for k, row in enumerate(rows.tolist()):
            if self._faulty[row]:
                images[k] = self._shown[row]
        return images

    def _keep(self, rows: IntArray, shown: Frames) -> None:
        self._shown.update(zip(rows.tolist(), shown, strict=True))
