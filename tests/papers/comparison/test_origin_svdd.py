"""The error of the published DeepSVDD."""

import numpy as np
import pytest
import torch

from offnominal.papers.comparison.runners.origin_svdd import OriginSVDD

pytestmark = pytest.mark.long


@pytest.mark.parametrize("shape", [(64, 3), (64, 1, 16, 16)])
def test_codes_are_scored_by_their_distance_from_the_origin(shape):
    rows = np.random.default_rng(0).uniform(size=shape)
    settings = {"batch_norm": True, "pretrain_iter": 20, "max_iter": 20, "device": "cpu"}
    svdd = OriginSVDD(latent=2, hidden=8, channels=4, **settings).fit(rows)
    with torch.no_grad():
        codes = svdd.network_.encoder(torch.from_numpy(rows).float()).numpy()
    np.testing.assert_allclose(svdd.score(rows), (codes**2).sum(1), rtol=1e-4)


def weights_of(svdd: OriginSVDD) -> dict[str, torch.Tensor]:
    return dict(svdd.network_.encoder.named_parameters())


def test_on_images_the_last_weights_are_kept_even_if_they_are_worse():
    images = np.random.default_rng(0).uniform(size=(40, 1, 12, 12))
    settings = {"latent": 2, "channels": 2, "downsampling": "pool", "device": "cpu"}
    first = weights_of(OriginSVDD(max_iter=0, **settings).fit(images))
    assert all(not weight.any() for name, weight in first.items() if name.endswith("bias"))
    # Steps as large as these make the loss larger: the best weights are the first ones.
    last = weights_of(
        OriginSVDD(pretrain_iter=8, validate_every=4, batch_size=8, learning_rate=50.0, **settings).fit(images)
    )
    assert all(not torch.equal(first[name], last[name]) for name in first)
