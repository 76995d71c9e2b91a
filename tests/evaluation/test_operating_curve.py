"""Every point of the operating curve is what an alarm with its threshold does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offnominal.core.errors import InvalidParameter
from offnominal.evaluation import measure_false_alarms, measure_operating_curve, measure_timing
from offnominal.evaluation.step_scores import StepScores
from offnominal.evaluation.timing import AlarmOutcomes

from .cases import ragged, scored


def same_as_timing(curve, scores, onsets, nominal, points):
    for point in points:
        threshold = curve.thresholds[point]
        found = measure_timing(
            [row > threshold for row in scores],
            onsets,
            nominal=[row > threshold for row in nominal],
            horizon=curve.horizon,
            replicates=0,
        )
        assert curve.mean_delay[point] == pytest.approx(found.mean_delay.value)
        assert curve.miss_rate[point] == pytest.approx(found.miss_rate.value)
        assert curve.early_rate[point] == pytest.approx(found.early_rate.value)
        assert curve.false_alarms[point] == pytest.approx(found.false_alarms.per_1000_steps.value)
        assert curve.false_alarm_episodes[point] == pytest.approx(found.false_alarms.episodes.value)


@settings(max_examples=40, deadline=None)
@given(scored(), scored(), st.integers(1, 14))
def test_every_point_is_an_alarm_with_its_threshold(case, others, horizon):
    scores, onsets = case
    curve = measure_operating_curve(scores, onsets, others[0], horizon=horizon)
    if any(onset < len(row) for row, onset in zip(scores, onsets, strict=True)):
        same_as_timing(curve, scores, onsets, others[0], range(len(curve.thresholds)))
    else:
        assert curve.thresholds.tolist() == [np.inf]


def test_no_threshold_detects_sooner_at_the_same_cost():
    rng = np.random.default_rng(0)
    (scores, onsets), (nominal, _) = ragged(rng, 30, levels=50), ragged(rng, 30, levels=50)
    curve = measure_operating_curve(scores, onsets, nominal)
    steps = StepScores.of(scores)

    def delays(threshold):
        found = AlarmOutcomes.of(steps.values > threshold, steps.lengths, onsets)
        return np.where(found.delays < 0, 99, found.delays)

    for threshold in np.arange(-1.0, 50.0, 0.5):
        cost = measure_false_alarms([row > threshold for row in nominal], replicates=0).per_1000_steps.value
        assert (delays(curve.thresholds[curve.at(cost)]) <= delays(threshold)).all()


def test_the_curve_goes_from_no_alarm_to_a_permanent_alarm():
    rng = np.random.default_rng(1)
    scores = [rng.normal(size=40) for _ in range(20)]
    curve = measure_operating_curve(scores, [10] * 20, scores)
    assert (curve.thresholds[0], curve.mean_delay[0], curve.miss_rate[0], curve.false_alarms[0]) == (np.inf, 20, 1, 0)
    assert (curve.mean_delay[-1], curve.miss_rate[-1]) == (0, 0)
    assert (np.diff(curve.thresholds) < 0).all()
    assert (np.diff(curve.false_alarms) >= 0).all()
    assert (np.diff(curve.miss_rate) <= 0).all()
    assert ((curve.low <= curve.mean_delay) & (curve.mean_delay <= curve.high)).all()
    assert (curve.low >= 0).all()
    assert (curve.high <= 20).all()


def test_the_band_is_as_wide_as_the_bootstrap_says():
    rng = np.random.default_rng(2)
    scores = [rng.normal(size=int(length)) for length in rng.integers(20, 60, 300)]
    curve = measure_operating_curve(scores, [10] * 300, scores)
    point = curve.at(50.0)
    found = measure_timing([row > curve.thresholds[point] for row in scores], [10] * 300).mean_delay
    width = curve.high[point] - curve.low[point]
    assert width == pytest.approx(found.high - found.low, rel=0.15)
    assert width == pytest.approx(2 * 1.96 * found.draws.std(), rel=0.1)


def test_a_budget_of_false_alarms_is_kept_and_used():
    nominal = [np.arange(1000.0)]
    curve = measure_operating_curve([np.arange(0.0, 1000.0, 10.0)] * 2, [0, 0], nominal)
    assert curve.false_alarms[curve.at(0.0)] == 0.0
    assert curve.false_alarms[curve.at(25.0)] == 20.0
    assert curve.at(1e9) == len(curve.thresholds) - 1
    with pytest.raises(InvalidParameter, match="false_alarms"):
        curve.at(-1.0)


def test_infinite_scores_are_detected_first():
    curve = measure_operating_curve([np.array([0.0, np.inf, 1.0])], [0], [np.array([0.0, 1.0])], horizon=5)
    assert curve.miss_rate.tolist() == [1, 0, 0]
    assert curve.mean_delay.tolist() == [5, 1, 0]
    assert np.isfinite(curve.thresholds[1])
