"""The band follows the nominal scores at each step."""

import numpy as np
import pytest

from offnominal.alarms import EpisodeMaximum, TimeBand, simulate_scores
from offnominal.alarms.time_band import MIN_EPISODES, MIN_WIDTH


def loud_start(episodes, loud=10):
    return [np.where(np.arange(len(episode)) < loud, 8.0 * episode, episode) for episode in episodes]


def pooled(reference, t, half_window):
    return np.concatenate([episode[max(0, t - half_window) : t + half_window + 1] for episode in reference])


@pytest.mark.parametrize("half_window", [0, 2, 50])
def test_centre_and_width_are_those_of_the_steps_around(half_window):
    scores = loud_start(simulate_scores(60, steps=20, seed=12))
    alarm = TimeBand(alpha=0.1, half_window=half_window).fit(scores)
    reference = scores[::5]
    centres = [pooled(reference, t, half_window).mean() for t in range(20)]
    np.testing.assert_allclose(alarm.centres_, centres, rtol=1e-12)
    apart = [(episode - centres) ** 2 for episode in reference]
    floor = MIN_WIDTH * np.sqrt(np.mean(apart))
    widths = [max(np.sqrt(pooled(apart, t, half_window).mean()), floor) for t in range(20)]
    np.testing.assert_allclose(alarm.widths_, widths, rtol=1e-12)


def test_the_statistic_is_the_distance_from_the_centre_in_widths():
    scores = loud_start(simulate_scores(60, steps=20, seed=13))
    alarm = TimeBand(alpha=0.1).fit(scores)
    fresh = scores[7]
    np.testing.assert_allclose(alarm.statistic([fresh])[0], (fresh - alarm.centres_) / alarm.widths_, rtol=1e-12)
    np.testing.assert_array_equal(alarm.alarm([fresh])[0], fresh > alarm.band(20))


def test_after_the_last_step_that_enough_episodes_reached_the_band_is_held():
    lengths = [30, 28, 26, 24, 22, 9, 9, 9]
    reference = [episode[:length] for episode, length in zip(simulate_scores(8, steps=30), lengths, strict=True)]
    scores = [reference[number // 5] if number % 5 == 0 else np.ones(12) for number in range(40)]
    alarm = TimeBand(alpha=0.1, half_window=1).fit(scores)
    assert len(alarm.centres_) == len(alarm.widths_) == lengths[MIN_EPISODES - 1]
    band = alarm.band(40)
    assert (band[22:] == band[21]).all()
    assert band[20] != band[21]
    np.testing.assert_array_equal(alarm.alarm([np.full(40, band[21])])[0], np.full(40, band[21]) > band)


def test_few_reference_episodes_end_the_band_at_the_shortest():
    scores = simulate_scores(15, steps=(5, 9), seed=14)
    assert len(TimeBand(alpha=0.2).fit(scores).centres_) == min(len(scores[number]) for number in (0, 5, 10))


def test_a_step_with_constant_nominal_scores_has_a_width():
    scores = [np.concatenate([[1.0], episode]) for episode in simulate_scores(100, steps=20, seed=15)]
    alarm = TimeBand(alpha=0.1, half_window=0).fit(scores)
    assert alarm.widths_[0] == alarm.widths_.min() > 0.0
    assert alarm.first_alarms([[1.0 + alarm.threshold_ * alarm.widths_[0] * 0.9]]) == [None]
    constant = TimeBand(alpha=0.1).fit([[2.0] * 5] * 30)
    assert (constant.widths_ == MIN_WIDTH).all()
    assert constant.first_alarms([[2.0] * 9, [2.0, 2.1]]) == [None, 1]


def test_a_late_fault_is_detected_after_large_early_scores():
    nominal, fresh = (loud_start(simulate_scores(200, steps=60, seed=seed)) for seed in (16, 17))
    faulty = [np.where(np.arange(60) < 30, episode, 4.0 * episode) for episode in fresh]
    seen = {
        kind: sum(step is not None and step >= 30 for step in kind.fit(nominal).first_alarms(faulty))
        for kind in (TimeBand(alpha=0.05, half_window=2), EpisodeMaximum(alpha=0.05))
    }
    band, flat = seen.values()
    assert band > 100
    assert flat < 40
