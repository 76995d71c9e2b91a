"""The error of the published DeepSVDD."""

import numpy as np

from offnominal.papers.comparison.runners.origin_svdd import OriginSVDD


def test_codes_are_scored_by_their_distance_from_the_origin():
    rows = np.random.default_rng(0).normal(size=(64, 3))
    svdd = OriginSVDD(latent=2, hidden=8, pretrain_iter=20, max_iter=20).fit(rows)
    assert not svdd.network_.centre.any()
    assert float(svdd.network_.radius) == 0.0
    assert np.isfinite(svdd.score(rows)).all()
