"""Distances to neighbours, by both search algorithms."""

import numpy as np
import pytest

from offnominal.detectors.rows.knn import DISTANCES, KNN

from .cases import FRESH, ROWS

pytestmark = pytest.mark.long


def brute(rows, fresh, k):
    out = {name: np.empty(len(fresh)) for name in DISTANCES}
    for i, x in enumerate(fresh):
        distances = np.sqrt(((x - rows) ** 2).cumsum(axis=1)[:, -1])
        near = np.argsort(distances, kind="stable")[:k]
        out["kappa"][i] = distances[near[-1]]
        out["gamma"][i] = distances[near].mean()
        out["delta"][i] = np.linalg.norm(x - rows[near].mean(axis=0))
    return out


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("k", [1, 2, 17])
@pytest.mark.parametrize("algorithm", ["kd_tree", "brute"])
def test_scores_are_those_of_brute_force(k, distance, algorithm):
    if algorithm == "kd_tree" and distance == "delta":
        pytest.skip("a k-d tree chooses among equally distant rows in its own order")
    ours = KNN(k, distance=distance, algorithm=algorithm).fit(ROWS).score(FRESH)
    np.testing.assert_allclose(ours, brute(ROWS, FRESH, k)[distance], rtol=1e-12, atol=1e-14)
