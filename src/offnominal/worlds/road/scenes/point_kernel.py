"""Compiled kernels that bring the points of sensors into the frame of the ego vehicle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray

Points = NDArray[np.float32]
Numbers = NDArray[np.int32]


@compiled
def lift_pixels(
    depth: Points, view: FloatArray, rights: FloatArray, ups: FloatArray, farthest: float, points: Points,
    source: Numbers,
) -> int:  # fmt: skip
    """Write the points of all pixels with a surface within a distance, and return their number.

    Args:
        depth: (height, width): depth along the direction of view, m.
        view: The camera in the frame of the ego vehicle; see :meth:`offnominal.sensing.Camera.packed`.
        rights: Where the rays meet the image plane, to the right: of each column, or of each pixel.
        ups: The same up: of each row, or of each pixel.
        farthest: Largest distance from the camera, m.
        points: Output (pixels, 3).
        source: Output (pixels,): number of the pixel.
    """
    height, width = depth.shape
    n = 0
    each = len(rights) == height * width and len(ups) == height * width
    for row in range(height):
        for column in range(width):
            up = ups[row * width + column] if each else ups[row]
            right = rights[row * width + column] if each else rights[column]
            z = float(depth[row, column])
            if z * z * (1.0 + right * right + up * up) <= farthest * farthest:
                for axis in range(3):
                    ray = right * view[3 + axis] + up * view[6 + axis] + view[9 + axis]
                    points[n, axis] = np.float32(view[axis] + z * ray)
                source[n] = row * width + column
                n += 1
    return n


@compiled
def move_points(
    world: Points, ranges: Points, turn: FloatArray, place: FloatArray, farthest: float,
    points: Points, source: Numbers, number: Numbers,
) -> int:  # fmt: skip
    """Write the points of all returns within a distance, and return how many there are.

    Args:
        world: (rays, 3): points in the world; NaN without a return.
        ranges: (rays,): distances, m; infinite without a return.
        turn: (3, 3): rotation from the world to the ego vehicle.
        place: (3,): translation after it, m.
        farthest: Largest distance from the lidar, m.
        points: Output (rays, 3).
        source: Output (rays,): number of the ray.
        number: Output (rays,): number of the return.
    """
    n = returns = 0
    for ray in range(len(world)):
        if not np.isfinite(ranges[ray]):
            continue
        if ranges[ray] <= farthest:
            for axis in range(3):
                moved = place[axis]
                for k in range(3):
                    moved += turn[axis, k] * world[ray, k]
                points[n, axis] = np.float32(moved)
            source[n], number[n] = ray, returns
            n += 1
        returns += 1
    return n
