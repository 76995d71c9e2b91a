"""The three distances to neighbours are what they say."""

import numpy as np
import pytest

from offnominal.detectors.rows.neighbours import SCORES, Neighbours

from .cases import FRESH, ROWS


def brute(rows, fresh, k):
    out = {name: np.empty(len(fresh)) for name in SCORES}
    for i, x in enumerate(fresh):
        distances = np.sqrt(((x - rows) ** 2).cumsum(axis=1)[:, -1])
        near = np.argsort(distances, kind="stable")[:k]
        out["kappa"][i] = distances[near[-1]]
        out["gamma"][i] = distances[near].mean()
        out["delta"][i] = np.linalg.norm(x - rows[near].mean(axis=0))
    return out


@pytest.mark.parametrize("distance", SCORES)
@pytest.mark.parametrize("k", [1, 2, 17])
def test_scores_are_those_of_brute_force(k, distance):
    ours = Neighbours(k, distance=distance).fit(ROWS).score(FRESH)
    np.testing.assert_allclose(ours, brute(ROWS, FRESH, k)[distance], rtol=1e-12, atol=1e-14)
