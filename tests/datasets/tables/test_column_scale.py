"""Scales of columns."""

import numpy as np

from offnominal.datasets.tables.table_split import paper_scale, training_scale


def test_a_column_that_training_never_saw_move_keeps_its_unit():
    scale = training_scale(np.array([[1.0, 0.1], [2.0, 0.1], [4.0, 0.1]]))
    assert scale.apply(np.array([[1.0, 3.1]]))[0, 1] == 3.0


def test_a_small_unit_is_no_constant():
    points = np.array([[1e-13], [2e-13], [3e-13]])
    assert np.allclose(training_scale(points).apply(points)[:, 0], [-1.0, 0.0, 1.0])


def test_the_paper_leaves_a_variance_below_1e_minus_15_alone_and_drops_distances_below_1e_minus_8():
    points = np.array([[1e-9, 0.0], [2e-9, 3e-8], [3e-9, -3e-8], [2e-9, 0.0]])
    assert paper_scale(points).apply(points).tolist() == [[0.0, 0.0], [0.0, 3e-8], [0.0, -3e-8], [0.0, 0.0]]


def test_points_are_not_changed():
    points = np.array([[1.0], [3.0]])
    training_scale(points).apply(points)
    assert points.tolist() == [[1.0], [3.0]]
