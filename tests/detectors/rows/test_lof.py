"""The local outlier factor is scikit-learn's, and the definition's where points are equal."""

import numpy as np
import pytest
from sklearn.neighbors import LocalOutlierFactor

from offnominal.detectors.rows.lof import LOF

from .cases import FRESH, ROWS

pytestmark = pytest.mark.long


@pytest.mark.parametrize("k", [1, 5, 40])
def test_scores_are_scikit_learns(k):
    rng = np.random.default_rng(3)
    rows, fresh = rng.normal(size=(300, 6)), 2.0 * rng.normal(size=(100, 6))
    theirs = -LocalOutlierFactor(k, novelty=True).fit(rows).score_samples(fresh)
    np.testing.assert_allclose(LOF(k).fit(rows).score(fresh), theirs, rtol=1e-10)


def test_with_equal_distances_scikit_learn_depends_on_its_search_so_the_first_rows_are_neighbours():
    rng = np.random.default_rng(0)
    rows, fresh = np.round(3.0 * rng.normal(size=(300, 2))), np.round(3.0 * rng.normal(size=(200, 2)))
    brute, tree = (
        -LocalOutlierFactor(5, novelty=True, algorithm=search).fit(rows).score_samples(fresh)
        for search in ("brute", "kd_tree")
    )
    assert np.abs(brute / tree - 1.0).max() > 0.1
    np.testing.assert_allclose(LOF(5).fit(rows).score(fresh), first_rows_first(rows, fresh, 5), rtol=1e-9)


def test_equal_points_count_as_neighbours_of_each_other():
    np.testing.assert_allclose(LOF(6).fit(ROWS).score(FRESH), first_rows_first(ROWS, FRESH, 6), rtol=1e-9)


def first_rows_first(rows, fresh, k):
    """Scores by the definition, with the first rows as neighbours where distances are equal."""
    between = np.sqrt(((rows[:, None] - rows) ** 2).cumsum(axis=2)[:, :, -1])
    np.fill_diagonal(between, np.inf)
    near = np.argsort(between, axis=1, kind="stable")[:, :k]
    reach = np.take_along_axis(between, near, axis=1)[:, -1]
    density = 1.0 / (np.maximum(np.take_along_axis(between, near, axis=1), reach[near]).mean(axis=1) + 1e-10)
    distances = np.sqrt(((fresh[:, None] - rows) ** 2).cumsum(axis=2)[:, :, -1])
    close = np.argsort(distances, axis=1, kind="stable")[:, :k]
    own = 1.0 / (np.maximum(np.take_along_axis(distances, close, axis=1), reach[close]).mean(axis=1) + 1e-10)
    return (density[close] / own[:, None]).mean(axis=1)
