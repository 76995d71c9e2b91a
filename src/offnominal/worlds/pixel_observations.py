"""What an agent observes of a world: its vector, its picture, or both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from gymnasium.spaces import Box, Dict, Space

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, Frames, IntArray
from offnominal.worlds.world import FRAME_SIZE, World

ObservationKind: TypeAlias = Literal["vector", "image", "both"]
CameraKind: TypeAlias = Literal["clean", "affected"]
FrameTransform: TypeAlias = Callable[[Frames, IntArray], Frames]


class ObservationBuilder:
    """Makes observations of a world's rows as an agent gets them.

    An image is (3, size, size) bytes, colour first as image networks expect it. Both is a dictionary with ``vector``
    and ``image``.

    Args:
        world: What is observed.
        observation: ``"vector"``, ``"image"`` or ``"both"``.
        camera: What the camera shows while the vector is faulty. ``"clean"``: the true state, as a camera apart from
            the faulty sensors does. ``"affected"``: the state that the vector reports.
        size: Pixels per side.

    Example:
        >>> from offnominal.worlds import make_world
        >>> world = make_world("SAP-Goal0-v0", 2)
        >>> world.reset(np.arange(2), np.array([7, 8]), np.zeros(2, int))
        >>> observation_builder = ObservationBuilder(world, "both")
        >>> seen = observation_builder.observe(np.arange(2), world.observations)
        >>> seen["vector"].shape, seen["image"].shape
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
        if observation != "vector" and not world.renders:
            raise InvalidParameter(f"{world.card.id} has no pictures; observation={observation!r} needs them.")
        self.world = world
        self.observation = observation
        self.camera = camera
        self.size = size

    def space(self, vector: Space[Any]) -> Space[Any]:
        """Return the space of one row's observation, given that of its vector."""
        if self.observation == "vector":
            return vector
        image = Box(0, 255, (3, self.size, self.size), np.uint8)
        return image if self.observation == "image" else Dict(vector=vector, image=image)

    def observe(self, rows: IntArray, vectors: Array, transform: FrameTransform | None = None) -> Any:
        """Return what the agents of some rows observe now.

        Args:
            rows: Which rows of the world.
            vectors: (n, ...): the vector of every row of the world as the agents get it, faults included.
            transform: What becomes of the frames on their way, such as :meth:`Injection.transform`.

        Returns:
            Fresh arrays with one entry per row asked for: the vectors, the images, or a dictionary of both.
        """
        if self.observation == "vector":
            return vectors[rows]
        image = self.image(rows, vectors, transform)
        return image if self.observation == "image" else {"vector": vectors[rows], "image": image}

    def image(self, rows: IntArray, vectors: Array, transform: FrameTransform | None = None) -> Frames:
        """Return (len(rows), 3, size, size): what the cameras of some rows show; arguments as for :meth:`observe`."""
        shown = vectors if self.camera == "affected" else None
        frames = self.world.frames(rows, observations=shown, size=self.size)
        return channels_first(frames if transform is None else transform(frames, rows))

    def iter_rows(self, observations: Any) -> Iterator[Any]:
        """Yield the entries of what :meth:`observe` returned, one by one."""
        if self.observation == "both":
            names = list(observations)
            return (dict(zip(names, entry, strict=True)) for entry in zip(*observations.values(), strict=True))
        return iter(observations)

    def row(self, observations: Any, k: int) -> Any:
        """Return entry k of what :meth:`observe` returned."""
        if self.observation == "both":
            return {name: values[k] for name, values in observations.items()}
        return observations[k]


def channels_first(frames: Frames) -> Frames:
    """Return frames (..., height, width, 3) as images (..., 3, height, width).

    Example:
        >>> channels_first(np.zeros((5, 64, 32, 3), np.uint8)).shape
        (5, 3, 64, 32)
    """
    return np.ascontiguousarray(np.moveaxis(frames, -1, -3))
