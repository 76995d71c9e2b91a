"""Forests on shares of rows and columns: scikit-learn's distribution, grown tree by tree."""

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest as SklearnForest

from offnominal.detectors.rows.subspace_forest import SubspaceForest

from .cases import FRESH, ROWS


@pytest.mark.parametrize("columns", [0.5, 1.0])
@pytest.mark.parametrize("rows", [0.3, 1.0])
def test_scores_are_scikit_learns_but_for_chance(rows, columns):
    many = {"max_samples": rows, "max_features": columns}
    theirs = -SklearnForest(n_estimators=500, random_state=7, **many).fit(ROWS).score_samples(FRESH)
    ours = SubspaceForest(3000, max_samples=rows, max_features=columns).fit(ROWS, seed=7).score(FRESH)
    np.testing.assert_allclose(ours, theirs, atol=0.02)


def test_a_small_forest_is_the_beginning_of_a_large_one():
    large = SubspaceForest(40, max_samples=0.6, max_features=0.6).fit(ROWS, seed=3).grown(FRESH, np.array([10, 40]))
    np.testing.assert_array_equal(
        large[0], SubspaceForest(10, max_samples=0.6, max_features=0.6).fit(ROWS, seed=3).score(FRESH)
    )
    np.testing.assert_array_equal(
        large[1], SubspaceForest(40, max_samples=0.6, max_features=0.6).fit(ROWS, seed=3).score(FRESH)
    )


def test_columns_that_never_vary_are_not_cut():
    rows = np.column_stack([np.ones(100), np.arange(100.0)])
    forest = SubspaceForest(10).fit(rows)
    assert set(forest.channel_[forest.below_ >= 0].tolist()) == {1}


def test_equal_rows_make_trees_of_one_leaf():
    np.testing.assert_allclose(SubspaceForest(5).fit(np.ones((20, 2))).score(np.zeros((2, 2))), 0.5)
