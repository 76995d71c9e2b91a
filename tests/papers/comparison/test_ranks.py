"""Ranks and critical differences as published."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import friedmanchisquare, rankdata

from offnominal.core.errors import InvalidParameter
from offnominal.papers.comparison.ranks import compare_methods, critical_difference, mean_ranks, table_ranks
from offnominal.reports.critical_figure import critical_figure

pytestmark = pytest.mark.long

AUC = np.array([[0.951, 0.949, 0.90, 0.5], [0.80, 0.80, math.nan, 0.85], [0.7, 0.9, 0.804, 0.796]])


@pytest.mark.parametrize(("methods", "tables", "published"), [(23, 40, 5.148), (12, 4, 7.724), (12, 40, 2.443)])
def test_critical_differences_are_the_published_ones(methods, tables, published):
    assert critical_difference(methods, tables, alpha=0.1) == pytest.approx(published, abs=5e-4)


def test_equal_methods_share_the_best_rank_after_rounding():
    expected = [[1, 1, 3, 4], [2, 2, 4, 1], [4, 1, 2, 2]]
    np.testing.assert_array_equal(table_ranks(AUC, ties="min", decimals=2), expected)
    np.testing.assert_allclose(mean_ranks(AUC, ties="min", decimals=2), np.mean(expected, axis=0))


def test_equal_methods_share_the_mean_rank_by_default():
    np.testing.assert_array_equal(table_ranks(AUC), [[1, 2, 3, 4], [2.5, 2.5, 4, 1], [4, 1, 2, 3]])


def test_the_default_comparison_is_friedmans_test():
    values = np.random.default_rng(2).uniform(size=(12, 5)) + np.arange(5) * 0.1
    found = compare_methods("ABCDE", values)
    assert found.statistic == pytest.approx(friedmanchisquare(*values.T).statistic)
    assert found.critical_difference == pytest.approx(critical_difference(5, 12))
    assert list(found.ranks) == sorted(rankdata(-values, axis=1).mean(axis=0))


def test_the_papers_comparison_takes_competition_ranks():
    found = compare_methods("ABCD", AUC, ties="min", decimals=2)
    assert found.names == ("B", "A", "D", "C")
    assert found.ranks == pytest.approx((4 / 3, 7 / 3, 7 / 3, 3.0))
    assert found.statistic == pytest.approx(12 * 3 / 20 * (sum(r * r for r in found.ranks) - 25))


def test_one_table_is_nothing_to_compare_on():
    assert compare_methods("AB", np.array([[0.1, 0.2]])) is None


def test_bad_arguments_are_named():
    with pytest.raises(InvalidParameter, match="ties is 'max'"):
        table_ranks(AUC, ties="max")
    with pytest.raises(InvalidParameter, match="shape"):
        table_ranks(AUC[0])
    with pytest.raises(InvalidParameter, match="1 methods on 3 tables"):
        critical_difference(1, 3)


@pytest.mark.parametrize("count", [5, 23, 31, 60])
def test_numbers_of_ranks_do_not_overlap_in_the_diagram(count):
    plt = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")
    compared = compare_methods([f"m{k}" for k in range(count)], np.random.default_rng(0).normal(size=(8, count)))
    figure = critical_figure(plt, compared)
    figure.canvas.draw()
    numbers = [text for text in figure.axes[0].texts if text.get_text().isdigit()]
    boxes = [text.get_window_extent() for text in numbers]
    assert numbers[0].get_text() == "1"
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
    plt.close(figure)
