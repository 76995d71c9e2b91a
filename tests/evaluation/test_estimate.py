"""Estimates have intervals, and share their bootstrap draws."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.evaluation import Estimate, average, average_over_seeds


def test_the_interval_leaves_a_fortieth_of_the_draws_on_each_side():
    number = Estimate(0.5, np.random.default_rng(0).permutation(np.arange(1.0, 1000.0)))
    assert (number.low, number.high) == (25.0, 975.0)


def test_few_draws_give_their_full_range():
    number = Estimate(0.5, np.array([0.3, 0.9, 0.5]))
    assert (number.low, number.high) == (0.3, 0.9)


def test_undefined_draws_do_not_count():
    number = Estimate(0.5, np.array([np.nan, 0.4, 0.6, np.nan]))
    assert (number.low, number.high) == (0.4, 0.6)


def test_draws_may_be_infinite():
    number = Estimate(-np.inf, np.array([-np.inf, -np.inf, 1.0, np.inf, np.inf]))
    assert (number.low, number.high) == (-np.inf, np.inf)


def test_undefined_estimates_have_no_interval():
    number = Estimate.of(np.array([np.nan, 0.3, 0.4]))
    assert number.value is number.low is number.high is None
    assert str(number) == "–"


def test_without_draws_there_is_no_interval():
    assert str(Estimate(0.5)) == "0.500"
    assert Estimate(0.5).low is Estimate(0.5).high is None


def test_a_difference_is_taken_replicate_by_replicate():
    rng = np.random.default_rng(0)
    shared, own = rng.normal(size=1000), 0.01 * rng.normal(size=1000)
    gap = Estimate(0.7, 0.7 + shared) - Estimate(0.5, 0.5 + shared + own)
    assert gap.value == pytest.approx(0.2)
    assert gap.high - gap.low < 0.06
    assert (Estimate(None) - Estimate(0.5)).value is None


def test_a_mean_needs_all_its_members():
    assert average([Estimate(0.2), Estimate(0.6)]).value == pytest.approx(0.4)
    assert average([Estimate(0.2), Estimate(None)]).value is None
    assert average([Estimate(0.0, np.array([1.0, 2.0])), Estimate(0.0, np.array([3.0, 6.0]))]).draws.tolist() == [2, 4]


@pytest.mark.parametrize("mean", [average, average_over_seeds])
def test_estimates_that_cannot_be_averaged_are_refused(mean):
    with pytest.raises(InvalidParameter, match="no estimates"):
        mean([])
    with pytest.raises(InvalidParameter, match="different numbers of replicates"):
        mean([Estimate(0.5, np.zeros(3)), Estimate(0.5, np.zeros(4))])


def test_runs_are_drawn_the_same_for_every_number():
    runs = np.arange(5.0)
    first = average_over_seeds([Estimate(run, np.full(200, run)) for run in runs], seed=1)
    twice = average_over_seeds([Estimate(2 * run, np.full(200, 2 * run)) for run in runs], seed=1)
    other = average_over_seeds([Estimate(run, np.full(200, run)) for run in runs], seed=2)
    np.testing.assert_allclose(twice.draws, 2 * first.draws)
    assert not np.array_equal(first.draws, other.draws)
    assert first.value == 2.0


def test_the_interval_over_runs_contains_both_sources_of_variance():
    rng = np.random.default_rng(3)
    runs, draws = rng.normal(0.0, 0.3, 12), rng.normal(0.0, 0.4, 4000)
    over = average_over_seeds([Estimate(run, run + draws) for run in runs])
    expected = np.sqrt(np.var(runs) / 12 + 0.16)
    assert over.draws.std() == pytest.approx(expected, rel=0.05)


def test_few_units_have_wider_intervals_as_students_distribution_does():
    draws = np.random.default_rng(0).normal(size=200_000)
    expected = {10: np.sqrt(10 / 9) * 2.262, 50: np.sqrt(50 / 49) * 2.010}
    for units, end in expected.items():
        assert Estimate(0.0, draws, units).high == pytest.approx(end, abs=0.05)
    assert (Estimate(0.0, draws[:99], 1).low, Estimate(0.0, draws[:99], 1).high) == (
        draws[:99].min(),
        draws[:99].max(),
    )


def test_a_share_of_few_units_has_its_exact_interval_even_if_no_replicate_differs():
    certain = Estimate(1.0, np.ones(500), 10, share=True)
    assert (certain.low, certain.high) == (pytest.approx(0.6915, abs=1e-4), 1.0)
    wide = Estimate(0.5, np.linspace(0.0, 1.0, 1001), 10, share=True)
    assert wide.low < 0.02


def test_a_combination_has_the_units_of_its_smallest_part_and_is_no_share():
    parts = [Estimate(0.5, np.zeros(9), units, share=True) for units in (30, 10)]
    for found in (parts[0] - parts[1], average(parts)):
        assert (found.units, found.share) == (10, False)
    assert average([Estimate(0.5, np.zeros(9)), parts[0]]).units == 30
