"""The networks compute what is written of them."""

import math

import numpy as np
import pytest
import torch
from scipy.stats import kstest, truncnorm
from torch.nn import functional

from offnominal.detectors.random_numbers import CPU, RandomNumbers, truncated_normal
from offnominal.detectors.transitions.modules import Ensemble, Perceptron, Recurrent, RecurrentQuantiles

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def same_weights():
    torch.manual_seed(0)


def test_initial_weights_are_normal_within_two_standard_deviations_in_every_version_of_torch():
    with RandomNumbers(1, CPU).weights():
        weights = truncated_normal(200, 1000, std=3.0).flatten()
    assert weights.abs().max() <= 6.0
    assert kstest(weights.double() / 3.0, truncnorm(-2.0, 2.0).cdf).pvalue > 0.01
    with RandomNumbers(1, CPU).weights():
        few = truncated_normal(40, std=1.0)
    assert few[:4].tolist() == [-1.5255959033966064, -0.7502318024635315, -0.6539809107780457, -1.6094847917556763]


def test_an_ensemble_is_independent_networks():
    ensemble = Ensemble(3, 2, (8, 4), n_members=5)
    rows = torch.randn(6, 3)
    mean, log_variance = ensemble(rows)
    for member in range(5):
        values = rows
        for layer, (weight, bias) in enumerate(zip(ensemble.weights, ensemble.biases, strict=True)):
            values = values @ weight[member] + bias[member]
            values = values if layer == 2 else functional.leaky_relu(values)
        torch.testing.assert_close(mean[member], values[:, :2])
        high = 0.5 - functional.softplus(0.5 - values[:, 2:])
        torch.testing.assert_close(log_variance[member], -10.0 + functional.softplus(high + 10.0))


def test_rows_of_their_own_reach_each_member():
    ensemble = Ensemble(3, 2, (8,), n_members=4)
    rows = torch.randn(4, 6, 3)
    own, _ = ensemble(rows)
    for member in range(4):
        torch.testing.assert_close(own[member], ensemble(rows[member])[0][member])


def test_log_variances_stay_between_their_bounds():
    ensemble = Ensemble(3, 2, (8,), n_members=2)
    for weight in ensemble.weights:
        weight.data *= 1e3
    _, log_variance = ensemble(torch.randn(50, 3))
    assert log_variance.max() <= 0.5 + 1e-3
    assert log_variance.min() >= -10.0
    assert log_variance.max() - log_variance.min() > 9.0


def test_dropout_acts_behind_the_first_layer_while_training_only():
    network = Perceptron(3, 2, (64, 64), dropout=0.5)
    rows = torch.randn(4, 3)
    random = RandomNumbers(0, CPU)
    assert not torch.equal(network(rows, random), network(rows, random))
    assert torch.equal(network(rows), network(rows))
    first = network.layers[0](rows)
    kept = RandomNumbers(0, CPU).dropout(first, 0.5)
    assert torch.equal(network(rows, RandomNumbers(0, CPU)), network.layers[1:](kept))
    assert set((kept / first).unique().round().tolist()) == {0.0, 2.0}


def in_parts(network, inputs, state, steps, *more):
    parts = []
    for part in inputs.split(steps, dim=1):
        found, state = network(part, state, *more)
        parts.append(found)
    return torch.cat(parts, dim=1), state


@pytest.mark.parametrize("steps", [1, 4])
@pytest.mark.parametrize(
    ("network", "width", "more"),
    [
        (lambda: Recurrent(3, 2, recurrent_size=8, hidden=4), 16, ()),
        (lambda: RecurrentQuantiles(3, 2, recurrent_size=8, n_cosines=6), 8, (torch.tensor([0.2, 0.7]),)),
    ],
)
def test_a_state_is_all_that_is_remembered(network, width, more, steps):
    built, inputs, state = network(), torch.randn(5, 9, 3), torch.randn(5, width)
    whole, after = built(inputs, state, *more)
    parts, same = in_parts(built, inputs, state, steps, *more)
    torch.testing.assert_close(parts, whole)
    torch.testing.assert_close(same, after)
    assert after.shape == state.shape


def test_quantiles_are_those_of_the_product_with_the_embedding():
    network = RecurrentQuantiles(3, 2, recurrent_size=8, n_cosines=6)
    inputs, state, levels = torch.randn(5, 7, 3), torch.randn(5, 8), torch.tensor([0.1, 0.5, 0.8])
    found, after = network(inputs, state, levels)
    hidden, last = network.gru(network.entry(inputs), state[None])
    features = hidden + torch.relu(network.residual(hidden))
    for k, level in enumerate(levels):
        cosines = torch.tensor([math.cos(math.pi * i * level) for i in range(6)])
        expected = network.exit(features * torch.relu(network.embedding(cosines)))
        torch.testing.assert_close(found[:, :, k], expected)
    np.testing.assert_allclose(after.detach(), last[0].detach())
