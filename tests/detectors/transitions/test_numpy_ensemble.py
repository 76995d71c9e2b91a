"""NumPy predicts what torch does, and what is learned later too."""

import numpy as np
import pytest
import torch

from offnominal.detectors.transitions.ensemble_row import FEW, NumpyEnsemble
from offnominal.detectors.transitions.modules import Ensemble

pytestmark = pytest.mark.long


@pytest.fixture
def network():
    torch.manual_seed(0)
    return Ensemble(3, 2, (8, 4), n_members=5)


def predictions(network, rows):
    with torch.inference_mode():
        return [part.numpy() for part in network(rows)]


@pytest.mark.parametrize("size", [1.0, 1e6])
@pytest.mark.parametrize("n", [1, FEW])
def test_both_predict_the_same(network, n, size):
    rows = size * torch.randn(n, 3)
    for found, expected in zip(NumpyEnsemble.of(network)(rows.numpy()), predictions(network, rows), strict=True):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * size)


def test_weights_are_not_copied(network):
    quick, rows = NumpyEnsemble.of(network), torch.randn(2, 3)
    before = quick(rows.numpy())[0]
    with torch.no_grad():
        for weight in network.weights:
            weight.mul_(2.0)
    after = quick(rows.numpy())[0]
    assert not np.allclose(before, after)
    np.testing.assert_allclose(after, predictions(network, rows)[0], rtol=1e-5, atol=1e-6)
