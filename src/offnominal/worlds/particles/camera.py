"""Camera of the particle worlds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from offnominal.core.types import FloatArray, Frames, IntArray
from offnominal.worlds.camera import DrawFunction, DrawnCamera

Bodies: TypeAlias = Callable[[IntArray], tuple[FloatArray, FloatArray, FloatArray]]

ENLARGED = 1.8
"""Factor on the radius of the agent in images for people."""


class ParticleCamera(DrawnCamera):
    """Camera whose images for people have a larger agent with a trail.

    Args:
        function: Implements :meth:`Camera.draw`.
        bodies: Returns the positions of the bodies, the goals and the hazards of some rows.
    """

    def __init__(self, function: DrawFunction, bodies: Bodies) -> None:
        super().__init__(function)
        self._bodies = bodies

    def render(self, rows: IntArray, size: int, trails: FloatArray | None = None) -> Frames:
        """Return square RGB images of some rows, with the trails of the agents."""
        from offnominal.worlds.particles.render import draw

        if trails is None:
            trails = np.empty((len(rows), 0, 2))
        return draw(*self._bodies(rows), size=size, trails=trails, agent_scale=ENLARGED)

    def track(self, rows: IntArray) -> FloatArray:
        """Return the positions of the agents, m."""
        positions: FloatArray = self._bodies(rows)[0][:, 0].copy()
        return positions
