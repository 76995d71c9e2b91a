"""Points of a lidar from its distances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import Array
from offnominal.sensing.lidar import Lidar


def directions_of(lidar: Lidar) -> NDArray[np.float32]:
    """Return the directions (channels, columns, 3) of all rays in the world."""
    up, flat = lidar.elevations[:, :1], lidar.elevations[:, 1:]
    sine, cosine = lidar.azimuths[:, 0], lidar.azimuths[:, 1]
    found = np.empty((len(flat), len(sine), 3), np.float32)
    for axis, (ahead, left, above) in enumerate(np.asarray(lidar.rotation)):
        found[..., axis] = flat * (ahead * cosine + left * sine) + above * up
    return found


def points_of(lidar: Lidar, ranges: Array, directions: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return points in the world; NaN without a return.

    Args:
        lidar: The lidar at its pose.
        ranges: (channels, columns): distances, m; infinite without a return.
        directions: (channels, columns, 3): their directions.

    Example:
        >>> lidar = Lidar(channels=1, columns=2, fov=(0.0, 0.0))
        >>> points_of(lidar, np.array([[3.0, np.inf]]), directions_of(lidar)).round(2).tolist()
        [[[0.0, -3.0, 1.8], [nan, nan, nan]]]
    """
    distance = np.where(np.isfinite(ranges), ranges, np.nan).astype(np.float32)
    points: NDArray[np.float32] = distance[..., None] * directions
    points += np.asarray(lidar.position, np.float32)
    return points
