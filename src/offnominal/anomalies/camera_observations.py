"""Pixel observations made from images with camera faults."""

from __future__ import annotations

import numpy as np

from offnominal.anomalies.camera_faults import CameraFaults
from offnominal.core.types import Array, Frames, IntArray
from offnominal.worlds.camera import PixelCamera
from offnominal.worlds.world import World


class CameraObservations:
    """Observations of a world with pixel observations under camera faults.

    The world itself keeps the true observations. An observation may contain earlier images, so a fault stays visible
    until its last image has left the observation. Rows without camera faults cost nothing.

    Args:
        world: A world whose camera is a :class:`PixelCamera`.
        faults: Camera faults of its rows.
    """

    def __init__(self, world: World, faults: CameraFaults) -> None:
        self._world = world
        self._faults = faults
        self._faulty = np.zeros(world.n, np.bool_)
        self._faulty[list(faults.rows)] = True
        self._observations = np.zeros_like(world.observations)
        self._images: dict[int, Array] = {}

    def follow_faults(self) -> None:
        """Take over a change of the faults; so far no fault has changed the images of a row that now gets one."""
        faulty = np.zeros_like(self._faulty)
        faulty[list(self._faults.rows)] = True
        added = np.flatnonzero(faulty & ~self._faulty)
        self._faulty = faulty
        if added.size:
            self._observations[added] = self._world.observations[added]
            self._images.update(zip(added.tolist(), self._camera.images(added), strict=True))

    @property
    def _camera(self) -> PixelCamera:
        camera = self._world.camera
        assert isinstance(camera, PixelCamera)
        return camera

    def start(self, rows: IntArray) -> None:
        """Take the first images of some rows, which no fault changes."""
        self._keep_nominal(rows)
        rows = rows[self._faulty[rows]]
        if rows.size:
            self._take(rows)
            self._observations[rows] = self._world.observations[rows]

    def observe(self, observations: Array, rows: IntArray) -> Array:
        """Return (n, ...): the observations after a step of some rows, camera faults applied.

        Args:
            observations: (n, ...): true observations; not changed.
            rows: Indices of the rows that were stepped.
        """
        self._keep_nominal(rows)
        rows = rows[self._faulty[rows]]
        if not rows.size:
            return observations
        self._observations[rows] = self._camera.observe(self._take(rows), self._observations[rows])
        faulty = observations.copy()
        faulty[rows] = self._observations[rows]
        return faulty

    def camera_images(self, rows: IntArray) -> Frames:
        """Return (len(rows), H, W, 3): the latest image of each row, camera faults applied."""
        images = self._camera.images(rows)
        for k, row in enumerate(rows.tolist()):
            if self._faulty[row]:
                images[k] = self._images[row]
        return images

    def _keep_nominal(self, rows: IntArray) -> None:
        """Keep the images of rows without camera faults, if recent images are kept."""
        if self._faults.keep_history and (nominal := rows[~self._faulty[rows]]).size:
            self._faults.keep(self._camera.images(nominal), nominal)

    def _take(self, rows: IntArray) -> Frames:
        images = self._faults.apply(self._camera.images(rows), rows)
        self._images.update(zip(rows.tolist(), images, strict=True))
        return images
