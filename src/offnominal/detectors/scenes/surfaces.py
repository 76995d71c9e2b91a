"""Surfaces of a depth image: connected pixels above the road, and their motion between two images."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from offnominal.core.types import BoolArray, FloatArray, IntArray
from offnominal.detectors.scenes.observation import CameraObservation

ROAD = 0.25
"""Height above the road from which a pixel belongs to a surface, m."""
STEP, RELATIVE_STEP = 0.3, 0.015
"""Largest difference of depth between neighbouring pixels of a surface: in metres, and relative to the depth."""
DIFFERENT = 2.0
"""Difference of speed between neighbouring pixels of two surfaces, m/s."""
FARTHEST = 80.0
"""Largest depth of a surface, m."""
FASTEST = 40.0
"""Largest speed of a surface, m/s; a larger difference of depth is another surface."""
AROUND = ((0, 0), (-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


def surfaces(depth: FloatArray, height: FloatArray, speed: FloatArray | None = None) -> tuple[IntArray, int]:
    """Return the number of the surface of each pixel, -1 for none, and how many surfaces there are.

    Neighbouring pixels belong to the same surface if both are above the road and their depths and speeds are similar.

    Args:
        depth: (height, width): depth image, m.
        height: (height, width): height of each pixel above the road, m.
        speed: (height, width): speed of each pixel's surface, m/s; NaN if it is unknown.

    Example:
        >>> depth = np.array([[9.0, 9.1, 20.0], [9.0, 30.0, 20.1]])
        >>> surfaces(depth, np.ones((2, 3)))[0].tolist()
        [[0, 0, 1], [0, 2, 1]]
    """
    above = (height > ROAD) & (depth < FARTHEST)
    number = np.arange(depth.size).reshape(depth.shape)
    ends = []
    for first, second in ((np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:-1], np.s_[1:])):
        near = np.minimum(depth[first], depth[second])
        joined = above[first] & above[second]
        joined &= np.abs(depth[first] - depth[second]) < STEP + RELATIVE_STEP * near
        if speed is not None:
            joined &= ~(np.abs(speed[first] - speed[second]) > DIFFERENT)
        ends.append((number[first][joined], number[second][joined]))
    rows, columns = (np.concatenate(each) for each in zip(*ends, strict=True))
    graph = coo_matrix((np.ones(len(rows), np.int8), (rows, columns)), (depth.size, depth.size))
    _, component = connected_components(graph, directed=False)
    found = np.full(depth.shape, -1, np.int64)
    _, found[above] = np.unique(component.reshape(depth.shape)[above], return_inverse=True)
    return found, int(found.max(initial=-1)) + 1


def medians(values: FloatArray, group: IntArray, n: int) -> FloatArray:
    """Return the median of the finite values of each of n groups; NaN for a group without.

    Args:
        values: Values.
        group: Group of each value; negative ones are left out.
        n: Number of groups.

    Example:
        >>> medians(np.array([1.0, 5.0, 9.0, np.nan]), np.array([0, 0, 0, 1]), 2).tolist()
        [5.0, nan]
    """
    values, group = values.reshape(-1), group.reshape(-1)
    kept = np.isfinite(values) & (group >= 0)
    values, group = values[kept], group[kept]
    order = np.lexsort((values, group))
    count = np.bincount(group, minlength=n)
    middle = np.cumsum(count) - count + count // 2
    found = np.full(n, np.nan)
    found[count > 0] = values[order][middle[count > 0]]
    return found


def means(values: FloatArray, group: IntArray, n: int) -> FloatArray:
    """Return the mean of the values of each of n groups, (width, n); NaN for a group without.

    Args:
        values: (..., width): values, finite in all groups.
        group: (...): group of each row of values; negative ones are left out.
        n: Number of groups.

    Example:
        >>> means(np.array([[1.0, 0.0], [3.0, 2.0]]), np.array([0, 0]), 1).tolist()
        [[2.0], [1.0]]
    """
    kept = group >= 0
    count = np.bincount(group[kept], minlength=n)
    with np.errstate(invalid="ignore"):
        return np.stack([np.bincount(group[kept], part, n) / count for part in values[kept].T])


def limits(values: FloatArray, group: IntArray, n: int) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and the largest finite value of each of n groups; infinite for a group without.

    Args:
        values: Values.
        group: Group of each value; negative ones are left out.
        n: Number of groups.
    """
    kept = np.isfinite(values) & (group >= 0)
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(low, group[kept], values[kept])
    np.maximum.at(high, group[kept], values[kept])
    return low, high


def closing_speeds(now: CameraObservation, before: CameraObservation, seconds: float) -> FloatArray:
    """Return how fast each pixel's surface moves over ground in the direction of view, (height, width) in m/s.

    A surface that stands still is where the earlier image showed it. Otherwise the difference of depth, divided by the
    time, is its speed. Of the earlier pixels around the expected place, the one with the smallest difference counts, so
    that edges of objects do not seem to move. NaN where the surface was not visible before.

    Args:
        now: The image.
        before: The earlier image of the same camera.
        seconds: Time between the images.
    """
    row, column, depth = _places(now.points(), before)
    least = np.full(depth.shape, np.nan)
    earlier = before.depth.astype(np.float64)
    with np.errstate(invalid="ignore"):
        for down, right in AROUND:
            moved = np.subtract(depth, _taken(earlier, row + down, column + right))
            least = np.where(np.isnan(least) | (np.abs(moved) < np.abs(least)), moved, least)
        found: FloatArray = least / seconds
    return np.where(np.abs(found) <= FASTEST, found, np.nan)


def followed(values: FloatArray, now: CameraObservation, before: CameraObservation, moved: FloatArray) -> FloatArray:
    """Return what an earlier map (..., height, width) says about the surface of each pixel; NaN if it was not visible.

    Args:
        values: Maps of the earlier image.
        now: The image.
        before: The earlier image of the same camera.
        moved: (height, width): how far each pixel's surface has moved in the direction of view, m.
    """
    ahead = now.camera.packed()[9:12]
    row, column, _ = _places(now.points() - moved[..., None] * ahead, before)
    return _taken(values, row, column)


def _places(points: FloatArray, image: CameraObservation) -> tuple[IntArray, IntArray, FloatArray]:
    """Return row, column and depth of points (height, width, 3) in an image; -2 for points behind the camera."""
    shape = points.shape[:2]
    with np.errstate(invalid="ignore"):
        column, row, depth = (part.reshape(shape) for part in image.camera.project(points.reshape(-1, 3)))
    visible = np.isfinite(depth) & (depth > 0.0)
    # Limits keep the numbers within those of integers.
    row, column = (np.floor(np.clip(np.where(visible, part, -2.0), -2.0, 1e6)) for part in (row, column))
    return row.astype(np.int64), column.astype(np.int64), depth


def _taken(values: FloatArray, row: IntArray, column: IntArray) -> FloatArray:
    """Return the values (..., height, width) at some places; NaN outside of the image."""
    height, width = values.shape[-2:]
    inside: BoolArray = (row >= 0) & (row < height) & (column >= 0) & (column < width)
    taken = values[..., np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)]
    return np.where(inside, taken, np.nan)
