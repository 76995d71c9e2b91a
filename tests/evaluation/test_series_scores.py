"""Scores of the literature on time series equal values of independent programs, and hand-computed cases."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, f1_score

from offnominal.evaluation import InvalidLabels, event_f1, measure_series, nab_score, vus
from offnominal.evaluation.series_scores import PROFILES


def case():
    """A series with neighbouring events, one at the end, one of a single step, and ties among the scores."""
    labels = np.zeros(400, bool)
    for begin, end in ((100, 120), (125, 150), (300, 301), (390, 400)):
        labels[begin:end] = True
    scores = np.round(np.random.default_rng(7).normal(size=400) + 1.5 * labels, 1)
    return scores, labels


# Values of a program of our own that follows the published code step by step: threshold by threshold, margin by margin.
@pytest.mark.parametrize(
    ("window", "pr", "roc"),
    [
        (0, 0.620576837684055, 0.8755450581395348),
        (1, 0.620576837684055, 0.8755450581395348),
        (5, 0.6073529116004694, 0.8644323312138303),
        (40, 0.6069608490841586, 0.8449801040702092),
    ],
)
def test_the_volumes_are_those_of_the_published_procedure(window, pr, roc):
    assert vus(*case(), window=window) == pytest.approx((pr, roc), rel=1e-12)


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("standard", 78.79964057885316),
        ("reward_low_FP_rate", 59.120548183194586),
        ("reward_low_FN_rate", 85.86642705256878),
    ],
)
def test_the_nab_score_is_that_of_the_published_procedure(profile, expected):
    scores, labels = case()
    labels[300] = False  # the published program divides by the width of an interval minus one
    assert nab_score(scores > 1.5, labels, profile=profile) == pytest.approx(expected, rel=1e-12)
    assert set(PROFILES) == {"standard", "reward_low_FP_rate", "reward_low_FN_rate"}


def test_the_nab_scale_has_its_ends_and_its_published_shape():
    labels = np.isin(np.arange(200), range(100, 120))
    at = np.arange(200)
    assert nab_score(at < 0, labels) == 0.0
    assert nab_score(at == 100, labels) == 100.0
    # Half of an interval later: (2 / (1 + exp(-2.5)) - 1) / (2 / (1 + exp(-5)) - 1) = 0.8598.
    assert nab_score(at == 110, labels) == pytest.approx(50.0 * (1.0 + 0.84828 / 0.98661), abs=1e-3)
    assert nab_score(at >= 30, labels) < -100.0
    assert nab_score(at < 30, labels) == 0.0  # the first 15 % do not count
    assert nab_score(at == 121, labels) > nab_score(at == 180, labels) == pytest.approx(-5.5, abs=1e-3)


def test_a_perfect_score_has_the_whole_volume_and_a_random_one_does_not():
    scores, labels = case()
    assert vus(labels.astype(float), labels, window=0) == pytest.approx((1.0, 1.0))
    perfect, random = vus(labels.astype(float), labels, window=20), vus(scores[::-1], labels, window=20)
    assert perfect[0] > 0.8
    assert random[0] < 0.5
    with pytest.raises(InvalidLabels, match="every step is nominal"):
        vus(scores, np.zeros(400, bool))


def test_events_are_counted_without_point_adjustment():
    labels = np.isin(np.arange(100), [*range(10, 20), *range(40, 50), *range(70, 80)])
    alarms = np.isin(np.arange(100), [12, 15, 18, 55, 56, 60, 79, 80, 81])
    # Found: the first and the last event. Missed: the second. False: two intervals of alarms.
    assert event_f1(alarms, labels) == pytest.approx(4 / 7)
    assert event_f1(~labels & (np.arange(100) > 90), labels) == 0.0


def test_rates_are_those_of_the_confusion_matrix():
    scores, labels = case()
    alarms = scores > 1.5
    found = measure_series(scores, labels, alarms, window=10)
    (tn, fp), (fn, tp) = confusion_matrix(labels, alarms)
    assert (found.far, found.mar) == pytest.approx((fp / (fp + tn), fn / (fn + tp)))
    assert found.f1 == pytest.approx(f1_score(labels, alarms))
    assert (found.vus_pr, found.vus_roc) == vus(scores, labels, window=10)
    assert found.nab == nab_score(alarms, labels)


def test_what_cannot_be_scored_is_a_named_error():
    scores, labels = case()
    with pytest.raises(InvalidLabels, match="every labelled interval is in the first 60 steps"):
        nab_score(labels, np.arange(400) == 20)
    with pytest.raises(InvalidLabels, match="every step is faulty"):
        event_f1(labels, np.ones(400, bool))
    with pytest.raises(InvalidLabels, match="alarms"):
        measure_series(scores, labels, labels[:-1])
    with pytest.raises(ValueError, match="profile"):
        nab_score(labels, labels, profile="kind")
