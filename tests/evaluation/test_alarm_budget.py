"""Detection at a budget of false alarms, beside a search over all thresholds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offnominal.core.errors import InvalidParameter
from offnominal.evaluation.alarm_budget import GRID, measure_alarm_budget, partial_area
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.false_alarm_rate import false_alarm_rate, per_1000_steps, thresholds_within
from offnominal.evaluation.step_scores import StepScores

from .cases import ragged, scored, tied_scores


def rate_above(rows, threshold):
    """Return the false alarms per 1,000 steps, episode by episode."""
    alarms = steps = 0
    for row in rows:
        above = [number for number, score in enumerate(row) if score > threshold]
        alarms += bool(above)
        steps += above[0] + 1 if above else len(row)
    return 1000.0 * alarms / steps


def lowest(rows, budget):
    candidates = [-np.inf, *sorted(set(np.concatenate(rows)))]
    return next(each for each in candidates if rate_above(rows, each) <= budget + 1e-9)


def delay_of(row, onset, threshold):
    above = np.flatnonzero(row[onset:] > threshold)
    return int(above[0]) if above.size else None


@settings(max_examples=60)
@given(scored(), st.sampled_from([0.0, 20.0, 100.0, 333.0, 1000.0]))
def test_the_threshold_is_the_lowest_one_within_the_budget(case, budget):
    rows, _ = case
    found = thresholds_within(StepScores.of(rows), [budget], Resamples.draw(len(rows), 0))
    assert found[0, 0] == lowest(rows, budget)


def test_the_rate_only_grows_when_the_threshold_falls():
    rng = np.random.default_rng(0)
    rows = [tied_scores(rng, 20, levels=8) for _ in range(9)]
    rates = [rate_above(rows, threshold) for threshold in (*range(8, -2, -1), -np.inf)]
    assert rates == sorted(rates)


@pytest.mark.parametrize("budget", [0.7, 30.0, 150.0])
def test_every_replicate_has_a_threshold_of_its_own(budget):
    rng = np.random.default_rng(1)
    scores, onsets = ragged(rng, 8)
    nominal, _ = ragged(rng, 6)
    found = measure_alarm_budget(scores, onsets, nominal, budget=budget, horizon=6, replicates=40, seed=3)
    faulty = [number for number, onset in enumerate(onsets) if onset < len(scores[number])]
    counts, others = Resamples.draw(8, 40, seed=3).counts, Resamples.draw_nominal(6, 40, seed=3).counts
    for replicate in range(41):
        threshold = lowest([nominal[e] for e in np.repeat(np.arange(6), others[:, replicate])], budget)
        drawn = [e for e in np.repeat(np.arange(8), counts[:, replicate]) if e in faulty]
        delays = [delay_of(scores[e], onsets[e], threshold) for e in drawn]
        shares = [delay is not None and delay <= 6 for delay in delays]
        costs = [6 if delay is None else min(delay, 6) for delay in delays]
        of = [
            each.value if replicate == 0 else each.draws[replicate - 1] for each in (found.detected, found.mean_delay)
        ]
        assert of == pytest.approx([np.mean(shares), np.mean(costs)])


def test_the_curve_rises_to_an_alarm_that_is_always_raised():
    rng = np.random.default_rng(2)
    nominal = [rng.normal(size=60) for _ in range(50)]
    scores = [rng.normal(size=60) + (np.arange(60) >= 30) for _ in range(40)]
    found = measure_alarm_budget(scores, [30] * 40, nominal, replicates=20)
    shares, delays = ([each.value for each in curve] for curve in (found.curve_detected, found.curve_delay))
    assert shares == sorted(shares)
    assert delays == sorted(delays, reverse=True)
    assert (shares[-1], delays[-1]) == (1.0, 0.0)
    assert found.detected.value == shares[GRID.index(1.0)]
    assert found.area.value == pytest.approx(partial_area(np.array(shares)))


def test_a_miss_costs_the_horizon():
    crashes, others = [np.zeros(4)] * 5, [np.r_[np.zeros(6), np.ones(30)]] * 5
    found = measure_alarm_budget(crashes + others, [1] * 10, [np.zeros(2000)], replicates=0)
    assert (found.detected.value, found.mean_delay.value) == (0.5, 12.5)


def test_random_scores_detect_little_and_by_their_rate():
    rng = np.random.default_rng(5)
    nominal, scores = ([rng.normal(size=400) for _ in range(400)] for _ in range(2))
    found = measure_alarm_budget(scores, [200] * 400, nominal, budget=2.0, replicates=0)
    assert found.detected.value == pytest.approx(1.0 - np.exp(-21 * 0.002), abs=0.02)


def test_a_budget_below_one_false_alarm_is_not_resolved():
    rows = [np.arange(10.0)] * 5
    assert not measure_alarm_budget(rows, [5] * 5, rows, replicates=0).resolved
    assert measure_alarm_budget(rows, [5] * 5, rows, budget=20.0, replicates=0).resolved


def test_the_rate_of_an_alarm_counts_the_first_alarm_of_an_episode():
    alarms = np.array([False, True, True, False, True, False, False, False])
    resamples = Resamples.draw(2, 30)
    assert false_alarm_rate(alarms, np.array([0, 5, 8]), resamples).value == pytest.approx(1000 / 5)
    assert false_alarm_rate(np.ones(8, bool), np.array([0, 5, 8]), resamples).value == 1000.0


def test_a_rate_per_hour_depends_on_the_step_length():
    assert per_1000_steps(3.6, period=1.0) == pytest.approx(1.0)
    assert per_1000_steps(3.6, period=0.05) == pytest.approx(0.05)


def test_wrong_budgets_are_named():
    rows = [np.arange(10.0)]
    with pytest.raises(InvalidParameter, match="budget is -1"):
        measure_alarm_budget(rows, [5], rows, budget=-1.0)
