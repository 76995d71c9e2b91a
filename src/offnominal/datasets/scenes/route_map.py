"""Route maps of the published layout: the route as seen from above, with the ego vehicle's direction to the top."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from offnominal.core.deterministic_math import sincos
from offnominal.core.types import FloatArray

SIZE = 192
PIXELS_PER_METRE = 5.0
BELOW = 40
"""Rows between the ego vehicle and the lower edge."""
HALF_WIDTH = 8.0
"""Half the width of the route, pixels."""


def route_map(route: FloatArray, position: tuple[float, float], yaw: float) -> NDArray[np.uint8]:
    """Return a route map (192, 192): 255 on the route, 0 elsewhere; 5 pixels are a metre.

    Args:
        route: (k, 2): points of the route, m.
        position: Position of the ego vehicle, m.
        yaw: Its direction, degrees to the left.

    Example:
        >>> mask = route_map(np.array([(-50.0, 0.0), (50.0, 0.0)]), (0.0, 0.0), 0.0)
        >>> int(mask[0].argmax()), int((mask[0] > 0).sum()), bool((mask[0] == mask[191]).all())
        (88, 16, True)
    """
    sine, cosine = sincos(math.pi / 180.0 * yaw)
    dx, dy = route[:, 0] - position[0], route[:, 1] - position[1]
    ahead, right = dx * cosine + dy * sine, dx * sine - dy * cosine
    # Coordinates of pixels count from the centre of the pixel at the upper left.
    points = np.stack(
        [0.5 * SIZE - 0.5 + PIXELS_PER_METRE * right, SIZE - BELOW - 0.5 - PIXELS_PER_METRE * ahead], axis=1
    )
    mask = np.zeros((SIZE, SIZE), np.uint8)
    low, high = np.minimum(points[:-1], points[1:]), np.maximum(points[:-1], points[1:])
    visible = (high > -HALF_WIDTH).all(axis=1) & (low < SIZE + HALF_WIDTH).all(axis=1)
    for k in np.flatnonzero(visible):
        _draw(mask, points[k], points[k + 1])
    return mask


def _draw(mask: NDArray[np.uint8], start: FloatArray, end: FloatArray) -> None:
    """Draw a line with round ends."""
    low = np.maximum(np.floor(np.minimum(start, end) - HALF_WIDTH), 0).astype(int)
    high = np.minimum(np.ceil(np.maximum(start, end) + HALF_WIDTH) + 1, SIZE).astype(int)
    if (low >= high).any():
        return
    x = np.arange(low[0], high[0]) - start[0]
    y = (np.arange(low[1], high[1]) - start[1])[:, None]
    along = end - start
    length = float((along**2).sum())
    share = np.clip((x * along[0] + y * along[1]) / length, 0.0, 1.0) if length > 0.0 else 0.0
    away = (x - share * along[0]) ** 2 + (y - share * along[1]) ** 2
    mask[low[1] : high[1], low[0] : high[0]][away <= HALF_WIDTH**2] = 255
