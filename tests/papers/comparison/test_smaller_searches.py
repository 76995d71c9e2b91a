"""Smaller searches from the results of a large one."""

import math
from itertools import combinations

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.papers.comparison import report
from offnominal.papers.comparison.comparison_results import ComparisonResults
from offnominal.papers.comparison.smaller_searches import (
    at_seed,
    by_search_size,
    expected_best,
    pool_differences,
    pool_of,
)

pytestmark = pytest.mark.long

ROWS = [{"configuration": str(place), "seed": seed, "value": place / 20} for place in range(20) for seed in (1, 2)]


def names(rows):
    return {row["configuration"] for row in rows}


def test_small_pools_are_part_of_larger_ones():
    assert names(pool_of(ROWS, 3)) < names(pool_of(ROWS, 7)) < names(pool_of(ROWS, 20)) == names(ROWS)
    assert names(pool_of(ROWS, 3, draw=1)) != names(pool_of(ROWS, 3))


def test_larger_pools_come_nearer_to_a_published_maximum():
    outcomes = ComparisonResults({("iris", "knn"): ROWS}, {})
    found = pool_differences(
        outcomes, {("iris", "knn"): 0.95}, (2, 10, 20), lambda rows: max(row["value"] for row in rows)
    )
    assert found[2] > found[10] > found[20] == 0.0


def test_the_results_of_one_seed_keep_all_classes():
    rows = [{"seed": (name, seed)} for name in ("cat", "dog") for seed in (1, 2)]
    assert at_seed(ComparisonResults({("mnist", "knn"): rows}, {}), 2).single["mnist", "knn"] == [rows[1], rows[3]]


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
    monkeypatch.setattr(report, "SIZES", (1, 2, 5))
    tables = report.report_tables(ComparisonResults.of(compared.table))
    rows = {row["method"]: row for table in tables if table.name == "search" for row in table.rows}
    assert rows["knn"] == {"method": "knn", "best of 1": 0.8, "best of 2": None, "best": 0.8}
    assert rows["osvm"] == {"method": "osvm", "best of 1": 0.45, "best of 2": 0.5833, "best": 0.7}
