"""Which pixels of an image belong to which actor.

The instance camera has 16-bit ids. Before CARLA 0.9.16 they are not those of actors. Here an id belongs to the actor
whose bounding box contains most of its pixels, after their depth. It stays so for the rest of a run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.sensing.camera import Camera
from offnominal.worlds.road.carla.semantic_tags import ACTOR_TAGS

MARGIN = 0.25
SAMPLES = 64
ENOUGH = 16
# Instances that are no actors have numbers from here on.
FIRST_STATIC = 1 << 16


@dataclass(frozen=True, eq=False)
class Boxes:
    """Bounding boxes of actors.

    Args:
        instance: (n,): instance ids.
        centre: (n, 3): centres, m.
        rotation: (n, 3, 3): rotations to the world.
        half: (n, 3): half of their sizes, m.
    """

    instance: IntArray
    centre: FloatArray
    rotation: FloatArray
    half: FloatArray

    def around(self, points: FloatArray) -> FloatArray:
        """Return the share of points (k, 3) in each box."""
        local = np.einsum("nkj,nji->nki", points[None] - self.centre[:, None], self.rotation)
        shares: FloatArray = (np.abs(local) <= self.half[:, None] + MARGIN).all(axis=2).mean(axis=1)
        return shares


class InstanceMatcher:
    """Finds the actors of the ids of instance cameras, and remembers them."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}

    def match(
        self, ids: NDArray[np.int32], tags: Array, depth: NDArray[np.float32], camera: Camera, boxes: Boxes
    ) -> NDArray[np.int32]:
        """Return the instance id of every pixel: that of its actor, or a larger one; 0 in the sky.

        Args:
            ids: (height, width): ids of the instance camera.
            tags: (height, width): semantic tags.
            depth: (height, width): depth, m.
            camera: The camera.
            boxes: Bounding boxes of all actors.
        """
        keys, inverse = np.unique((tags.astype(np.int64) << 16) | ids, return_inverse=True)
        inverse = inverse.reshape(ids.shape)
        numbers = np.empty(len(keys), np.int32)
        for k, key in enumerate(keys.tolist()):
            if key not in self._known and key >> 16 in ACTOR_TAGS and len(boxes.instance):
                self._try(key, np.flatnonzero(inverse == k), depth, camera, boxes)
            numbers[k] = self._known.get(key) or FIRST_STATIC + (key & 0xFFFF)
        return np.where(np.isinf(depth), 0, numbers[inverse]).astype(np.int32)

    def _try(self, key: int, pixels: IntArray, depth: NDArray[np.float32], camera: Camera, boxes: Boxes) -> None:
        chosen = pixels[:: max(1, len(pixels) // SAMPLES)]
        away = depth.reshape(-1)[chosen]
        chosen, away = chosen[np.isfinite(away)], away[np.isfinite(away)]
        if not len(chosen):
            return
        shares = boxes.around(back_project(camera, chosen, away))
        best = int(shares.argmax())
        if shares[best] > 0.5:
            self._known[key] = int(boxes.instance[best])
        elif shares[best] == 0.0 and len(chosen) >= ENOUGH:
            self._known[key] = FIRST_STATIC + (key & 0xFFFF)


def back_project(camera: Camera, pixels: IntArray, depth: NDArray[np.float32]) -> FloatArray:
    """Return the points (k, 3) in the world of some pixels, given their flat indices and depths.

    Example:
        >>> camera = Camera((0.0, 0.0, 1.0), (1.0, 0.0, 1.0), width=2, height=2, fov=90.0)
        >>> back_project(camera, np.array([0]), np.array([4.0], np.float32)).tolist()
        [[4.0, 2.0, 3.0]]
    """
    view = camera.packed()
    position, right, up, ahead = view[:3], view[3:6], view[6:9], view[9:12]
    across = view[12] * (2.0 * (pixels % camera.width + 0.5) / camera.width - 1.0)
    above = view[13] * (1.0 - 2.0 * (pixels // camera.width + 0.5) / camera.height)
    rays = ahead + across[:, None] * right + above[:, None] * up
    points: FloatArray = position + depth.astype(np.float64)[:, None] * rays
    return points
