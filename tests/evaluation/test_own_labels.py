"""Evaluation of labelled logs: events, whole-episode labels, one long episode, time in seconds."""

import numpy as np
import pytest

from offnominal.alarms import Quantile, WindowMaximum
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.detectors import make_detector
from offnominal.evaluation import evaluate, evaluate_split, measure_events
from offnominal.evaluation.resampling_units import block_bounds, correlation_time
from offnominal.evaluation.step_scores import intervals

pytestmark = pytest.mark.long


def log(steps, faults=(), seed=0, period=0.5, shift=6.0):
    """Return an episode of noise with shifted observations in some intervals."""
    rng, active = np.random.default_rng(seed), np.zeros(steps, bool)
    for start, stop in faults:
        active[start:stop] = True
    observations = rng.normal(size=(steps + 1, 2))
    observations[1:][active] += shift
    times = {"time": np.arange(steps + 1) * period}
    return Episode(observations, np.zeros((steps, 0)), np.zeros(steps), active, seed=seed, extras=times)


@pytest.fixture(scope="module")
def nominal():
    return [log(80, seed=seed) for seed in range(1, 9)]


@pytest.fixture(scope="module")
def detector(nominal):
    return make_detector("KNN").fit(nominal)


def test_an_alarm_between_two_events_is_a_false_alarm():
    labels = np.zeros(100, bool)
    labels[[10, 11, 12, 50, 51, 52, 80, 81]] = True
    alarms = np.zeros(100, bool)
    alarms[[11, 12, 13, 14, 30, 31, 52, 95]] = True
    found = measure_events([alarms], [labels], within=[1], period=36.0, replicates=0)
    assert found.events == 3
    assert found.detected.value == pytest.approx(2 / 3)
    assert found.median_delay.value == 2.0
    assert found.within[1].value == pytest.approx(1 / 3)
    assert found.per_1000_steps.value == pytest.approx(2 * 1000 / 92)
    assert found.per_hour.value == pytest.approx(2 * 100 / 92)


def test_one_unit_gives_no_interval_and_blocks_give_one():
    labels, alarms = np.arange(200) % 20 >= 17, np.arange(200) % 40 == 18
    alone = measure_events([alarms], [labels], replicates=50)
    assert alone.detected.low is None
    assert alone.detected.value == 0.5
    blocks = measure_events([alarms], [labels], replicates=50, block=20)
    assert blocks.detected.low < 0.5 < blocks.detected.high


def test_intervals_end_with_their_episode():
    starts, ends = intervals(np.array([1, 1, 1, 0, 1], bool), np.array([0, 2, 2, 5]))
    assert starts.tolist() == [0, 2, 4]
    assert ends.tolist() == [2, 3, 5]
    assert block_bounds(np.array([0, 7, 17]), 5).tolist() == [0, 7, 12, 17]


def test_correlated_scores_have_longer_blocks():
    noise = np.random.default_rng(0).normal(size=4000)
    assert correlation_time(noise) < 1.5
    assert correlation_time(np.convolve(noise, np.ones(50) / 50)) > 20


def test_any_split_with_active_labels_is_evaluated(detector, nominal):
    data = {"train": nominal, "test": [log(80, seed=9)] * 2, "drift": [log(60, [(20, 60)], seed) for seed in (20, 21)]}
    report = evaluate(detector, data, alarm=Quantile().fit(detector.score(nominal)), replicates=20)
    assert [line.split for line in report.lines] == ["drift"]
    assert report["drift"].numbers["auroc"].value > 0.9
    assert "event_detected" not in report["drift"].numbers, "the faults last to the end"
    assert report["drift"].numbers["false_alarms_per_hour"].value > 0


def test_whole_episode_labels_give_an_auroc_of_episodes_with_an_interval(detector, nominal):
    faulty = [log(40, [(0, 40)], seed, shift=1.0) for seed in range(30, 40)]
    report = evaluate(detector, {"test": nominal, "faulty": faulty}, replicates=100)
    found = report["faulty"].numbers["episode_auroc"]
    assert 0.6 < found.value <= 1.0
    assert found.low <= found.value
    assert "AUROC of episodes" in str(report)
    mixed = evaluate(detector, {"faulty": [*faulty, *nominal]}, replicates=0)
    assert mixed["faulty"].numbers["episode_auroc"].value == pytest.approx(found.value)


def test_a_long_log_has_intervals_from_blocks(detector):
    day = log(2000, [(start, start + 10) for start in range(100, 2000, 200)], seed=50, shift=2.0)
    calm = log(2000, seed=51)
    alarm = WindowMaximum(alpha=0.1, window=50).fit(detector.score([log(2000, seed=52)]))
    report = evaluate(detector, {"test": [calm], "day": [day]}, alarm=alarm, replicates=100)
    numbers = report["day"].numbers
    assert report["day"].counts["events"] == 10
    assert numbers["event_detected"].value > 0.5
    assert numbers["pooled_auroc"].low < numbers["pooled_auroc"].value
    assert numbers["auroc"].low is None
    assert numbers["matched_auroc"].low is None
    assert numbers["false_alarms"].low is not None
    assert "blocks of 11 steps of one episode" in report.notes[0], "longer than an event, not than the time between two"


def test_a_short_log_has_no_interval_and_the_report_says_why(detector):
    report = evaluate(detector, {"day": [log(60, [(30, 50)], 60)]}, replicates=100)
    assert all(number.low is None for number in report["day"].numbers.values())
    assert "one episode of 60 steps is one independent unit" in str(report)


def test_delays_in_seconds_are_those_in_steps_times_the_period(detector, nominal):
    data = {"test": nominal, "faulty": [log(60, [(20, 30), (40, 45)], seed) for seed in (70, 71, 72)]}
    alarm = Quantile().fit(detector.score(nominal))
    steps = evaluate(detector, data, alarm=alarm, within=[2, 4], replicates=0)["faulty"].numbers
    report = evaluate(detector, data, alarm=alarm, within=[1, 2], horizon=10, unit="seconds", replicates=0)
    seconds = report["faulty"].numbers
    assert seconds["event_within_1s"].value == steps["event_within_2"].value
    assert seconds["mean_delay_s"].value == 0.5 * steps["mean_delay"].value
    assert "Median delay of events (s)" in str(report)
    assert len(report.to_pandas()) == 1
    bare = {"faulty": [Episode(e.observations, e.actions, e.rewards, e.active) for e in data["faulty"]]}
    with pytest.raises(InvalidParameter, match="give `period`"):
        evaluate(detector, bare, unit="seconds")


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        ({"test": [log(9)]}, {}, "no split with faults"),
        ([log(9)], {}, "data is .*; expected a dataset"),
        ({"faulty": [log(9, [(3, 9)])]}, {"unit": "hours"}, "unit is 'hours'"),
        ({"faulty": [log(9, [(3, 9)])]}, {"period": -1.0}, "period is -1.0"),
        ({"faulty": [log(9, [(3, 9)])]}, {"block": 0}, "block is 0"),
    ],
)
def test_invalid_data_and_options_are_named(data, options, words, detector):
    with pytest.raises(InvalidParameter, match=words):
        evaluate(detector, data, **options)


def test_twins_need_the_episodes(detector, nominal):
    from offnominal.evaluation.ground_truth import GroundTruth

    truth = GroundTruth(np.arange(80) > 70)
    with pytest.raises(InvalidParameter, match="twins need the faulty episodes"):
        evaluate_split([np.arange(80.0)], [truth], alarms=[truth.active], twins=nominal[:1], replicates=0)
