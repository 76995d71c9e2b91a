"""Graded anomaly problems from labelled tables."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.datasets.tables import graded_problem
from offnominal.datasets.tables.graded import two_colours


@pytest.fixture
def blobs():
    """Return four classes on a line; neighbours overlap, so colours must alternate."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(320, 2)) + np.repeat([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0], [6.0, 0.0]], 80, axis=0)
    return points, np.repeat(["a", "b", "c", "d"], 80)


def sides(table, points, labels):
    anomalous = {tuple(row) for row in table.anomalous}
    return {str(label) for row, label in zip(points, labels, strict=True) if tuple(row) in anomalous}


def test_confused_classes_fall_on_opposite_sides(blobs):
    points, labels = blobs
    table = graded_problem(points, labels, 0, trees=20)
    assert sides(table, points, labels) in ({"a", "c"}, {"b", "d"})
    assert len(table.normal) + len(table.anomalous) == 320


def test_the_larger_side_is_normal(blobs):
    points, labels = blobs
    keep = np.r_[0:240, 240:250]
    table = graded_problem(points[keep], labels[keep], 0, trees=20)
    assert len(table.normal) > len(table.anomalous)


def test_points_deep_in_normal_land_are_harder(blobs):
    points, labels = blobs
    two = np.isin(labels, ["a", "c"])
    table = graded_problem(points[two], labels[two], 0, trees=20)
    centre = table.normal.mean(axis=0)
    reach = np.linalg.norm(table.anomalous - centre, axis=1)
    assert reach[table.difficulty == "easy"].mean() > reach[np.isin(table.difficulty, ["hard", "very_hard"])].mean()


def test_a_seed_gives_one_problem(blobs):
    one, again = (graded_problem(*blobs, 7, trees=20) for _ in range(2))
    assert (one.anomalous == again.anomalous).all()
    assert (one.difficulty == again.difficulty).all()


def test_a_number_is_parted_at_its_median(blobs):
    points, _ = blobs
    table = graded_problem(points, points[:, 0], 0, target="number")
    assert len(table.normal) == 160
    assert (table.anomalous[:, 0] > np.median(points[:, 0])).all()


def test_no_difference_is_no_edge_missing():
    assert two_colours(np.zeros((3, 3))).sum() in (1, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X, y[:-1]), "one label for each of 320 rows"),
        (lambda X, y: (X[:9], y[:9]), "9 rows"),
        (lambda X, y: (X, np.zeros(320)), "one class, 0.0"),
        (lambda X, y: (X, X[:, 0]), "use target='number'"),
        (lambda X, y: (np.where(X > 3, np.nan, X), y), "is nan"),
        (lambda X, y: (X, np.where(X[:, 0] > 3, np.nan, 1.0)), "not finite"),
        (lambda X, y: ([[0.0, 1.0], [2.0]], y), "expected a table of numbers"),
        (lambda X, y: (X.astype(str).astype(object) + "?", y), "could not convert"),
    ],
)
def test_what_cannot_be_graded_is_named(blobs, change, message):
    with pytest.raises(InvalidParameter, match=message):
        graded_problem(*change(*blobs), 0)


def test_classes_are_no_number(blobs):
    with pytest.raises(InvalidParameter, match="target='class'"):
        graded_problem(*blobs, 0, target="number")
    with pytest.raises(InvalidParameter, match="above the median"):
        graded_problem(blobs[0], np.ones(320), 0, target="number")
