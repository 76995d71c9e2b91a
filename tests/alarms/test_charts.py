"""Control charts follow their recurrence formulas."""

import numpy as np
import pytest

from offnominal.alarms import (
    AlarmState,
    EpisodeCusum,
    EpisodeEwma,
    EpisodeMaximum,
    alarms,
    make_alarm,
    simulate_scores,
)

SCORES = simulate_scores(60, steps=(5, 25), seed=8)
FRESH = [2.0 * episode for episode in simulate_scores(20, steps=(5, 25), seed=9)]


def standardised(alarm, episode):
    pooled = np.concatenate([SCORES[number] for number in range(0, 60, 5)])
    assert alarm.mean_ == pytest.approx(pooled.mean())
    assert alarm.deviation_ == pytest.approx(pooled.std())
    return [(score - alarm.mean_) / alarm.deviation_ for score in episode]


@pytest.mark.parametrize("id", [id for id in alarms.ids() if id != "WindowMaximum"])
def test_whole_episodes_have_the_bits_of_single_steps(id):
    alarm = make_alarm(id).fit(SCORES)
    episodes = [*FRESH, np.array([1e30, -1e30, 0.0, -0.0, 5.0])]
    for episode, values in zip(episodes, alarm.statistic(episodes), strict=True):
        state, expected = alarm.start(1), []
        for score in episode:
            state, statistic = alarm.update_statistic(state, np.array([score]))
            expected.append(statistic[0])
        assert values.tobytes() == np.array(expected).tobytes()


@pytest.mark.parametrize("id", ["EpisodeCusum", "EpisodeEwma", "EpisodeMaximum", "TimeBand"])
def test_a_long_episode_needs_no_call_per_step(id, monkeypatch):
    alarm = make_alarm(id).fit(SCORES)
    monkeypatch.setattr(AlarmState, "after", lambda *_: pytest.fail("a call for one step"))
    assert len(alarm.statistic([np.ones(100_000)])[0]) == 100_000


def test_a_statistic_of_your_own_is_computed_step_by_step():
    class Doubled(EpisodeCusum):
        def update_statistic(self, state, scores):
            return state.after(), 2.0 * scores

    np.testing.assert_array_equal(Doubled(alpha=0.1).fit(SCORES).statistic([[1.0, 3.0]])[0], [2.0, 6.0])


@pytest.mark.parametrize("weight", [0.05, 0.5, 1.0])
def test_the_moving_average_starts_at_the_nominal_mean_and_follows(weight):
    alarm = EpisodeEwma(alpha=0.1, weight=weight).fit(SCORES)
    for episode, values in zip(FRESH, alarm.statistic(FRESH), strict=True):
        average, expected = 0.0, []
        for score in standardised(alarm, episode):
            average += weight * (score - average)
            expected.append(average)
        np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("drift", [0.0, 0.5, 2.0])
def test_the_sum_grows_by_the_excess_and_never_falls_below_zero(drift):
    alarm = EpisodeCusum(alpha=0.1, drift=drift).fit(SCORES)
    for episode, values in zip(FRESH, alarm.statistic(FRESH), strict=True):
        total, expected = 0.0, []
        for score in standardised(alarm, episode):
            total = max(0.0, total + score - drift)
            expected.append(total)
        np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-12)


def test_a_weight_of_one_gives_the_score_itself():
    ranked = [episode for number, episode in enumerate(SCORES) if number % 5]
    raw = EpisodeMaximum(alpha=0.1).fit(ranked)
    assert EpisodeEwma(alpha=0.1, weight=1.0).fit(SCORES).first_alarms(FRESH) == raw.first_alarms(FRESH)


@pytest.mark.parametrize("kind", [EpisodeEwma, EpisodeCusum])
def test_the_unit_of_the_scores_does_not_matter(kind):
    alarm, scaled = kind(alpha=0.1).fit(SCORES), kind(alpha=0.1).fit([1024.0 * episode for episode in SCORES])
    assert any(step is not None for step in alarm.first_alarms(FRESH))
    assert scaled.first_alarms([1024.0 * episode for episode in FRESH]) == alarm.first_alarms(FRESH)


@pytest.mark.parametrize("kind", [EpisodeEwma, EpisodeCusum])
def test_constant_scores_have_unit_deviation(kind):
    alarm = kind(alpha=0.1).fit([[2.0] * 5] * 30)
    assert (alarm.mean_, alarm.deviation_, alarm.threshold_) == (2.0, 1.0, 0.0)
    assert alarm.first_alarms([[2.0] * 9, [2.0, 2.0, 4.0]]) == [None, 2]


@pytest.mark.parametrize("kind", [EpisodeEwma, EpisodeCusum])
def test_an_alarm_clears_when_the_scores_are_nominal_again(kind):
    alarm = kind(alpha=0.1).fit(SCORES)
    (raised,) = alarm.alarm([[1.0] * 5 + [9.0] * 20 + [0.5] * 1000])
    assert raised.any()
    assert not raised[0]
    assert not raised[-1]


def test_charts_detect_a_small_shift_that_the_maximum_misses():
    options = {"steps": 60, "correlation": 0.0, "between": 0.0}
    nominal = simulate_scores(200, seed=10, **options)
    shifted = [1.4 * episode for episode in simulate_scores(200, seed=11, **options)]
    seen = {
        kind: sum(step is not None for step in kind(alpha=0.05).fit(nominal).first_alarms(shifted))
        for kind in (EpisodeMaximum, EpisodeEwma, EpisodeCusum)
    }
    assert seen[EpisodeMaximum] < 80
    assert seen[EpisodeEwma] > 170
    assert seen[EpisodeCusum] > 170
