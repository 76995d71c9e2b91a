"""Points of a lidar from its distances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import Array, FloatArray
from offnominal.sensing.lidar import Lidar


def directions_of(lidar: Lidar) -> FloatArray:
    """Return the directions (channels, columns, 3) of all rays in the lidar's own frame: x ahead, y left, z up."""
    up, flat = lidar.elevations[:, :1], lidar.elevations[:, 1:]
    sine, cosine = lidar.azimuths[:, 0], lidar.azimuths[:, 1]
    return np.stack([flat * cosine, flat * sine, np.broadcast_to(up, (len(flat), len(sine)))], axis=-1)


def points_of(lidar: Lidar, ranges: Array, columns: slice = slice(None)) -> NDArray[np.float32]:
    """Return the points of a turn in world coordinates; NaN without a return.

    Args:
        lidar: The lidar at its pose.
        ranges: (channels, columns): distances, m; infinite without a return.
        columns: Columns whose points are returned.

    Example:
        >>> points_of(Lidar(channels=1, columns=2, fov=(0.0, 0.0)), np.array([[3.0, np.inf]])).round(2).tolist()
        [[[0.0, -3.0, 1.8], [nan, nan, nan]]]
    """
    some = ranges[:, columns]
    distance = np.where(np.isfinite(some), some, np.nan).astype(np.float64)
    directions = directions_of(lidar)[:, columns] @ np.asarray(lidar.rotation).T
    world: Array = np.asarray(lidar.position) + distance[..., None] * directions
    return world.astype(np.float32)
