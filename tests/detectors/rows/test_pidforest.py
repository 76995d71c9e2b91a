"""Boxes of a PIDForest: volumes add up, cuts are the best ones, outside is strange."""

from itertools import combinations

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.rows.pid_histogram import cut_values, space_for
from offnominal.detectors.rows.pid_tree import grow
from offnominal.detectors.rows.pidforest import PIDForest, box

pytestmark = pytest.mark.long

RNG = np.random.default_rng(8)


def error(rooms, weights):
    return (weights * (rooms - np.average(rooms, weights=weights)) ** 2).sum()


def best_error(values, low, high, buckets):
    distinct, counts = np.unique(values, return_counts=True)
    edges = np.concatenate([[low], (distinct[1:] + distinct[:-1]) / 2, [high]])
    rooms = np.diff(edges) / counts
    errors = []
    for made in range(min(buckets, len(distinct))):
        for cuts in combinations(range(1, len(distinct)), made):
            parts = zip((0, *cuts), (*cuts, len(distinct)), strict=True)
            errors.append(sum(error(rooms[a:b], counts[a:b]) for a, b in parts))
    return errors[0], min(errors)


def cut(values, low, high, buckets, epsilon):
    """Return the cuts and the share of the error they save."""
    cuts = np.empty(buckets)
    made, gain = cut_values(values, low, high, buckets, epsilon, cuts, *space_for(len(values), buckets))
    return cuts[:made], gain


def plain_error(rooms, weights, buckets, epsilon):
    """The recursion as Guha et al. write it: the error of all values, every cut that is kept looked at."""
    m = len(rooms)
    errors = [[0.0] + [error(rooms[:end], weights[:end]) for end in range(1, m + 1)]]
    for _ in range(1, min(buckets, m)):
        before, kept, floor = errors[-1], [], 0.0
        errors.append([0.0] * (m + 1))
        for end in range(1, m + 1):
            last = end - 1
            if last >= 1 and before[last] > (1.0 + epsilon) * floor:
                kept += [last - 1] if last >= 2 else []
                floor = before[last]
            tried = [cut for cut in [*kept, last] if cut >= 1]
            errors[-1][end] = min(
                [before[end], *(before[cut] + error(rooms[cut:end], weights[cut:end]) for cut in tried)]
            )
    return errors[0][m], min(level[m] for level in errors)


@pytest.mark.parametrize("buckets", [2, 3, 4])
@pytest.mark.parametrize("kind", ["continuous", "ties"])
def test_cuts_are_as_good_as_the_best_of_all(kind, buckets):
    for _ in range(10):
        values = np.sort(RNG.exponential(size=12) if kind == "continuous" else RNG.integers(0, 9, 12).astype(float))
        cuts, gain = cut(values, values[0] - 0.5, values[-1] + 0.5, buckets, 0.0)
        whole, best = best_error(values, values[0] - 0.5, values[-1] + 0.5, buckets)
        assert gain == pytest.approx((whole - best) / whole if whole > 1e-12 else 0.0, abs=1e-9)
        assert len(cuts) < buckets
        assert (np.diff(cuts) > 0).all()


@pytest.mark.parametrize("buckets", [2, 3, 6])
@pytest.mark.parametrize("epsilon", [0.05, 0.2])
def test_cuts_that_are_not_tried_would_not_have_been_taken(buckets, epsilon):
    for _ in range(5):
        values = np.sort(RNG.exponential(size=60))
        rooms = np.diff([0.0, *(values[1:] + values[:-1]) / 2, values[-1] + 1.0])
        whole, best = plain_error(rooms, np.ones(60), buckets, epsilon)
        assert cut(values, 0.0, values[-1] + 1.0, buckets, epsilon)[1] == pytest.approx((whole - best) / whole)


def test_a_larger_epsilon_costs_little():
    values = np.sort(RNG.exponential(size=400))
    exact, loose = (cut(values, 0.0, values[-1] + 1.0, 5, epsilon)[1] for epsilon in (0.0, 0.1))
    assert 0.98 * exact < loose <= exact


def test_evenly_spaced_values_are_not_cut():
    cuts, gain = cut(np.arange(5.0), -0.5, 4.5, 3, 0.1)
    assert (len(cuts), gain) == (0, 0.0)


def test_boxes_fill_the_whole_box():
    rows = RNG.normal(size=(80, 3))
    low, high = box(rows)
    axis, _, parts, _, _, cuts, volume = grow(rows, low, high, np.arange(3), 6, 4, 0.1, RNG.uniform(size=160))
    leaves = axis < 0
    assert np.exp(volume[leaves]).sum() == pytest.approx(np.exp(volume[0]))
    assert (parts[~leaves] >= 2).all()
    assert parts[~leaves].sum() == len(axis) - 1
    assert len(cuts) == (parts[~leaves] - 1).sum()


def test_scores_rise_with_the_distance_from_the_box():
    forest = PIDForest(20).fit(RNG.normal(size=(300, 2)), seed=1)
    inside, outside, far = forest.score(np.array([[0.0, 0.0], [6.0, 0.0], [60.0, 0.0]]))
    assert inside < outside < far


def test_an_empty_region_inside_has_a_high_score():
    rows = np.concatenate([RNG.normal(-5.0, 0.3, size=(200, 2)), RNG.normal(5.0, 0.3, size=(200, 2))])
    crowded, empty = PIDForest(50).fit(rows, seed=1).score(np.array([[5.0, 5.0], [0.0, 0.0]]))
    assert crowded < empty


def test_a_different_value_in_a_constant_column_has_a_high_score():
    rows = np.column_stack([RNG.normal(size=100), np.ones(100)])
    same, other = PIDForest(10).fit(rows).score(np.array([[0.0, 1.0], [0.0, 2.0]]))
    assert same < other


def test_a_shallow_forest_is_the_beginning_of_a_deep_one():
    rows, others = RNG.normal(size=(1500, 3)), RNG.normal(size=(50, 3)) * 1.5
    deep = PIDForest(5, max_depth=8, max_samples=300).fit(rows, seed=2)
    for depth in (2, 5, 8):
        alone = PIDForest(5, max_depth=depth, max_samples=300).fit(rows, seed=2)
        np.testing.assert_array_equal(deep.shallower(depth, rows, 2).score(others), alone.score(others))
    with pytest.raises(InvalidParameter, match=r"expected 1 \.\. 8"):
        deep.shallower(9, rows, 2)
