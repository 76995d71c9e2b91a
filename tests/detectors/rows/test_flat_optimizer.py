"""Steps are those of the optimiser, on the modules they belong to."""

import pytest
import torch
from torch import nn

from offnominal.detectors.rows.flat_optimizer import FlatOptimizer, release

pytestmark = pytest.mark.long


def twins():
    torch.manual_seed(0)
    first, second = (nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 2)) for _ in range(2))
    second.load_state_dict(first.state_dict())
    return first, second


@pytest.mark.parametrize("method", ["adam", "rmsprop", "sgd"])
def test_steps_are_those_of_the_optimiser(method):
    first, second = twins()
    makers = {
        "adam": lambda weights: torch.optim.AdamW(weights, lr=1e-2, weight_decay=0.1),
        "rmsprop": lambda weights: torch.optim.RMSprop(weights, lr=1e-2, alpha=0.9),
        "sgd": lambda weights: torch.optim.SGD(weights, lr=1e-2, momentum=0.5),
    }
    descent = FlatOptimizer([first[0], first[2]], 1e-2, method=method, weight_decay=0.1, momentum=0.5)
    usual = makers[method](second.parameters())
    rows = torch.randn(8, 3)
    for _ in range(5):
        descent((first(rows) ** 2).mean())
        usual.zero_grad()
        (second(rows) ** 2).mean().backward()
        usual.step()
    release(first)
    for weight, expected in zip(first.parameters(), second.parameters(), strict=True):
        torch.testing.assert_close(weight, expected)
        assert weight.grad is None


def test_a_descent_moves_its_own_modules_alone():
    first, second = twins()
    inner, outer = FlatOptimizer([first[0]], 1e-2), FlatOptimizer([first[0], first[2]], 1e-2)
    inner((first(torch.ones(1, 3)) ** 2).mean())
    assert not torch.equal(first[0].weight, second[0].weight)
    assert torch.equal(first[2].weight, second[2].weight)
    outer((first(torch.ones(1, 3)) ** 2).mean())
    assert not torch.equal(first[2].weight, second[2].weight)


def test_weights_can_be_clipped():
    first, _ = twins()
    descent = FlatOptimizer([first], 1e-2)
    descent.clamp(0.05)
    assert max(float(weight.detach().abs().max()) for weight in first.parameters()) == pytest.approx(0.05)
