"""Readings of scores, against scikit-learn and by hand."""

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, roc_curve

from offnominal.papers.ood_rl.separation import measure_separation, youden

pytestmark = pytest.mark.long


def auc(positive, negative):
    labels = np.repeat([1, 0], [len(positive), len(negative)])
    return roc_auc_score(labels, np.concatenate([positive, negative]))


@pytest.fixture
def twins():
    """Episodes of different lengths; scores have ties."""
    rng = np.random.default_rng(3)
    nominal = [rng.integers(0, 9, size).astype(float) for size in (20, 20, 12)]
    changed = [rng.integers(3, 12, size).astype(float) for size in (7, 20, 15)]
    return nominal, changed


def test_all_steps_count_as_published(twins):
    nominal, changed = twins
    reading = measure_separation(nominal, changed, [np.ones(len(each), bool) for each in changed])
    assert reading.auc == pytest.approx(auc(np.concatenate(changed), np.concatenate(nominal)))


def test_equal_length_compares_the_steps_that_both_twins_have(twins):
    nominal, changed = twins
    reading = measure_separation(nominal, changed, [np.ones(len(each), bool) for each in changed])
    lengths = [7, 20, 12]
    cut = [[each[:size] for each, size in zip(part, lengths, strict=True)] for part in (changed, nominal)]
    assert reading.auc_equal == pytest.approx(auc(*map(np.concatenate, cut)))
    means = [[each.mean() for each in part] for part in cut]
    assert reading.auc_equal_mean == pytest.approx(auc(*means))


def test_the_clock_is_worth_nothing_at_equal_length():
    clock = [np.arange(200.0)] * 5
    short = [np.arange(size, dtype=float) for size in (20, 30, 25, 40, 22)]
    reading = measure_separation(clock, short, [np.ones(len(each), bool) for each in short])
    assert reading.auc < 0.2
    assert reading.auc_max == 0.0
    assert reading.auc_equal == 0.5


def test_steps_before_the_onset_are_unchanged_ones(twins):
    nominal, changed = twins
    active = [np.arange(len(each)) >= 5 for each in changed]
    reading = measure_separation(nominal, changed, active)
    positive = np.concatenate([each[5:] for each in changed])
    negative = np.concatenate([*nominal, *(each[:5] for each in changed)])
    assert reading.auc == pytest.approx(auc(positive, negative))
    maxima = [[each[5:].max() for each in part] for part in (changed, nominal)]
    assert reading.auc_max == pytest.approx(auc(*maxima))


def test_an_episode_that_ends_before_the_onset_says_nothing():
    active = [np.zeros(3, bool)]
    reading = measure_separation([np.arange(9.0)], [np.arange(3.0)], active)
    assert math.isnan(reading.auc)
    assert math.isnan(reading.threshold)


def test_the_threshold_maximises_youdens_j(twins):
    nominal, changed = (np.sort(np.concatenate(part)) for part in twins)
    threshold, true_rate, false_rate = youden(changed, nominal)
    labels = np.repeat([1, 0], [len(changed), len(nominal)])
    false, true, _ = roc_curve(labels, np.concatenate([changed, nominal]))
    assert true_rate - false_rate == pytest.approx((true - false).max())
    assert true_rate == pytest.approx((changed >= threshold).mean())
    assert false_rate == pytest.approx((nominal >= threshold).mean())
