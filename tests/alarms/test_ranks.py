"""Ranks follow the textbook formulas, and the numbers of episodes are the smallest possible."""

from decimal import ROUND_CEILING, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincinv
from scipy.stats import binom

from offnominal.alarms.ranks import chance_of_successes, conformal_rank, episodes_needed, pac_rank

HUNDREDTHS = st.integers(1, 99)


@given(n=st.integers(1, 500), hundredths=HUNDREDTHS)
def test_the_conformal_rank_is_the_formula_in_decimal_arithmetic(n, hundredths):
    exact = Decimal(n + 1) * (1 - Decimal(hundredths) / 100)
    assert conformal_rank(n, hundredths / 100) == int(exact.to_integral_value(ROUND_CEILING))


@pytest.mark.parametrize(("n", "alpha", "rank"), [(9, 0.7, 3), (9, 0.3, 7), (99, 0.01, 99), (100, 1e-2, 100)])
def test_a_level_is_read_as_a_decimal_number(n, alpha, rank):
    """0.7 and 0.3 are not exact in binary; ceil(10 * (1 - 0.7)) is 4 in floating point."""
    assert conformal_rank(n, alpha) == rank
    assert conformal_rank(n, np.float64(alpha)) == rank


@given(n=st.integers(1, 400), hundredths=HUNDREDTHS, confidence=st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99]))
def test_the_pac_rank_is_the_smallest_whose_rate_is_low_enough_with_confidence(n, hundredths, confidence):
    """The rate of rank r is at most alpha if at most r - 1 of n calibration maxima lie below the quantile 1 - alpha."""
    alpha = hundredths / 100
    sure = binom.cdf(np.arange(n), n, 1 - alpha)
    enough = np.flatnonzero(sure >= confidence)
    if np.min(np.abs(sure - confidence)) > 1e-12:
        assert pac_rank(n, alpha, confidence) == (enough[0] + 1 if enough.size else n + 1)


@pytest.mark.parametrize("alpha", [0.5, 0.3, 0.1, 0.05, 0.01, 0.001])
@pytest.mark.parametrize("confidence", [None, 0.5, 0.95, 0.999])
def test_a_threshold_exists_from_the_needed_number_of_episodes_on(alpha, confidence):
    def rank(n):
        return conformal_rank(n, alpha) if confidence is None else pac_rank(n, alpha, confidence)

    needed = episodes_needed(alpha, confidence)
    assert rank(needed) == needed
    assert rank(needed - 1) == needed


def test_known_numbers_of_episodes():
    assert [episodes_needed(alpha) for alpha in (0.1, 0.05, 0.01)] == [9, 19, 99]
    assert [episodes_needed(alpha, 0.95) for alpha in (0.1, 0.05, 0.01)] == [29, 59, 299]


@pytest.mark.parametrize("n", [1, 20, 317, 10_000])
@pytest.mark.parametrize("probability", [0.05, 0.5, 0.99])
def test_the_chance_of_successes_is_a_quantile_of_the_beta_distribution(n, probability):
    for least in sorted({1, n // 20 + 1, n // 2 + 1, n}):
        expected = betaincinv(least, n + 1 - least, probability)
        assert chance_of_successes(least, n, probability) == pytest.approx(expected, rel=1e-9)
