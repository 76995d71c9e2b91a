"""Poses of the instances in one frame, relative to the sensor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled_internal
from offnominal.core.types import Array, FloatArray
from offnominal.sensing.packed_scene import PackedScene

ZERO = np.float32(0.0)
ONE = np.float32(1.0)


class PlacedInstances(NamedTuple):
    """Centres and rotations of the instances.

    Args:
        centre: (instances, 3): centre of each instance relative to the sensor, so that single precision is sufficient.
        rotation: (instances, 9): rotation matrix, row by row, from own axes to the world's.
        present: (instances,): whether the pose is finite.
        level: (planes,): height of the sensor above each plane; negative if the plane is absent.
    """

    centre: NDArray[np.float32]
    rotation: NDArray[np.float32]
    present: NDArray[np.bool_]
    level: NDArray[np.float32]


@compiled_internal
def place(packed: PackedScene, positions: FloatArray, rotations: FloatArray, eye: FloatArray) -> PlacedInstances:
    """Return the poses of the instances relative to the sensor."""
    n = positions.shape[0]
    centre = np.empty((n, 3), np.float32)
    rotation = np.empty((n, 9), np.float32)
    present = np.empty(n, np.bool_)
    middle, planes = packed.middle, packed.planes
    level = np.empty(planes.shape[0], np.float32)
    for i in range(n):
        finite = True
        for k in range(9):
            rotation[i, k] = np.float32(rotations[i, k])
            finite &= abs(rotations[i, k]) < np.inf
        for k in range(3):
            moved = positions[i, k] + (
                rotations[i, 3 * k] * middle[i, 0]
                + rotations[i, 3 * k + 1] * middle[i, 1]
                + rotations[i, 3 * k + 2] * middle[i, 2]
            )
            centre[i, k] = np.float32(moved - eye[k])
            finite &= abs(moved) < np.inf
        present[i] = finite
    for k in range(planes.shape[0]):
        i = planes[k]
        level[k] = -(rotation[i, 2] * centre[i, 0] + rotation[i, 5] * centre[i, 1] + rotation[i, 8] * centre[i, 2])
        if not present[i]:
            level[k] = -ONE
    return PlacedInstances(centre, rotation, present, level)


@compiled_internal
def extent_along(extent: Array, rotation: Array, i: int, x: np.float32, y: np.float32, z: np.float32) -> np.float32:
    """Return the extent of an instance's bounding box from its centre in the direction (x, y, z)."""
    total = ZERO
    for k in range(3):
        total += extent[i, k] * abs(rotation[i, k] * x + rotation[i, 3 + k] * y + rotation[i, 6 + k] * z)
    return total
