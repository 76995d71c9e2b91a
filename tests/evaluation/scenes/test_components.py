"""Component-level metrics."""

import numpy as np
import pytest
from scipy import ndimage

from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.scenes.components import (
    LEVELS,
    component_metrics,
    image_components,
    match_components,
    voxel_components,
)
from offnominal.sensing import VoxelGrid


def blobs(seed, shape=(40, 50), share=0.35):
    noise = ndimage.gaussian_filter(np.random.default_rng(seed).normal(size=shape), 2.0)
    return image_components(noise > np.quantile(noise, 1.0 - share))


def brute_force(detected, true):
    """The definitions, component by component."""
    overlaps = []
    for k in range(1, true.max() + 1):
        own = true == k
        touching = [p for p in np.unique(detected[own]) if p]
        segments = np.isin(detected, touching)
        elsewhere = segments & (true > 0) & ~own
        overlaps.append((segments & own).sum() / ((segments | own).sum() - elsewhere.sum()))
    return overlaps, [(true[detected == p] > 0).mean() for p in range(1, detected.max() + 1)]


@pytest.mark.parametrize("seed", range(5))
def test_matches_are_those_of_brute_force(seed):
    detected, true = blobs(seed), blobs(seed + 100, share=0.2)
    found = match_components(detected, true)
    overlaps, precisions = brute_force(detected, true)
    np.testing.assert_allclose(found.overlap, overlaps)
    np.testing.assert_allclose(found.precision, precisions)


def test_small_components_are_removed_and_small_truth_is_ignored():
    detected = np.array([1, 1, 1, 0, 2, 0, 3, 3, 3])
    true = np.array([1, 1, 1, 0, 0, 0, 2, 0, 0])
    found = match_components(detected, true, smallest_detected=2, smallest_true=2)
    np.testing.assert_allclose(found.overlap, [1.0])
    np.testing.assert_allclose(found.precision, [1.0, 0.0])
    nothing = match_components(np.zeros(4, int), np.zeros(4, int))
    assert len(nothing.overlap) == len(nothing.precision) == 0


def test_f1_star_is_the_mean_over_the_levels():
    one = match_components(np.array([1, 1, 1, 1, 0, 0]), np.array([0, 0, 1, 1, 1, 1]))
    two = match_components(np.array([1, 1]), np.array([1, 1]))
    found = component_metrics([[one], [two]], Resamples.draw(2, 20, seed=0))
    overlap, precision = np.array([1 / 3, 1.0]), np.array([0.5, 1.0])
    expected = [
        2 * (hits := (overlap >= level).sum()) / (2 * hits + (overlap < level).sum() + (precision < level).sum())
        for level in LEVELS
    ]
    assert found.f1.value == pytest.approx(np.mean(expected))
    assert found.ppv.value == pytest.approx(0.75)
    assert found.siou.value == pytest.approx(2 / 3)
    assert (found.true, found.detected) == (2, 2)
    assert found.f1.low < found.f1.value < found.f1.high


def test_voxels_are_connected_over_faces_edges_and_corners():
    grid = VoxelGrid((0.0, 0.0, 0.0), (6.0, 5.0, 4.0), 0.5)
    dense = np.random.default_rng(3).random(grid.shape[::-1]) < 0.08
    index = np.flatnonzero(dense)
    expected = ndimage.label(dense, np.ones((3, 3, 3)))[0].ravel()[index]
    found = voxel_components(index, grid)
    pairs = set(zip(found.tolist(), expected.tolist(), strict=True))
    assert len(pairs) == len(set(found.tolist())) == expected.max()
    assert len(voxel_components(np.empty(0, np.int64), grid)) == 0
