"""The camera of a world: images of its rows, and pixel observations made from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from offnominal.core.errors import UnsupportedEnvironment
from offnominal.core.types import Array, FloatArray, Frame, Frames, IntArray

DrawFunction: TypeAlias = Callable[[IntArray, Array | None, int], Frames]


class Camera(ABC):
    """Takes images of the rows of a world.

    Image k belongs to ``rows[k]`` and depends on the state of that row alone. It shows no text and no elapsed time:
    equal states give equal images. :meth:`World.frames` checks the arguments and calls :meth:`draw`.
    """

    @abstractmethod
    def draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Return square RGB images of some rows.

        Args:
            rows: Indices of the rows, at least one.
            observations: (n, ...), one per row of the world. The images show the state that these report, and the true
                state of everything they do not report. A report that is not finite shows nothing. None for the true
                state.
            size: Pixels per side.

        Returns:
            (len(rows), size, size, 3) bytes.
        """

    def render(self, rows: IntArray, size: int, trails: FloatArray | None = None) -> Frames:
        """Return square RGB images of some rows for people; by default those of :meth:`draw`.

        Args:
            rows: Indices of the rows, at least one.
            size: Pixels per side.
            trails: (len(rows), k, 2): earlier results of :meth:`track`, oldest first; NaN where there is none.
        """
        return self.draw(rows, None, size)

    def track(self, rows: IntArray) -> FloatArray | None:
        """Return (len(rows), 2): the positions of the agents, if :meth:`render` draws trails; else None."""
        return None

    def close(self) -> None:
        """Release the camera; most have nothing to release."""


class DrawnCamera(Camera):
    """Camera of a world whose observations are vectors.

    Args:
        function: Implements :meth:`Camera.draw`.
    """

    def __init__(self, function: DrawFunction) -> None:
        self._function = function

    def draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Return square RGB images of some rows."""
        return self._function(rows, observations, size)


class PixelCamera(Camera):
    """Camera of a world with pixel observations: its images are what the agent observes.

    Camera faults act on the result of :meth:`images`, so they change the observations too.
    """

    @abstractmethod
    def images(self, rows: IntArray) -> Frames:
        """Return the latest image of some rows, (len(rows), H, W, 3) bytes. A reset or a step of a row makes one."""

    @abstractmethod
    def observe(self, images: Frames, previous: Array) -> Array:
        """Return the next pixel observations.

        This is a pure function. Applied to the result of :meth:`images` after a step, it gives the observations of the
        world.

        Args:
            images: (k, H, W, 3) bytes: the latest image of each agent.
            previous: (k, ...): the observation of each agent one step earlier.
        """

    @abstractmethod
    def resize(self, images: Frames, size: int) -> Frames:
        """Return images as squares of ``size`` pixels per side."""

    def draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Return the latest image of some rows as squares. A reported state cannot be drawn."""
        if observations is not None:
            raise UnsupportedEnvironment(
                "a world with pixel observations cannot draw a reported state; use camera='clean'."
            )
        return self.resize(self.images(rows), size)


def resized(image: Frame, size: int) -> Frame:
    """Return an image stretched to a square; each pixel is the mean of the pixels that it covers.

    Args:
        image: (H, W, 3) bytes.
        size: Pixels per side.
    """
    values = image.astype(np.float64)
    for axis in (0, 1):
        edges = np.arange(size + 1) * image.shape[axis] // size
        values = np.add.reduceat(values, edges[:-1], axis=axis)
        values /= np.maximum(np.diff(edges), 1).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
    return np.rint(values).astype(np.uint8)
