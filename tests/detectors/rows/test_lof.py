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


def test_equal_points_count_as_neighbours_of_each_other():
    k = 6
    split_validation = np.sqrt(((ROWS[:, None] - ROWS) ** 2).cumsum(axis=2)[:, :, -1])
    np.fill_diagonal(split_validation, np.inf)
    near = np.argsort(split_validation, axis=1, kind="stable")[:, :k]
    reach = np.take_along_axis(split_validation, near, axis=1)[:, -1]
    density = 1.0 / (np.maximum(np.take_along_axis(split_validation, near, axis=1), reach[near]).mean(axis=1) + 1e-10)
    distances = np.sqrt(((FRESH[:, None] - ROWS) ** 2).cumsum(axis=2)[:, :, -1])
    close = np.argsort(distances, axis=1, kind="stable")[:, :k]
    own = 1.0 / (np.maximum(np.take_along_axis(distances, close, axis=1), reach[close]).mean(axis=1) + 1e-10)
    expected = (density[close] / own[:, None]).mean(axis=1)
    np.testing.assert_allclose(LOF(k).fit(ROWS).score(FRESH), expected, rtol=1e-9)
