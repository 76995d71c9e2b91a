"""Results by the number of configurations of a search."""

import math
from itertools import combinations

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.papers.comparison.report import report_tables
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.search_sizes import by_search_size, expected_best

pytestmark = pytest.mark.long


@pytest.mark.parametrize("size", range(1, 7))
def test_it_is_the_mean_over_all_choices(size):
    validation, test = np.random.default_rng(0).random((2, 6))
    choices = [list(choice) for choice in combinations(range(6), size)]
    expected = np.mean([test[choice][np.argmax(validation[choice])] for choice in choices])
    assert expected_best(validation, test, size) == pytest.approx(expected)


def test_failed_configurations_are_left_out():
    validation, test = np.array([0.9, math.nan, 0.8]), np.array([0.7, math.nan, 0.5])
    assert expected_best(validation, test, 1) == pytest.approx(0.6)
    assert expected_best(validation, test, 2) == pytest.approx(0.7)
    assert math.isnan(expected_best(validation, test, 3))


def test_a_search_without_configurations_is_refused():
    with pytest.raises(InvalidParameter, match="size is 0"):
        expected_best(np.array([0.9]), np.array([0.7]), 0)


def test_the_ends_are_a_random_choice_and_the_whole_search(compared):
    outcomes = ComparisonResults.of(compared.table)
    np.testing.assert_allclose(by_search_size(outcomes, 1), outcomes.random_choice())
    whole, osvm = by_search_size(outcomes, 4), outcomes.methods.index("osvm")
    np.testing.assert_allclose(whole[:, osvm], outcomes.values("max")[:, osvm])
    assert np.isnan(np.delete(whole, osvm, axis=1)).all()


def test_the_report_leaves_out_larger_searches_than_there_are(compared, monkeypatch):
    monkeypatch.setattr(report_tables, "SIZES", (1, 2, 5))
    tables = report_tables.report_tables(ComparisonResults.of(compared.table))
    rows = {row["method"]: row for table in tables if table.name == "search" for row in table.rows}
    assert rows["knn"] == {"method": "knn", "best of 1": 0.8, "best of 2": None, "best": 0.8}
    assert rows["osvm"] == {"method": "osvm", "best of 1": 0.45, "best of 2": 0.5833, "best": 0.7}
