"""Component-level metrics as in SegmentMeIfYouCan (Chan et al. 2021): F1* and PPV*.

Detected elements are grouped into connected components and compared with those of the truth. A true component is found
at a level if its adjusted intersection over union reaches it; a detected one is false if the share of it on true
components is below the level. F1* is the mean F1 over eleven levels, PPV* the mean share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, sparse
from scipy.sparse.csgraph import connected_components

from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.estimate import Estimate
from offnominal.sensing.voxel_grid import VoxelGrid

LEVELS = np.linspace(0.25, 0.75, 11)
_EIGHT = np.ones((3, 3), np.int64)
_HALF = [(x, y, z) for z in (-1, 0, 1) for y in (-1, 0, 1) for x in (-1, 0, 1) if (z, y, x) > (0, 0, 0)]


@dataclass(frozen=True)
class ComponentLimits:
    """Sizes below which components do not count.

    Args:
        detected_pixels: Smallest detected component of an image.
        true_pixels: Smallest true component of an image; smaller ones are ignored.
        detected_voxels: Smallest detected component of a voxel grid.
        true_voxels: Smallest true component of a voxel grid.
    """

    detected_pixels: int = 50
    true_pixels: int = 10
    detected_voxels: int = 2
    true_voxels: int = 1


@dataclass(frozen=True, eq=False)
class ComponentMatches:
    """Components of one frame.

    Args:
        overlap: (true components,): adjusted intersection over union of each.
        precision: (detected components,): share of each on true components.
    """

    overlap: FloatArray
    precision: FloatArray


@dataclass(frozen=True, slots=True)
class ComponentMetrics:
    """Component-level metrics.

    Args:
        f1: F1*: mean F1 over the levels.
        ppv: PPV*: mean share of detected components on true ones.
        siou: Mean adjusted intersection over union of the true components.
        true: Number of true components.
        detected: Number of detected components.
    """

    f1: Estimate
    ppv: Estimate
    siou: Estimate
    true: int
    detected: int


def image_components(mask: BoolArray) -> IntArray:
    """Return the number of the component of each pixel, by 8-connectivity; 0 outside of them."""
    found: IntArray = ndimage.label(mask, _EIGHT)[0].astype(np.int64)
    return found


def voxel_components(index: IntArray, grid: VoxelGrid) -> IntArray:
    """Return the number of the component of each voxel from 1, by 26-connectivity; numbers of voxels rise."""
    places = grid.coordinates(index)
    ends: list[tuple[Array, Array]] = []
    for offset in _HALF:
        moved = places + offset
        inside = np.flatnonzero(((moved >= 0) & (moved < grid.shape)).all(axis=1))
        wanted = grid.numbers(moved[inside])
        at = np.minimum(np.searchsorted(index, wanted), max(len(index) - 1, 0))
        there = index[at] == wanted if len(index) else np.zeros(0, np.bool_)
        ends.append((inside[there], at[there]))
    rows, columns = (np.concatenate(each) for each in zip(*ends, strict=True))
    graph = sparse.coo_array((np.ones(len(rows), np.bool_), (rows, columns)), shape=(len(index), len(index)))
    found: IntArray = connected_components(graph, directed=False)[1].astype(np.int64) + 1
    return found


def match_components(
    detected: IntArray, true: IntArray, *, smallest_detected: int = 1, smallest_true: int = 1
) -> ComponentMatches:
    """Compare detected components with true ones.

    Args:
        detected: Number of the detected component of each element; 0 for none.
        true: Number of the true component of each element; 0 for none.
        smallest_detected: Detected components with fewer elements are removed.
        smallest_true: True components with fewer elements are ignored, and so is what is detected there.

    Example:
        >>> detected = np.array([1, 1, 1, 1, 0, 0, 2])
        >>> true = np.array([0, 0, 1, 1, 1, 1, 0])
        >>> found = match_components(detected, true)
        >>> found.overlap.round(3), found.precision
        (array([0.333]), array([0.5, 0. ]))
    """
    one, two = np.ravel(detected), np.ravel(true)
    small = np.bincount(two) < smallest_true
    small[0] = False
    one, two = np.where(small[two], 0, one), np.where(small[two], 0, two)
    few = np.bincount(one) < smallest_detected
    one = _renumbered(np.where(few[one], 0, one))
    two = _renumbered(two)
    n, m = int(one.max(initial=0)) + 1, int(two.max(initial=0)) + 1
    shared = np.bincount(one * m + two, minlength=n * m).reshape(n, m).astype(np.float64)
    sizes, own = shared.sum(axis=1), shared.sum(axis=0)
    inside = shared[:, 1:].sum(axis=1)
    touching = shared[1:, 1:] > 0.0
    common = shared[1:, 1:].sum(axis=0)
    # Of the detected components that touch a true one, what lies on other true components is not counted.
    elsewhere = touching.T @ inside[1:] - common
    union = touching.T @ sizes[1:] + own[1:] - common - elsewhere
    return ComponentMatches(common / union, inside[1:] / np.maximum(sizes[1:], 1.0))


def component_metrics(matches: Sequence[Sequence[ComponentMatches]], resamples: Resamples) -> ComponentMetrics:
    """Return the metrics of the frames of each scenario."""
    overlap = [np.concatenate([each.overlap for each in frames] or [np.empty(0)]) for frames in matches]
    precision = [np.concatenate([each.precision for each in frames] or [np.empty(0)]) for frames in matches]
    found = np.array([(each[:, None] >= LEVELS).sum(axis=0) for each in overlap], np.float64)
    wrong = np.array([(each[:, None] < LEVELS).sum(axis=0) for each in precision], np.float64)
    true = np.array([len(each) for each in overlap], np.float64)
    weights = resamples.counts.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        hits, alarms, all_true = found.T @ weights, wrong.T @ weights, true @ weights
        f1 = (2.0 * hits / (hits + alarms + all_true)).mean(axis=0)
    return ComponentMetrics(
        f1=Estimate.of(f1, resamples.units),
        ppv=resamples.ratio(_sums(precision), _lengths(precision)),
        siou=resamples.ratio(_sums(overlap), _lengths(overlap)),
        true=int(true.sum()),
        detected=sum(map(len, precision)),
    )


def _sums(parts: Sequence[FloatArray]) -> FloatArray:
    return np.array([each.sum() for each in parts])


def _lengths(parts: Sequence[FloatArray]) -> FloatArray:
    return np.array([len(each) for each in parts], np.float64)


def _renumbered(components: NDArray[np.int64]) -> IntArray:
    """Return components with consecutive numbers; 0 stays."""
    used = np.zeros(int(components.max(initial=0)) + 1, np.bool_)
    used[components] = True
    used[0] = False
    numbers: IntArray = np.where(used, np.cumsum(used), 0)
    return numbers[components]
