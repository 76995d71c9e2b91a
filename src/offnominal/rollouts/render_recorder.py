"""Recorder of episodes with images for people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from offnominal.anomalies.injection import Injection
from offnominal.core.episode import FRAMES, Episode
from offnominal.core.types import Array, Frame, IntArray
from offnominal.rollouts.recorders import EpisodeRecorder
from offnominal.worlds.trail import Trail
from offnominal.worlds.world import World


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

    def start(self, world: World) -> None:
        """Record the first observations and images."""
        super().start(world)
        self._render(world, np.arange(len(self._frames)))

    def record(
        self,
        t: int,
        rows: IntArray,
        world: World,
        injection: Injection,
        commanded: Array,
        executed: Array,
        observations: Array,
    ) -> None:
        """Record one transition of some rows."""
        super().record(t, rows, world, injection, commanded, executed, observations)
        self._render(world, rows)

    def _render(self, world: World, rows: IntArray) -> None:
        trails = self._trail.points()
        images = world.render(rows, size=self._size, trails=None if trails is None else trails[rows])
        for row, image in zip(rows, images, strict=True):
            self._frames[row].append(image)
        self._trail.extend()

    def episode(self, row: int, seed: int, injection: Injection) -> Episode:
        """Return one recorded episode."""
        episode = super().episode(row, seed, injection)
        return replace(episode, extras={**episode.extras, FRAMES: np.stack(self._frames[row])})
