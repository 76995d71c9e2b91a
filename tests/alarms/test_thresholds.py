"""The three published thresholds follow their formulas."""

import numpy as np
import pytest

from offnominal.alarms import Maximum, Quantile, ThreeSigma, simulate_scores

SCORES = simulate_scores(10, steps=(3, 30), seed=4)
POOLED = sorted(float(score) for episode in SCORES for score in episode)


def test_three_sigma_is_the_mean_and_three_population_deviations():
    mean = sum(POOLED) / len(POOLED)
    variance = sum((score - mean) ** 2 for score in POOLED) / len(POOLED)
    assert ThreeSigma().fit(SCORES).threshold_ == pytest.approx(mean + 3 * variance**0.5, rel=1e-12)


def test_the_quantile_is_the_interpolated_95th_percentile():
    place = 0.95 * (len(POOLED) - 1)
    below = int(place)
    expected = POOLED[below] + (place - below) * (POOLED[below + 1] - POOLED[below])
    assert Quantile().fit(SCORES).threshold_ == pytest.approx(expected, rel=1e-12)


def test_the_maximum_is_the_largest_of_all():
    assert Maximum().fit(SCORES).threshold_ == POOLED[-1]


@pytest.mark.parametrize("rule", [ThreeSigma, Quantile, Maximum])
def test_the_alarm_is_raised_above_the_threshold_and_not_at_it(rule):
    alarm = rule().fit(SCORES)
    scores = [alarm.threshold_, np.nextafter(alarm.threshold_, np.inf), alarm.threshold_ - 1.0]
    assert alarm.alarm([scores])[0].tolist() == [False, True, False]
    assert alarm.first_alarms([scores]) == [1]
    assert alarm.update(alarm.start(3), scores)[1].tolist() == [False, True, False]


@pytest.mark.parametrize("rule", [ThreeSigma, Quantile, Maximum])
def test_they_have_no_guarantee(rule):
    guarantee = rule().guarantee
    assert (guarantee.kind, guarantee.level, guarantee.confidence) == ("none", None, None)
    assert rule().fit(SCORES).rate_distribution is None
