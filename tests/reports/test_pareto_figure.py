"""Which methods nothing beats in both ways."""

import numpy as np

from offnominal.reports.pareto_figure import frontier


def test_what_is_beaten_in_both_ways_is_left_out():
    cost, rank = np.array([3.0, 1.0, 2.0, 1.0, 4.0]), np.array([2.0, 5.0, 6.0, 4.0, 2.0])
    assert frontier(cost, rank).tolist() == [3, 0]
