"""Nearest points by matrix products are those of a comparison with all points."""

import numpy as np
import pytest

from offnominal.detectors.rows import matrix_search
from offnominal.detectors.rows.matrix_search import MatrixSearch
from offnominal.detectors.rows.neighbour_search import NeighbourSearch

pytestmark = pytest.mark.long


@pytest.fixture
def points():
    return np.random.default_rng(3).random((70, 40)).astype(np.float32)


def test_neighbours_are_those_of_an_exact_search(points):
    rows = np.random.default_rng(4).random((25, 40)).astype(np.float32)
    distances, places = MatrixSearch(points).nearest(rows, 9)
    exact, where = NeighbourSearch(points).nearest(rows.astype(np.float64), 9)
    np.testing.assert_array_equal(places, where)
    np.testing.assert_allclose(distances, exact, rtol=1e-12)


def test_of_equal_points_the_first_comes_first(points):
    twice = np.concatenate([points, points])
    distances, places = MatrixSearch(twice).nearest(points[:5], 2)
    assert places.tolist() == [[k, k + 70] for k in range(5)]
    assert (distances == 0.0).all()


def test_the_block_size_does_not_matter(points, monkeypatch):
    rows = np.random.default_rng(5).random((11, 40))
    whole = MatrixSearch(points).nearest(rows, 7)
    monkeypatch.setattr(matrix_search, "CHUNK", 3)
    monkeypatch.setattr(matrix_search, "BLOCK", 8)
    for ours, theirs in zip(MatrixSearch(points).nearest(rows, 7), whole, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_all_points_can_be_asked_for(points):
    assert sorted(MatrixSearch(points).nearest(points[:1], 70)[1][0]) == list(range(70))
