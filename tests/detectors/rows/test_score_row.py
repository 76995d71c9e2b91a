"""The score of a single row by detectors without a network is that of a batch."""

import numpy as np
import pytest

from offnominal.detectors.rows import ABOD, HBOS, KNN, LODA, LOF, IsolationForest, Mahalanobis, OneClassSVM, PIDForest

pytestmark = pytest.mark.long

DETECTORS = {
    "k-d tree": KNN(3),
    "mean of neighbours": KNN(3, distance="delta"),
    "brute force": KNN(2, distance="gamma", algorithm="brute"),
    "ABOD": ABOD(4),
    "HBOS": HBOS(),
    "LODA": LODA(n_random_cuts=10),
    "LOF": LOF(4),
    "trees of scikit-learn": IsolationForest(10),
    "compiled trees": IsolationForest(10, backend="numba"),
    "Mahalanobis": Mahalanobis(),
    "radial kernel": OneClassSVM(),
    "polynomial kernel": OneClassSVM(kernel="poly", max_iter=1000),
    "lowest percentile": PIDForest(6, percentile=0.0),
    "highest percentile": PIDForest(6, percentile=100.0),
    "other percentile": PIDForest(6, percentile=37.5),
}


@pytest.mark.parametrize("name", DETECTORS)
def test_a_row_has_the_score_of_the_batch(name):
    draw = np.random.default_rng(0)
    detector = DETECTORS[name].fit(draw.normal(size=(150, 4)))
    rows = draw.normal(size=(12, 4)) * [1.0, 1.0, 5.0, 50.0]
    alone = np.concatenate([detector.score_row(row[None]) for row in rows])
    np.testing.assert_allclose(alone, detector.score(rows), rtol=1e-12)
