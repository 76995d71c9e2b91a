"""Conformal p-values are uniform and independent for any order, and the jumper is a martingale with known values."""

import numpy as np
import pytest

from offnominal.alarms import conformal_p_values, jumper_martingale
from offnominal.core.errors import InvalidParameter


@pytest.mark.parametrize(
    ("p", "capital"),
    [
        (0.0, [1.0, 1.165, 1.49335, 2.024118, 2.83614]),
        (1.0, [1.0, 1.165, 1.49335, 2.024118, 2.83614]),
        (0.5, [1.0] * 5),
    ],
)
def test_the_capital_for_constant_p_values_is_known(p, capital):
    assert np.exp(jumper_martingale([p] * 5)) == pytest.approx(capital, abs=1e-6)


def test_the_largest_capital_is_that_of_ville():
    random = np.random.default_rng(0)
    largest = [np.exp(jumper_martingale(random.random(300)).max()) for _ in range(200)]
    assert 0.0 < np.mean(np.array(largest) >= 5.0) <= 0.2
    assert np.mean(np.array(largest) >= 20.0) <= 0.05


def test_p_values_of_exchangeable_values_are_uniform_and_independent():
    random = np.random.default_rng(1)
    values = np.array([conformal_p_values(random.normal(size=30), seed=seed) for seed in range(2000)])
    assert values.mean(axis=0) == pytest.approx(np.full(30, 0.5), abs=0.03)
    assert values.var(axis=0) == pytest.approx(np.full(30, 1 / 12), abs=0.01)
    assert abs(np.corrcoef(values[:, 10], values[:, 11])[0, 1]) < 0.08


def test_ties_are_broken_at_random():
    values = np.array([conformal_p_values([1.0] * 10, seed=seed)[-1] for seed in range(1000)])
    assert values.mean() == pytest.approx(0.5, abs=0.03)


def test_growing_values_have_small_p_values():
    assert (conformal_p_values(np.arange(100.0))[50:] < 0.02).all()
    assert jumper_martingale(conformal_p_values(np.arange(100.0)))[-1] > np.log(1000.0)


@pytest.mark.parametrize("wrong", [[0.5, 1.5], [float("nan")], [[0.5]], ["a"]])
def test_wrong_p_values_are_errors(wrong):
    with pytest.raises(InvalidParameter):
        jumper_martingale(wrong)
