"""Poses of CARLA in the coordinates of this package, and back.

CARLA is left-handed: x ahead, y to the right, z up, yaw to the right, degrees. Here y and yaw are to the left.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.worlds.road.rigs import Mount

MIRROR = np.array([1.0, -1.0, 1.0])


def mirrored(points: FloatArray) -> FloatArray:
    """Return points (..., 3) with y on the other side.

    Example:
        >>> mirrored(np.array([4.0, 2.0, 1.0])).tolist()
        [4.0, -2.0, 1.0]
    """
    turned: FloatArray = points * MIRROR
    return turned


def vector(value: Any) -> FloatArray:
    """Return a location, velocity or acceleration of CARLA in our coordinates."""
    return np.array([value.x, -value.y + 0.0, value.z])


def pose(transform: Any) -> tuple[FloatArray, FloatArray]:
    """Return position (3,) and rotation (3, 3) to the world, in our coordinates, of a transform of CARLA."""
    matrix = np.array(transform.get_matrix(), np.float64)
    return mirrored(matrix[:3, 3]) + 0.0, matrix[:3, :3] * np.outer(MIRROR, MIRROR)


def heading(transform: Any) -> float:
    """Return the direction of a transform of CARLA, radians to the left."""
    return math.radians(-transform.rotation.yaw)


def location(carla: Any, point: FloatArray | tuple[float, float, float]) -> Any:
    """Return a position of ours as a location of CARLA."""
    x, y, z = (float(part) for part in point)
    return carla.Location(x=x, y=-y + 0.0, z=z)


def lifted(point: FloatArray, height: float) -> FloatArray:
    """Return a point (3,) at a height above it."""
    return np.array([point[0], point[1], point[2] + height])


def transform(
    carla: Any, point: FloatArray | tuple[float, float, float], yaw: float, *, pitch: float = 0.0, roll: float = 0.0
) -> Any:
    """Return a pose of ours, with yaw in degrees to the left, as a transform of CARLA."""
    return carla.Transform(location(carla, point), carla.Rotation(pitch=pitch, yaw=-yaw + 0.0, roll=roll))


def mount_transform(carla: Any, mount: Mount) -> Any:
    """Return the pose of a mount relative to the vehicle."""
    return transform(carla, mount.position, mount.yaw, pitch=mount.pitch)
