"""Images of CARLA's cameras as arrays: colours, depth, semantic tags and instances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from offnominal.worlds.road.carla.errors import CarlaError

FARTHEST = 1000.0
LARGEST_DEPTH = 2**24 - 1


def pixels(image: Any) -> NDArray[np.uint8]:
    """Return the pixels (height, width, 4) in the order of CARLA: blue, green, red, alpha."""
    shape = (image.height, image.width, 4)
    data = np.frombuffer(image.raw_data, np.uint8)
    if data.size != np.prod(shape):
        raise CarlaError(f"an image of {image.width} x {image.height} pixels has {data.size} bytes; expected 4 each.")
    return data.reshape(shape)


def rgb(image: Any) -> NDArray[np.uint8]:
    """Return the colours (height, width, 3) in red, green and blue."""
    return np.ascontiguousarray(pixels(image)[:, :, 2::-1])


def depth(image: Any) -> NDArray[np.float32]:
    """Return the depth (height, width) along the direction of view in metres; infinite from 1,000 m on."""
    blue, green, red = (pixels(image)[:, :, channel].astype(np.float64) for channel in range(3))
    code = red + 256.0 * green + 65_536.0 * blue
    metres = FARTHEST / LARGEST_DEPTH * code
    return np.where(code >= LARGEST_DEPTH, np.inf, metres).astype(np.float32)


def tags(image: Any) -> NDArray[np.uint8]:
    """Return the semantic tags (height, width) of an image of a semantic or instance camera."""
    return pixels(image)[:, :, 2].copy()


def instances(image: Any) -> NDArray[np.int32]:
    """Return the 16-bit ids (height, width) of an instance camera. They are not the ids of actors."""
    found = pixels(image).astype(np.int32)
    ids: NDArray[np.int32] = found[:, :, 1] | found[:, :, 0] << 8
    return ids
