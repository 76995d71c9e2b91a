"""The bootstrap draws whole episodes, and its intervals cover."""

import numpy as np
import pytest

from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.estimate import average_over_seeds


def test_every_replicate_has_as_many_episodes_and_the_first_is_the_data():
    counts = Resamples.draw(17, 300, seed=4).counts
    assert counts.shape == (17, 301)
    assert (counts[:, 0] == 1).all()
    assert (counts.sum(axis=0) == 17).all()
    assert (counts[:, 1:] == 0).any(axis=0).all()
    assert counts[:, 1:].mean(axis=1) == pytest.approx(1.0, abs=0.25)
    assert (counts[:, 1:] == 0).mean() == pytest.approx((1 - 1 / 17) ** 17, abs=0.02)


def test_draws_depend_on_size_and_seed_alone():
    one = Resamples.draw(8, 50, seed=4).counts
    np.testing.assert_array_equal(one, Resamples.draw(8, 50, seed=4).counts)
    np.testing.assert_array_equal(one[:, :20], Resamples.draw(8, 19, seed=4).counts)
    assert not np.array_equal(one, Resamples.draw(8, 50, seed=5).counts)
    assert not np.array_equal(one, Resamples.draw_nominal(8, 50, seed=4).counts)


def lower_median(values):
    return np.sort(values)[(len(values) - 1) // 2]


@pytest.mark.parametrize("n", [1, 2, 7, 12])
def test_means_medians_and_ratios_are_those_of_the_episodes_written_out(n):
    rng = np.random.default_rng(n)
    resamples = Resamples.draw(n, 40, seed=n)
    values, sizes = rng.integers(0, 5, n).astype(float), rng.integers(1, 9, n).astype(float)
    some = np.where(rng.random(n) < 0.3, np.nan, values)
    mean, median = resamples.mean(some), resamples.median(some)
    ratio = resamples.ratio(values, sizes)
    for replicate in range(1, 41):
        drawn = np.repeat(np.arange(n), resamples.counts[:, replicate])
        known = some[drawn][~np.isnan(some[drawn])]
        expected = (known.mean(), lower_median(known)) if known.size else (np.nan, np.nan)
        found = mean.draws[replicate - 1], median.draws[replicate - 1]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert ratio.draws[replicate - 1] == pytest.approx(values[drawn].sum() / sizes[drawn].sum())
    known = some[~np.isnan(some)]
    if known.size:
        assert (mean.value, median.value) == pytest.approx((known.mean(), lower_median(known)))


def test_rows_follow_the_episode_they_belong_to():
    resamples = Resamples.draw(3, 10)
    np.testing.assert_array_equal(resamples.take(np.array([2, 0, 2])).counts, resamples.counts[[2, 0, 2]])


def covered(estimates, truth):
    return np.mean([estimate.low <= truth <= estimate.high for estimate in estimates])


def test_95_percent_intervals_cover_95_percent():
    rng = np.random.default_rng(0)
    resamples = Resamples.draw(80, 400)
    samples = rng.exponential(1.0, (300, 80))
    assert covered([resamples.mean(sample) for sample in samples], 1.0) == pytest.approx(0.95, abs=0.035)
    assert covered([resamples.median(sample) for sample in samples], np.log(2.0)) == pytest.approx(0.95, abs=0.035)


def test_intervals_over_training_runs_cover_where_those_of_one_run_do_not():
    rng = np.random.default_rng(1)
    resamples = Resamples.draw(40, 300)
    alone, over = [], []
    for trial in range(150):
        runs = rng.normal(0.0, 0.3, (15, 1)) + rng.normal(0.0, 1.0, 40) + rng.normal(0.0, 0.3, (15, 40))
        estimates = [resamples.mean(run) for run in runs]
        alone.append(estimates[0])
        over.append(average_over_seeds(estimates, seed=trial))
    assert covered(over, 0.0) == pytest.approx(0.94, abs=0.05)
    assert covered(alone, 0.0) < 0.75
