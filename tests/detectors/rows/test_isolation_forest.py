"""Isolation forests: both backends draw trees from the same distribution."""

from functools import partial

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest as SklearnForest

from offnominal.detectors.rows.isolation_forest import IsolationForest

from .cases import FRESH, ROWS

pytestmark = pytest.mark.long

forest_of = partial(IsolationForest, max_samples=1.0, bootstrap=False, backend="numba")


@pytest.mark.parametrize(("rows", "columns"), [(0.3, 0.5), (1.0, 1.0)])
def test_scores_are_scikit_learns_up_to_random_numbers(rows, columns):
    many = {"max_samples": rows, "max_features": columns, "bootstrap": False}
    theirs = -SklearnForest(n_estimators=300, random_state=7, **many).fit(ROWS).score_samples(FRESH)
    ours = forest_of(1500, **many).fit(ROWS, seed=7).score(FRESH)
    np.testing.assert_allclose(ours, theirs, atol=0.02)


def test_a_small_forest_is_the_beginning_of_a_large_one():
    large = forest_of(40, max_samples=0.6, max_features=0.6).fit(ROWS, seed=3).staged_scores(FRESH, np.array([10, 40]))
    np.testing.assert_array_equal(
        large[0], forest_of(10, max_samples=0.6, max_features=0.6).fit(ROWS, seed=3).score(FRESH)
    )
    np.testing.assert_array_equal(
        large[1], forest_of(40, max_samples=0.6, max_features=0.6).fit(ROWS, seed=3).score(FRESH)
    )


def test_columns_that_never_vary_are_not_cut():
    rows = np.column_stack([np.ones(100), np.arange(100.0)])
    forest = forest_of(10).fit(rows)
    assert set(forest.trees_.channel[forest.trees_.left >= 0].tolist()) == {1}


def test_equal_rows_make_trees_of_one_leaf():
    np.testing.assert_allclose(forest_of(5).fit(np.ones((20, 2))).score(np.zeros((2, 2))), 0.5)


@pytest.mark.parametrize("columns", [0.5, 1.0])
def test_the_sklearn_backend_gives_the_scores_of_scikit_learn(columns):
    parameters = {"n_estimators": 30, "max_samples": 64, "max_features": columns, "bootstrap": True}
    theirs = -SklearnForest(random_state=7, **parameters).fit(ROWS).score_samples(FRESH)
    ours = IsolationForest(**parameters).fit(ROWS, seed=7).score(FRESH)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)
