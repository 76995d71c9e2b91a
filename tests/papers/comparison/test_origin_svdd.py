"""The error of the published DeepSVDD."""

import numpy as np
import pytest
import torch

from offnominal.papers.comparison.runners.origin_svdd import OriginSVDD


@pytest.mark.parametrize("shape", [(64, 3), (64, 1, 16, 16)])
def test_codes_are_scored_by_their_distance_from_the_origin(shape):
    rows = np.random.default_rng(0).uniform(size=shape)
    settings = {"batch_norm": True, "pretrain_iter": 20, "max_iter": 20, "device": "cpu"}
    svdd = OriginSVDD(latent=2, hidden=8, channels=4, **settings).fit(rows)
    with torch.no_grad():
        codes = svdd.network_.encoder(torch.from_numpy(rows).float()).numpy()
    np.testing.assert_allclose(svdd.score(rows), (codes**2).sum(1), rtol=1e-4)
