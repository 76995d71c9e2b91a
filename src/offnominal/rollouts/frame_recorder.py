"""Recorders of episodes with images: those of a camera, and those for people."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np

from offnominal.anomalies.injection import Injection
from offnominal.core.episode import FRAMES, Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, Frame, Frames, IntArray
from offnominal.rollouts.recorders import EpisodeRecorder
from offnominal.worlds.camera import PixelCamera
from offnominal.worlds.pixel_observations import CameraKind
from offnominal.worlds.trail import Trail
from offnominal.worlds.world import FRAME_SIZE, World


def check_camera(camera: str, *, frames: bool) -> None:
    """Raise :class:`InvalidParameter` if `camera` is unknown, or has no effect because no frames are recorded.

    Example:
        >>> check_camera("affected", frames=False)
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: camera='affected' affects frames only; record them with ...
    """
    if camera not in get_args(CameraKind):
        raise InvalidParameter(f"camera is {camera!r}; choose 'clean' or 'affected'.")
    if camera != "clean" and not frames:
        raise InvalidParameter(f"camera={camera!r} affects frames only; record them with frames=True.")


class FrameRecorder(EpisodeRecorder):
    """Records camera images together with the episodes.

    Each episode has its own array of frames and keeps it, so no frame is stored twice, and the memory after the end of
    a short episode is never used.

    Args:
        world: The world.
        injection: Its faults; camera faults change the frames.
        rows: Number of rows to record.
        limit: Largest number of transitions of an episode.
        camera: See :func:`collect`.
    """

    def __init__(self, world: World, injection: Injection, rows: int, limit: int, camera: CameraKind) -> None:
        super().__init__(world, injection, rows, limit)
        self.camera = camera
        self.limit = limit
        self.frames: list[Frames] = []

    def start(self) -> None:
        """Record the first observations and frames, which no fault changes."""
        super().start()
        rows = np.arange(len(self.lengths))
        first = self._images(rows, self.world.observations)
        self.frames = [np.empty((self.limit + 1, *first.shape[1:]), np.uint8) for _ in rows]
        self._store(0, rows, first)

    def record(self, t: int, rows: IntArray, commanded: Array, executed: Array, observations: Array) -> None:
        """Record one transition of some rows."""
        super().record(t, rows, commanded, executed, observations)
        self._store(t + 1, rows, self._images(rows, observations))

    def _images(self, rows: IntArray, observations: Array) -> Frames:
        world = self.world
        if isinstance(world.camera, PixelCamera):
            return world.camera.resize(self.injection.camera_images(rows), FRAME_SIZE)
        frames = world.frames(rows, observations=observations if self.camera == "affected" else None)
        return self.injection.apply_camera_faults(frames, rows)

    def _store(self, t: int, rows: IntArray, frames: Frames) -> None:
        for row, frame in zip(rows, frames, strict=True):
            self.frames[row][t] = frame

    def episode(self, row: int, seed: int) -> Episode:
        """Return one recorded episode."""
        episode = super().episode(row, seed)
        frames = self.frames[row][: len(episode) + 1]
        return replace(episode, extras={**episode.extras, FRAMES: frames})


class RenderRecorder(EpisodeRecorder):
    """Records images for people together with the episodes. Camera faults do not change them.

    Args:
        world: The world.
        injection: Its faults.
        rows: Number of rows to record.
        limit: Largest number of transitions of an episode.
        size: Pixels per side.
    """

    def __init__(self, world: World, injection: Injection, rows: int, limit: int, size: int) -> None:
        super().__init__(world, injection, rows, limit)
        self._size = size
        self._trail = Trail(world)
        self._frames: list[list[Frame]] = [[] for _ in range(rows)]

    def start(self) -> None:
        """Record the first observations and images."""
        super().start()
        self._render(np.arange(len(self._frames)))

    def record(self, t: int, rows: IntArray, commanded: Array, executed: Array, observations: Array) -> None:
        """Record one transition of some rows."""
        super().record(t, rows, commanded, executed, observations)
        self._render(rows)

    def _render(self, rows: IntArray) -> None:
        trails = self._trail.points()
        images = self.world.render(rows, size=self._size, trails=None if trails is None else trails[rows])
        for row, image in zip(rows, images, strict=True):
            self._frames[row].append(image)
        self._trail.extend()

    def episode(self, row: int, seed: int) -> Episode:
        """Return one recorded episode."""
        episode = super().episode(row, seed)
        return replace(episode, extras={**episode.extras, FRAMES: np.stack(self._frames[row])})
