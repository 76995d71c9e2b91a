"""Lists of points of a turn of a lidar as images of lasers by columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from offnominal.core.errors import DamagedFile
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.sensing.lidar import Lidar, PointCloud
from offnominal.worlds.road.labels import Label

SAME_RAY = 1e-3
"""Largest distance between the unit directions of two points on one ray."""
NOISE_LIMIT = 6.0
EXACT = 0.01
"""Largest difference between measured and exact distance without noise, m."""


@dataclass(frozen=True, eq=False)
class TurnGrid:
    """Where the points of a turn are in its image.

    Args:
        row: (n,): laser of each point, the highest first.
        column: (n,): column of each point.
    """

    row: IntArray
    column: IntArray

    @classmethod
    def of(cls, points: FloatArray, lidar: Lidar) -> TurnGrid:
        """Place points (n, 3) of the lidar's own frame by their directions.

        Points of one direction, as of a lidar that turns several times per frame, are in columns beside each other, so
        that none is lost.

        Raises:
            DamagedFile: There are more points of a laser than columns.
        """
        flat = np.hypot(points[:, 0], points[:, 1])
        low, high = lidar.fov
        step = (high - low) / max(lidar.channels - 1, 1) or 1.0
        row = np.rint((high - np.rad2deg(np.arctan2(points[:, 2], flat))) / step)
        row = np.clip(row, 0, lidar.channels - 1).astype(np.int64)
        turn = (np.rad2deg(np.arctan2(points[:, 1], points[:, 0])) + 180.0) / 360.0
        wanted = np.clip(np.rint(turn * lidar.columns - 0.5), 0, lidar.columns - 1).astype(np.int64)
        column = np.empty(len(points), np.int64)
        for laser in range(lidar.channels):
            own = np.flatnonzero(row == laser)
            if len(own) > lidar.columns:
                raise DamagedFile(f"laser {laser} has {len(own)} points; the lidar measures {lidar.columns} per frame.")
            own = own[np.argsort(wanted[own], kind="stable")]
            column[own] = _free_columns(wanted[own], lidar.columns)
        return cls(row, column)

    @property
    def order(self) -> IntArray:
        """(n,): numbers of the points in the order of the image, row by row."""
        found: IntArray = np.lexsort((self.column, self.row))
        return found

    def cloud(
        self, points: FloatArray, label: Array, instance: Array, intensity: Array | None, lidar: Lidar
    ) -> PointCloud:
        """Return the image of a turn, given points (n, 3) in the lidar's own frame and values of each."""
        shape = (lidar.channels, lidar.columns)
        turned = np.einsum("nj,kj->nk", points, np.asarray(lidar.rotation)) + np.asarray(lidar.position)
        return PointCloud(
            self._image(shape, np.sqrt((points**2).sum(axis=1)), np.float32, np.inf),
            self._image((*shape, 3), turned, np.float32, np.nan),
            self._image(shape, label, np.int32, int(Label.SKY)),
            self._image(shape, instance, np.int32, 0),
            None if intensity is None else self._image(shape, intensity, np.float32, 0.0),
        )

    def _image(self, shape: tuple[int, ...], values: Array, kind: type, empty: float) -> Array:
        found: Array = np.full(shape, empty, kind)
        found[self.row, self.column] = values
        return found


def _free_columns(wanted: IntArray, columns: int) -> IntArray:
    """Return rising columns as near as possible to rising wanted ones.

    Example:
        >>> _free_columns(np.array([1, 1, 1, 5, 7, 7]), 8).tolist()
        [1, 2, 3, 5, 6, 7]
    """
    steps = np.arange(len(wanted))
    spread = np.maximum.accumulate(wanted - steps) + steps
    return np.asarray(np.minimum(spread, columns - len(wanted) + steps), np.int64)


def measured_labels(points: FloatArray, exact: FloatArray, label: Array, lidar: Lidar) -> NDArray[np.int32]:
    """Return the labels of measured points: those of the exact points that were measured on the same rays.

    The n-th exact point belongs to the n-th measured one if all of them are on the same rays. Otherwise, as in rain,
    where some measurements are lost and others are false, it is the one on the same ray and at the same distance within
    the noise of the lidar; a point without one is unlabeled.
    """
    if not len(points) or not len(exact):
        return np.full(len(points), int(Label.UNLABELED), np.int32)
    noise = NOISE_LIMIT * lidar.noise + EXACT
    ours, theirs = (each / np.sqrt((each**2).sum(axis=1, keepdims=True)).clip(1e-9) for each in (points, exact))
    if len(points) == len(exact) and (((ours - theirs) ** 2).sum(axis=1) < SAME_RAY**2).all():
        nearest, off = np.arange(len(points)), np.zeros(len(points))
    else:
        from scipy.spatial import cKDTree

        off, nearest = cKDTree(theirs).query(ours)
    lengths = [np.sqrt((each**2).sum(axis=1)) for each in (points, exact[nearest])]
    same = (off < SAME_RAY) & (np.abs(lengths[0] - lengths[1]) <= noise)
    return np.where(same, np.asarray(label)[nearest], int(Label.UNLABELED)).astype(np.int32)
