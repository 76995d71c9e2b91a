"""Which methods nothing beats in both ways."""

import numpy as np
import pytest

from offnominal.papers.comparison.figures.pareto_figure import decades, frontier

pytestmark = pytest.mark.long


def test_what_is_beaten_in_both_ways_is_left_out():
    cost, rank = np.array([3.0, 1.0, 2.0, 1.0, 4.0]), np.array([2.0, 5.0, 6.0, 4.0, 2.0])
    assert frontier(cost, rank).tolist() == [3, 0]


def test_a_method_without_times_does_not_move_the_axis():
    assert decades(np.array([0.02, np.nan, 0.3])) == (0.01, 1.0)
