"""An alarm is on time, late, early, missing or false."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.evaluation import measure_false_alarms, measure_timing


def at(length, *steps):
    alarms = np.zeros(length, np.bool_)
    alarms[list(steps)] = True
    return alarms


ALARMS = [at(30, 10), at(30, 9, 16), at(30, 9), at(30, 25, 27), at(30, 10), at(5)]
ONSETS = [10, 10, 10, 10, None, 7]


def test_every_fraction_is_counted_from_the_alarms():
    found = measure_timing(ALARMS, ONSETS, within=(0, 5, 6, 15), replicates=0)
    assert (found.episodes, found.faulty, found.never_faulty) == (6, 4, 2)
    assert found.miss_rate.value == 0.25
    assert found.early_rate.value == 0.5
    assert {j: share.value for j, share in found.within.items()} == {0: 0.25, 5: 0.25, 6: 0.5, 15: 0.75}
    assert {j: share.value for j, share in found.within_without_early_alarm.items()} == {
        0: 0.5,
        5: 0.5,
        6: 0.5,
        15: 1.0,
    }
    assert found.median_delay.value == 6
    assert found.false_alarms is None


def test_at_least_half_of_the_faults_are_detected_within_the_median_delay():
    assert measure_timing([at(30, 15), at(30), at(30, 12)], [10, 10, 10], replicates=0).median_delay.value == 5
    assert measure_timing([at(30), at(30, 12)], [10, 10], replicates=0).median_delay.value == 2


def test_where_more_than_half_are_missed_there_is_no_median_delay():
    found = measure_timing([at(30), at(30), at(30, 12)], [10, 18, 10], replicates=0)
    assert found.median_delay.value == np.inf
    assert found.median_delay.columns("median_delay")["median_delay"] is None


@pytest.mark.parametrize("length", [12, 30, 500])
def test_the_length_of_an_episode_after_a_miss_makes_no_difference(length):
    found = measure_timing([at(length), at(60, 25), at(60, 15)], [10, 10, 10], replicates=0)
    assert found.median_delay.value == 15


def test_the_interval_of_a_median_delay_has_no_end_where_it_may_not_exist():
    alarms = [at(30, 12) if episode % 2 else at(30) for episode in range(20)]
    found = measure_timing(alarms, [10] * 20).median_delay
    assert (found.value, found.low, found.high) == (2, 2, np.inf)
    assert found.columns("d") == {"d": 2, "d_low": 2, "d_high": None}


def test_a_miss_costs_the_horizon_however_short_its_episode_is():
    found = measure_timing([at(12), at(40, 14)], [10, 10], horizon=8, replicates=0)
    assert found.mean_delay.value == 6.0
    assert found.curve.at_risk.tolist() == [2, 2, 1, 1, 1]
    assert found.horizon == 8


def crashes_and_others(crash, other):
    """Return the timing of four episodes that crash 3 steps after their onset, and of four that last."""
    alarms = [at(13) if crash is None else at(13, 10 + crash)] * 4 + [at(60, 10 + other)] * 4
    return measure_timing(alarms, [10] * 8, failed=[True] * 4 + [False] * 4)


def test_missing_every_crash_does_not_shorten_the_delay():
    everything = measure_timing([at(60, 15)] * 8, [10] * 8, replicates=0)
    assert everything.mean_delay.value == 5.0
    assert crashes_and_others(None, 5).mean_delay.value == 12.5


def test_catching_every_crash_is_better_than_missing_all_and_a_little_faster_elsewhere():
    bad, good = crashes_and_others(None, 4), crashes_and_others(2, 7)
    assert (bad.mean_delay.value, good.mean_delay.value) == (12.0, 4.5)
    assert (bad.curve.failed.share[-1], good.curve.failed.share[-1]) == (0.5, 0.0)
    assert (bad.failures.detected_before.value, good.failures.detected_before.value) == (0.0, 0.0)
    assert crashes_and_others(1, 7).failures.detected_before.value == 1.0
    assert crashes_and_others(0, 7).failures.lead_time.value == 2.0


def test_the_mean_delay_is_the_area_above_the_cumulative_incidence():
    rng = np.random.default_rng(3)
    lengths = rng.integers(12, 60, 40)
    alarms = [rng.random(length) < 0.05 for length in lengths]
    found = measure_timing(alarms, [10] * 40, failed=(rng.random(40) < 0.5).tolist(), replicates=0)
    share = found.curve.detected.share
    shares = np.append(share, np.full(20, share[-1]))[:20]
    assert found.mean_delay.value == pytest.approx(np.sum(1.0 - shares))
    assert found.within[10].value == pytest.approx(share[10])
    assert 1.0 - found.miss_rate.value == pytest.approx(share[-1])


def test_an_alarm_that_never_stops_is_on_time_and_early():
    found = measure_timing([np.ones(20, np.bool_)] * 3, [5, 6, 7], replicates=0)
    assert found.median_delay.value == found.miss_rate.value == 0.0
    assert found.early_rate.value == 1.0
    assert found.within_without_early_alarm[5].value is None


def test_a_fault_at_the_first_step_has_no_early_alarms():
    found = measure_timing([at(9, 0), at(9, 3)], [0, 0], replicates=0)
    assert found.early_rate.value == 0.0
    assert found.within[5].value == 1.0


def test_without_faults_there_is_no_timing():
    found = measure_timing([at(5), at(5, 2)], [None, 5])
    assert found.faulty == 0
    assert all(number.value is None and number.low is None for number in found.numbers().values())
    assert len(found.curve.delays) == 0


def test_false_alarms_are_counted_by_step_and_by_episode():
    false = measure_false_alarms([at(100, 3, 4, 5), at(100), at(50, 0)], replicates=0)
    assert false.steps_in_alarm.value == pytest.approx(16.0)
    assert false.per_1000_steps.value == pytest.approx(1000.0 * 2 / (4 + 100 + 1))
    assert false.episodes.value == pytest.approx(2 / 3)
    found = measure_timing(ALARMS, ONSETS, nominal=[at(100, 3, 4, 5), at(100), at(50, 0)], replicates=0)
    assert {"false_alarms", "steps_in_alarm", "false_alarm_episodes"} < found.numbers().keys()


def test_every_number_has_an_interval_around_it():
    rng = np.random.default_rng(0)
    alarms = [rng.random(60) < 0.08 for _ in range(150)]
    found = measure_timing(alarms, rng.integers(5, 50, 150).tolist(), nominal=alarms)
    for name, number in found.numbers().items():
        assert number.low <= number.value <= number.high, name
        assert number.low < number.high, name


def test_delays_of_a_memoryless_alarm_are_geometric():
    rng = np.random.default_rng(1)
    alarms = [rng.random(200) < 0.1 for _ in range(3000)]
    found = measure_timing(alarms, [20] * 3000)
    assert found.within[5].low < 1 - 0.9**6 < found.within[5].high
    assert found.mean_delay.low < sum(0.9 ** (d + 1) for d in range(20)) < found.mean_delay.high
    assert found.early_rate.low < 1 - 0.9**20 < found.early_rate.high
    assert found.median_delay.value == 6.0


def test_a_horizon_must_be_positive():
    with pytest.raises(InvalidParameter, match="horizon"):
        measure_timing(ALARMS, ONSETS, horizon=0)


@pytest.mark.parametrize("within", [[-3], [1.5], [True], ["5"], [float("nan")], [10**30], 5])
def test_a_requested_delay_must_be_a_number_of_steps(within):
    with pytest.raises(InvalidParameter, match="within is"):
        measure_timing(ALARMS, ONSETS, within=within, replicates=0)
