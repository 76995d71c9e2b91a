"""Points as voxels: the label of each occupied voxel, or its anomaly score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from offnominal.core.checks import one_of
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray, KeyArray
from offnominal.sensing.voxel_grid import VoxelGrid


class InvalidPoints(InvalidParameter):
    """A point cloud is empty, is not an array of finite points, or does not match its labels or scores."""


Rule: TypeAlias = Literal["centre", "corner"]
Reduction: TypeAlias = Literal["max", "mean", "nearest"]
PLACES: dict[Rule, float] = {"centre": 0.5, "corner": 0.0}
LABELS = 256


@dataclass(frozen=True, eq=False)
class Voxels:
    """Occupied voxels of a grid.

    Args:
        grid: The grid.
        index: (n,): numbers of the voxels in rising order; see :class:`VoxelGrid`.
        label: (n,): label of the point that decides the voxel.
        instance: (n,): instance of that point; None if it is not known.
        count: (n,): number of points in the voxel; None if it is not known.
        label_sets: (n, 4): labels of all points of the voxel, one bit each; None unless requested.
    """

    grid: VoxelGrid
    index: IntArray
    label: NDArray[np.uint8]
    instance: NDArray[np.int32] | None = None
    count: NDArray[np.int32] | None = None
    label_sets: KeyArray | None = None

    def __len__(self) -> int:
        return len(self.index)

    @property
    def coordinates(self) -> IntArray:
        """(n, 3): positions in the grid, from 0 along x, y and z."""
        return self.grid.coordinates(self.index)

    @property
    def centres(self) -> FloatArray:
        """(n, 3): centres, m."""
        return self.grid.centres(self.index)

    def has_label(self, labels: Iterable[int]) -> BoolArray:
        """Return (n,): whether the voxel has one of some labels."""
        return np.isin(self.label, list(labels))

    def contains_label(self, labels: Iterable[int]) -> BoolArray:
        """Return (n,): whether any point in the voxel has one of some labels; needs `label_sets`."""
        if self.label_sets is None:
            raise InvalidPoints("the voxels have one label each; voxelise the points with label_sets=True.")
        mask = np.zeros(4, np.uint64)
        for label in labels:
            mask[label >> 6] |= np.uint64(1 << (label & 63))
        found: BoolArray = np.any(self.label_sets & mask, axis=1)
        return found


@dataclass(frozen=True, eq=False)
class VoxelScores:
    """Anomaly scores of occupied voxels.

    Args:
        grid: The grid.
        index: (n,): numbers of the voxels in rising order.
        score: (n,): anomaly scores.
        count: (n,): number of points in the voxel.
    """

    grid: VoxelGrid
    index: IntArray
    score: NDArray[np.float32]
    count: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.index)


def voxelise(
    points: Array,
    label: Array,
    instance: Array | None = None,
    *,
    grid: VoxelGrid | None = None,
    rule: Rule = "centre",
    first: Iterable[int] = (),
    label_sets: bool = False,
) -> Voxels:
    """Return the occupied voxels of points, each with the label and instance of one of its points.

    Points outside the grid are left out. The result does not depend on the order of the points: among points at equal
    distances, labels in `first` win, then the lowest label, then the lowest instance.

    Args:
        points: (n, 3): points, m.
        label: (n,): labels from 0 to 255.
        instance: (n,): instances.
        grid: The grid; None is that of AnoVox.
        rule: Which point decides a voxel: the nearest to its ``"centre"``, or to its lower ``"corner"``.
        first: Labels that win ties.
        label_sets: Whether to store the labels of all points of a voxel.

    Raises:
        InvalidPoints: There are no points, or a point is not finite, or labels do not match.

    Example:
        >>> points = [(0.1, 0.1, 0.4), (0.3, 0.2, 0.4), (9.0, 0.0, 0.0)]
        >>> found = voxelise(points, [1, 14, 3], grid=VoxelGrid((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)))
        >>> found.label, found.count, found.centres
        (array([14], dtype=uint8), array([2], dtype=int32), array([[0.25, 0.25, 0.25]]))
    """
    from offnominal.sensing.voxel_kernel import add_label_sets, nearest_points

    one_of("rule", rule, get_args(Rule))
    space = VoxelGrid() if grid is None else grid
    cloud = _points(points)
    labels = _labels(label, len(cloud))
    known = instance is not None
    instances = np.zeros(len(cloud), np.int32)
    if known:
        instances = np.ascontiguousarray(_matching("instances", np.asarray(instance), len(cloud)), np.int32)
    rows, away, index = _rows(cloud, space, rule)
    count = np.empty(len(index), np.int32)
    nearest = nearest_points(rows, away, labels, instances, _ranks(first), count)
    sets = None
    if label_sets:
        sets = np.zeros((len(index), LABELS // 64), np.uint64)
        add_label_sets(rows, labels, sets)
    return Voxels(space, index, labels[nearest], instances[nearest] if known else None, count, sets)


def voxelise_scores(
    points: Array,
    scores: Array,
    *,
    grid: VoxelGrid | None = None,
    reduction: Reduction = "max",
    rule: Rule = "centre",
) -> VoxelScores:
    """Return the anomaly scores of the voxels of points. Voxels without points are not part of the result.

    Args:
        points: (n, 3): points, m.
        scores: (n,): anomaly score of each point.
        grid: The grid; None is that of AnoVox.
        reduction: The ``"max"`` or ``"mean"`` of the points of a voxel, or the score of its ``"nearest"`` point.
        rule: Where a point is nearest to; see :func:`voxelise`. Of points at equal distances, the highest score is
            taken.

    Raises:
        InvalidPoints: There are no points, or a point or score is not finite, or they do not match.
    """
    from offnominal.sensing.voxel_kernel import nearest_points, reduce_scores

    one_of("reduction", reduction, get_args(Reduction))
    one_of("rule", rule, get_args(Rule))
    space = VoxelGrid() if grid is None else grid
    cloud = _points(points)
    values = _matching("scores", scores, len(cloud)).astype(np.float32, order="C", copy=False)
    if not np.isfinite(values).all():
        raise InvalidPoints(f"the score of point {int(np.argmin(np.isfinite(values)))} is not finite.")
    rows, away, index = _rows(cloud, space, rule)
    count = np.empty(len(index), np.int32)
    if reduction == "nearest":
        order = np.argsort(np.argsort(-values, kind="stable"), kind="stable").astype(np.int32)
        nearest = nearest_points(rows, away, np.zeros(len(cloud), np.uint8), order, _ranks(()), count)
        return VoxelScores(space, index, values[nearest], count)
    found = np.empty(len(index))
    reduce_scores(rows, values, reduction == "max", found, count)
    return VoxelScores(space, index, found.astype(np.float32), count)


def _points(points: Array) -> NDArray[np.float32]:
    cloud = np.ascontiguousarray(points, np.float32)
    if cloud.ndim != 2 or cloud.shape[1] != 3:
        raise InvalidPoints(f"the points have the shape {cloud.shape}; expected (n, 3).")
    if not len(cloud):
        raise InvalidPoints("the point cloud is empty; expected at least one point.")
    return cloud


def _rows(cloud: NDArray[np.float32], grid: VoxelGrid, rule: Rule) -> tuple[NDArray[np.int32], FloatArray, IntArray]:
    """Return the row of the voxel of each point, its distance from the reference point, and the occupied voxels."""
    from offnominal.sensing.voxel_kernel import find_rows

    rows, away = np.empty(len(cloud), np.int32), np.empty(len(cloud))
    packed = np.array((*grid.low, 1.0 / grid.voxel_size))
    index, bad = find_rows(cloud, packed, np.array(grid.shape, np.int64), PLACES[rule], rows, away)
    if bad >= 0:
        raise InvalidPoints(f"point {bad} is {tuple(cloud[bad].tolist())}; expected finite coordinates in metres.")
    return rows, away, index


def _matching(noun: str, values: Array, n: int) -> Array:
    found = np.asarray(values)
    if found.shape != (n,):
        raise InvalidPoints(f"the {noun} have the shape {found.shape}; expected one per point, ({n},).")
    return found


def _labels(label: Array, n: int) -> NDArray[np.uint8]:
    found = _matching("labels", label, n)
    if found.dtype != np.uint8 and (found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= LABELS):
        raise InvalidPoints(f"the labels are not integers from 0 to {LABELS - 1}.")
    return np.ascontiguousarray(found, np.uint8)


def _ranks(first: Iterable[int]) -> NDArray[np.int32]:
    """Return the order of the labels at equal distances."""
    ranks = np.arange(LABELS, 2 * LABELS, dtype=np.int32)
    chosen = list(first)
    ranks[chosen] = chosen
    return ranks
