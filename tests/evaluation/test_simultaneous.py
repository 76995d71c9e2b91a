"""Simultaneous intervals of families of numbers."""

import warnings

import numpy as np
import pytest
from scipy.stats import norm, t

from offnominal.core.errors import InvalidParameter
from offnominal.evaluation.simultaneous import simultaneous_intervals


def test_independent_numbers_need_the_factor_of_sidak():
    draws = np.random.default_rng(0).normal(size=(20, 20_000))
    expected = norm.ppf(0.5 + 0.5 * 0.95 ** (1 / 20))
    assert simultaneous_intervals(np.zeros(20), draws).factor == pytest.approx(expected, abs=0.04)


def test_equal_numbers_need_no_correction():
    draws = np.tile(np.random.default_rng(0).normal(size=20_000), (20, 1))
    found = simultaneous_intervals(np.zeros(20), draws * np.linspace(0.1, 5.0, 20)[:, None])
    assert found.factor == pytest.approx(1.96, abs=0.04)
    np.testing.assert_allclose(found.high / np.linspace(0.1, 5.0, 20), found.high[0] / 0.1)


def test_few_units_have_students_factor():
    draws = np.random.default_rng(0).normal(size=(1, 20_000))
    found = simultaneous_intervals(np.zeros(1), draws, units=10)
    assert found.factor == pytest.approx(np.sqrt(10 / 9) * t.ppf(0.975, 9), abs=0.05)
    assert simultaneous_intervals(np.zeros(1), draws, units=1).factor == np.inf


@pytest.mark.long
def test_a_family_without_differences_is_rarely_torn_apart_and_single_intervals_often():
    rng = np.random.default_rng(1)
    torn, single = 0, 0
    for _ in range(200):
        episodes = rng.normal(size=(40, 8))
        draws = np.array([episodes[rng.integers(0, 40, 40)].mean(axis=0) for _ in range(300)]).T
        found = simultaneous_intervals(episodes.mean(axis=0), draws, units=40)
        torn += found.excludes_zero.any()
        low, high = np.quantile(draws, [0.025, 0.975], axis=1)
        single += ((low > 0) | (high < 0)).any()
    assert torn / 200 <= 0.1
    assert single / 200 >= 0.2


def test_numbers_without_variance_and_undefined_ones():
    draws = np.array([[0.5, 0.5, 0.5], [0.0, 0.0, 0.0], [np.nan] * 3, [0.1, 0.3, 0.2]])
    found = simultaneous_intervals(np.array([0.5, 0.0, 0.1, 0.2]), draws)
    assert found.excludes_zero.tolist()[:3] == [True, False, False]
    assert (found.low[0], found.high[0]) == (0.5, 0.5)
    assert np.isnan(found.low[2])


def test_two_replicates_of_one_world_have_intervals_without_a_warning():
    draws = np.array([[0.4, 0.6], [0.3, 0.3]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = simultaneous_intervals(np.array([0.5, 0.3]), draws, units=1)
    assert found.low.tolist() == [-np.inf, 0.3]
    assert found.high.tolist() == [np.inf, 0.3]


def test_values_and_draws_belong_together():
    with pytest.raises(InvalidParameter, match="draws has shape"):
        simultaneous_intervals(np.zeros(2), np.zeros((3, 10)))
