"""Observations of a world: its vector, its image, or both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from gymnasium.spaces import Box, Dict, Space

from offnominal.core.checks import integer_in, require_shape
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import Array, Frames, IntArray
from offnominal.worlds.world import FRAME_SIZE, World

ObservationKind: TypeAlias = Literal["vector", "image", "both"]
CameraKind: TypeAlias = Literal["clean", "affected"]
FrameTransform: TypeAlias = Callable[[Frames, IntArray], Frames]


class ObservationBuilder:
    """Builds the observations of a world's rows.

    An image has (3, size, size) bytes, channels first. ``"both"`` is a dictionary with the entries ``vector`` and
    ``image``.

    Args:
        world: The world.
        observation: ``"vector"``, ``"image"`` or ``"both"``.
        camera: State that the image shows while the vector is faulty. ``"clean"``: the true state, as an independent
            camera does. ``"affected"``: the state that the vector reports.
        size: Pixels per side.

    Example:
        >>> from offnominal.worlds import make_world
        >>> world = make_world("SAP-Goal0-v0", 2)
        >>> world.reset(np.arange(2), np.array([7, 8]), np.zeros(2, int))
        >>> observation_builder = ObservationBuilder(world, "both")
        >>> both = observation_builder.observe(np.arange(2), world.observations)
        >>> both["vector"].shape, both["image"].shape
        ((2, 26), (2, 3, 128, 128))
    """

    def __init__(
        self,
        world: World,
        observation: ObservationKind = "image",
        *,
        camera: CameraKind = "clean",
        size: int = FRAME_SIZE,
    ) -> None:
        if observation not in get_args(ObservationKind):
            raise InvalidParameter(f"observation is {observation!r}; choose 'vector', 'image' or 'both'.")
        if camera not in get_args(CameraKind):
            raise InvalidParameter(f"camera is {camera!r}; choose 'clean' or 'affected'.")
        if observation != "vector" and world.camera is None:
            raise InvalidParameter(f"{world.card.id} has no images; observation={observation!r} needs them.")
        self.world = world
        self.observation = observation
        self.camera = camera
        self.size = size

    def space(self, vector: Space[Any]) -> Space[Any]:
        """Return the space of one row's observation, given the space of its vector."""
        if self.observation == "vector":
            return vector
        image = Box(0, 255, (3, self.size, self.size), np.uint8)
        return image if self.observation == "image" else Dict(vector=vector, image=image)

    def observe(self, rows: IntArray | None, vectors: Array, transform: FrameTransform | None = None) -> Any:
        """Return the current observations of some rows.

        Args:
            rows: Indices of the rows; None for all.
            vectors: (n, ...): the vector of every row of the world as the agents get it, faults included.
            transform: Applied to the frames, such as :meth:`Injection.apply_camera_faults`.

        Returns:
            New arrays with one entry per row asked for: the vectors, the images, or a dictionary of both.
        """
        if self.observation == "vector":
            return vectors.copy() if rows is None else vectors[rows]
        rows = np.arange(self.world.n) if rows is None else rows
        frames = self.frames(rows, vectors)
        return self.build(vectors[rows], frames if transform is None else transform(frames, rows))

    def frames(self, rows: IntArray, vectors: Array) -> Frames:
        """Return the frames of some rows, (len(rows), size, size, 3); arguments as for :meth:`observe`."""
        reported = vectors if self.camera == "affected" else None
        return self.world.frames(rows, observations=reported, size=self.size)

    def build(self, vectors: Array, frames: Frames) -> Any:
        """Return observations made of vectors and frames, one of each per row."""
        require_shape("frames", frames, "n", "height", "width", 3)
        image = channels_first(frames)
        return image if self.observation == "image" else {"vector": vectors, "image": image}

    def iter_rows(self, observations: Any) -> Iterator[Any]:
        """Yield the result of :meth:`observe` row by row."""
        self._require_built(observations)
        if self.observation == "both":
            names = list(observations)
            return (dict(zip(names, entry, strict=True)) for entry in zip(*observations.values(), strict=True))
        return iter(observations)

    def row(self, observations: Any, k: int) -> Any:
        """Return entry k of the result of :meth:`observe`."""
        n = self._require_built(observations)
        k = integer_in("k", k, 0, n - 1)
        if self.observation == "both":
            return {name: values[k] for name, values in observations.items()}
        return observations[k]

    def _require_built(self, observations: Any) -> int:
        """Return the number of rows; raise :class:`InvalidParameter` unless :meth:`observe` may have returned this."""
        if self.observation != "both" and isinstance(observations, np.ndarray) and observations.ndim:
            return len(observations)
        parts = observations.values() if self.observation == "both" and type(observations) is dict else (observations,)
        lengths = {len(each) if isinstance(each, np.ndarray) and each.ndim else -1 for each in parts}
        if len(lengths) != 1 or -1 in lengths:
            kind = "a dictionary of arrays" if self.observation == "both" else "an array"
            raise InvalidParameter(f"observations is {shown(observations)}; expected {kind}, an entry per row.")
        return lengths.pop()


def channels_first(frames: Frames) -> Frames:
    """Return frames (..., height, width, 3) as images (..., 3, height, width).

    Example:
        >>> channels_first(np.zeros((5, 64, 32, 3), np.uint8)).shape
        (5, 3, 64, 32)
    """
    return np.ascontiguousarray(np.moveaxis(frames, -1, -3))
