"""Histograms of columns, by NumPy's own."""

import numpy as np
import pytest

from offnominal.detectors.rows.hbos import HBOS

from .cases import FRESH, ROWS

pytestmark = pytest.mark.long


def brute(rows, fresh, bins, alpha, tol):
    total = np.zeros(len(fresh))
    for c in range(rows.shape[1]):
        density, edges = np.histogram(rows[:, c], bins=bins, density=True)
        rarity = -np.log2(density + alpha)
        width = edges[1] - edges[0]
        for i, x in enumerate(fresh[:, c]):
            place = np.digitize(x, edges) - 1
            beyond = max(edges[0] - x, x - edges[-1])
            total[i] += rarity.max() if beyond > tol * width else rarity[np.clip(place, 0, bins - 1)]
    return total


@pytest.mark.parametrize("tol", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("bins", [1, 4, 37])
def test_scores_are_those_of_brute_force(bins, tol):
    ours = HBOS(bins, alpha=0.2, tol=tol).fit(ROWS).score(FRESH)
    np.testing.assert_allclose(ours, brute(ROWS, FRESH, bins, 0.2, tol), rtol=1e-12)


def test_values_on_edges_fall_into_the_bin_that_begins_there():
    rows = np.repeat(np.arange(11.0), np.arange(1, 12))[:, None]
    for bins in (2, 5, 10):
        np.testing.assert_allclose(HBOS(bins).fit(rows).score(rows), brute(rows, rows, bins, 0.1, 0.5), rtol=1e-12)


def test_a_value_beyond_the_tolerance_is_as_rare_as_the_emptiest_bin():
    rows = np.concatenate([np.zeros(90), np.linspace(0, 10, 10)])[:, None]
    at_edge, close, beyond = HBOS(5, tol=0.5).fit(rows).score(np.array([[0.0], [-0.9], [-1.1]]))
    assert at_edge == close < beyond
