"""Smaller searches from the results of a large one."""

import pytest

from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.pools import at_seed, pool_differences, pool_of

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
