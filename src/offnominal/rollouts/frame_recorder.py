"""Episodes with what a camera sees."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np

from offnominal.anomalies.injection import Injection
from offnominal.core.episode import FRAMES, Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, Frames, IntArray
from offnominal.rollouts.recorders import EpisodeRecorder
from offnominal.worlds.camera import PixelCamera
from offnominal.worlds.pixel_observations import CameraKind
from offnominal.worlds.world import FRAME_SIZE, World


def check_camera(camera: str, *, frames: bool) -> None:
    """Refuse a reading of faulty observations that does not exist, or that nothing would show.

    Example:
        >>> check_camera("affected", frames=False)
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: camera='affected' changes nothing but frames; record them with ...
    """
    if camera not in get_args(CameraKind):
        raise InvalidParameter(f"camera is {camera!r}; choose 'clean' or 'affected'.")
    if camera != "clean" and not frames:
        raise InvalidParameter(f"camera={camera!r} changes nothing but frames; record them with frames=True.")


class FrameRecorder(EpisodeRecorder):
    """Records a picture of every row beside its numbers.

    The frames of an episode lie in an array of their own that the episode keeps, so nothing is held twice and pages
    beyond the end of a short episode are never touched.

    Args:
        world: What is filmed.
        injection: Its faults; those of the camera change the frames.
        rows: How many rows are recorded.
        limit: Most transitions of an episode.
        camera: See :func:`collect`.
    """

    def __init__(self, world: World, injection: Injection, rows: int, limit: int, camera: CameraKind) -> None:
        super().__init__(world, injection, rows, limit)
        self.injection = injection
        self.camera = camera
        self.limit = limit
        self.frames: list[Frames] = []

    def start(self, world: World) -> None:
        """Record the first observations and pictures, which no fault touches."""
        super().start(world)
        rows = np.arange(len(self.lengths))
        first = self._shown(world, rows, world.observations)
        self.frames = [np.empty((self.limit + 1, *first.shape[1:]), np.uint8) for _ in rows]
        self._keep(0, rows, first)

    def record(
        self,
        t: int,
        rows: IntArray,
        world: World,
        injection: Injection,
        commanded: Array,
        executed: Array,
        seen: Array,
    ) -> None:
        """Record one transition of some rows."""
        super().record(t, rows, world, injection, commanded, executed, seen)
        self._keep(t + 1, rows, self._shown(world, rows, seen))

    def _shown(self, world: World, rows: IntArray, seen: Array) -> Frames:
        if isinstance(world.camera, PixelCamera):
            return world.camera.resize(self.injection.camera_images(rows), FRAME_SIZE)
        frames = world.frames(rows, observations=seen if self.camera == "affected" else None)
        return self.injection.apply_camera_faults(frames, rows)

    def _keep(self, t: int, rows: IntArray, frames: Frames) -> None:
        for row, frame in zip(rows, frames, strict=True):
            self.frames[row][t] = frame

    def episode(self, row: int, seed: int, injection: Injection) -> Episode:
        """Cut one episode out."""
        episode = super().episode(row, seed, injection)
        frames = self.frames[row][: len(episode) + 1]
        return replace(episode, extras={**episode.extras, FRAMES: frames})
