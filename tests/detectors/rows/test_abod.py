"""Angles between pairs of neighbours, by the formula."""

from itertools import combinations

import numpy as np
import pytest

from offnominal.detectors.rows.abod import ABOD

from .cases import FRESH, ROWS

pytestmark = pytest.mark.long


def brute(rows, fresh, k):
    scores = []
    for x in fresh:
        vectors = rows - x
        lengths = (vectors**2).sum(axis=1)
        near = [i for i in np.argsort(lengths, kind="stable") if lengths[i] > 0.0][:k]
        angles = [vectors[a] @ vectors[b] / (lengths[a] * lengths[b]) for a, b in combinations(near, 2)]
        scores.append(-np.var(angles))
    return np.array(scores)


@pytest.mark.parametrize("k", [3, 10, 50])
def test_scores_are_those_of_the_formula(k):
    np.testing.assert_allclose(ABOD(k).fit(ROWS).score(FRESH), brute(ROWS, FRESH, k), rtol=1e-9, atol=1e-14)


def test_a_row_among_its_own_copies_has_a_low_score():
    rows = np.concatenate([np.zeros((50, 2)), np.random.default_rng(0).normal(size=(100, 2))])
    copy, far = ABOD(10).fit(rows).score(np.array([[0.0, 0.0], [20.0, 20.0]]))
    assert copy < far


def test_points_closer_than_numbers_can_square_do_not_break_the_score():
    rows = np.concatenate([ROWS, [[1e-170, 0.0, 0.0]]])
    assert np.isfinite(ABOD(5).fit(rows).score(np.zeros((1, 3)))).all()
