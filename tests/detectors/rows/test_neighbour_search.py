"""The search for nearest points is exact, and ties fall the same way for every k."""

import numpy as np
import pytest

from offnominal.detectors.rows.neighbour_search import APART, NeighbourSearch

pytestmark = pytest.mark.long

RNG = np.random.default_rng(1)


def brute(points, rows, k, *, own=False, apart=False):
    squared = ((rows[:, None] - points) ** 2).cumsum(axis=2)[:, :, -1]
    if own:
        np.fill_diagonal(squared, np.inf)
    if apart:
        squared = np.where(squared == 0.0, np.inf, squared)
    places = np.argsort(squared, axis=1, kind="stable")[:, :k]
    return np.sqrt(np.take_along_axis(squared, places, axis=1)), places


@pytest.mark.parametrize("width", [1, 4, 7])
@pytest.mark.parametrize("kind", ["continuous", "grid"])
def test_neighbours_are_those_of_sorted_distances(width, kind):
    draw = RNG.normal if kind == "continuous" else lambda size: RNG.integers(0, 3, size).astype(float)
    points, rows = draw(size=(1100, width)), draw(size=(40, width))
    for k in (1, 2, 25):
        for ours, theirs in zip(NeighbourSearch(points).nearest(rows, k), brute(points, rows, k), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_a_point_is_not_its_own_neighbour_but_its_copy_is():
    points = np.array([[0.0], [0.0], [5.0]])
    distances, places = NeighbourSearch(points).nearest(points, 1, own=True)
    assert distances[:, 0].tolist() == [0.0, 0.0, 5.0]
    assert places[:, 0].tolist() == [1, 0, 0]


def test_points_that_equal_the_row_can_be_left_out():
    points = RNG.integers(0, 3, (200, 2)).astype(float)
    for ours, theirs in zip(
        NeighbourSearch(points).nearest(points, 6, apart=True), brute(points, points, 6, apart=True), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


def test_missing_neighbours_are_infinitely_far():
    distances, places = NeighbourSearch(np.zeros((2, 1))).nearest(np.ones((1, 1)), 3)
    assert distances.tolist() == [[1.0, 1.0, np.inf]]
    assert places.tolist() == [[0, 1, -1]]


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e-20, 1e17, 1e30, 1e150])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_scale_and_offset_do_not_hide_a_neighbour(scale, offset):
    points, rows = (RNG.normal(size=(n, 5)) * scale + offset for n in (1500, 20))
    for ours, theirs in zip(NeighbourSearch(points).nearest(rows, 9), brute(points, rows, 9), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("kind", ["random", "ties", "far apart", "one column", "huge"])
@pytest.mark.parametrize("apart", [False, True])
def test_the_search_for_one_row_finds_the_same(kind, apart):
    draw = np.random.default_rng(5)
    points = {
        "random": draw.normal(size=(300, 6)),
        "ties": draw.integers(0, 3, size=(300, 3)).astype(float),
        "far apart": draw.normal(size=(130, 4)) * [1e-9, 1.0, 1e9, 0.0] + 1e8,
        "one column": draw.normal(size=(5, 1)),
        "huge": draw.normal(size=(70, 2)) * 1e29,
    }[kind]
    search = NeighbourSearch(points)
    rows = np.concatenate([points[:8], points[:8] + draw.normal(size=(min(8, len(points)), points.shape[1])) * 20.0])
    for k in (1, 4):
        distances, places = search.nearest(rows, k, apart=apart)
        found = [search.of_row.nearest(row[None], k, apart=APART if apart else -1.0) for row in rows]
        np.testing.assert_array_equal(np.concatenate([each[0] for each in found]), distances)
        np.testing.assert_array_equal(np.concatenate([each[1] for each in found]), places)
