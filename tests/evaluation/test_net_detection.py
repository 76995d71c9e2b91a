"""Net detection: what a threshold detects because of the fault, not because of the time or by chance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offnominal.core.errors import InvalidParameter
from offnominal.evaluation import measure_net_detection
from offnominal.evaluation.alarm_budget import AREA, GRID, measure_alarm_budget
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.false_alarm_rate import thresholds_within, thresholds_without_each
from offnominal.evaluation.step_scores import StepScores

from .cases import ragged

pytestmark = pytest.mark.long


def in_window(row, onset, horizon, other):
    """Return the highest score from the onset on, while the other episode lasts, too."""
    return max(row[onset : min(onset + horizon + 1, len(row), len(other))])


def without(nominal, counts, j):
    """Return the drawn nominal episodes other than one."""
    return [row for e, row in enumerate(nominal) for _ in range(counts[e] if e != j else 0)]


def threshold_of(rows, budget):
    return thresholds_within(StepScores.of(rows), [budget], Resamples.draw(len(rows), 0))[0, 0]


def delay_of(row, onset, horizon, other, limit):
    """Return the steps from the onset to the first score above the limit, while the other episode lasts; or horizon."""
    shown = row[onset : min(onset + horizon, len(row), len(other))]
    return next((step for step, score in enumerate(shown) if score > limit), horizon)


def by_definition(scores, onsets, nominal, budget, horizon, counts, others):
    """Return net detection and net delay by the formulas, one pair after another."""
    means = []
    for e, (row, onset) in enumerate(zip(scores, onsets, strict=True)):
        pairs = []
        for j, other in enumerate(nominal):
            rest = without(nominal, others, j)
            if onset < len(row) and onset < len(other) and others[j] and rest:
                limit = threshold_of(rest, budget)
                detected = in_window(row, onset, horizon, other) > limit
                raised = in_window(other, onset, horizon, row) > limit
                delays = (
                    delay_of(*pair, limit) for pair in ((row, onset, horizon, other), (other, onset, horizon, row))
                )
                slower = next(delays) + horizon - next(delays)
                pairs += [(float(detected) - float(raised), slower)] * others[j]
        means += [np.mean(pairs, axis=0)] * counts[e] if pairs else []
    return np.mean(means, axis=0) if means else np.full(2, np.nan)


@pytest.mark.parametrize("budget", [0.7, 30.0, 150.0])
def test_value_and_replicates_are_those_of_the_definition(budget):
    rng = np.random.default_rng(1)
    scores, onsets = ragged(rng, 7, levels=12)
    nominal, _ = ragged(rng, 5, longest=20, levels=8)
    found = measure_net_detection(scores, onsets, nominal, budget=budget, horizon=6, replicates=25, seed=3)
    counts, others = Resamples.draw(7, 25, seed=3).counts, Resamples.draw_nominal(5, 25, seed=3).counts
    expected = [
        by_definition(scores, onsets, nominal, budget, 6, *pair) for pair in zip(counts.T, others.T, strict=True)
    ]
    for place, number in enumerate((found.detected, found.delay)):
        of_number = [each[place] for each in expected]
        np.testing.assert_allclose([number.value, *number.draws], of_number)
        assert len(set(of_number)) > 3


def test_replicates_without_a_threshold_for_a_pair_leave_it_out():
    """With two nominal episodes, half of the draws have one of them alone, which then has no threshold of others."""
    rng = np.random.default_rng(8)
    scores, onsets = [np.append(np.zeros(6), np.full(6, 9.0)) + rng.random(12) for _ in range(4)], [3, 5, 6, 2]
    nominal = [rng.random(20), rng.random(20)]
    found = measure_net_detection(scores, onsets, nominal, budget=40.0, horizon=6, replicates=25, seed=3)
    counts, others = Resamples.draw(4, 25, seed=3).counts, Resamples.draw_nominal(2, 25, seed=3).counts
    assert (others == 0).any(), "every draw has both"
    expected = [
        by_definition(scores, onsets, nominal, 40.0, 6, *pair)[1] for pair in zip(counts.T, others.T, strict=True)
    ]
    np.testing.assert_allclose(np.array([found.delay.value, *found.delay.draws], float), expected)
    assert np.isfinite(expected).any()


@pytest.mark.parametrize("seed", range(4))
def test_the_net_delay_is_the_sum_over_shorter_horizons(seed):
    rng = np.random.default_rng(seed)
    scores, onsets = ragged(rng, 9, levels=20)
    nominal, _ = ragged(rng, 6, longest=30, levels=15)

    def measured(horizon):
        return measure_net_detection(scores, onsets, nominal, budget=20.0, horizon=horizon, replicates=0)

    # Episodes that end at their onset have a window of one step, as with a horizon of 0.
    at_onset = [row[: onset + 1] for row, onset in zip(scores, onsets, strict=True)]
    first = measure_net_detection(at_onset, onsets, nominal, budget=20.0, horizon=1, replicates=0).detected.value
    missing = [1.0 - first, *(1.0 - measured(horizon).detected.value for horizon in range(1, 8))]
    assert measured(8).delay.value == pytest.approx(sum(missing))


def test_the_net_area_is_the_mean_over_the_logarithm_of_the_budget():
    rng = np.random.default_rng(6)
    nominal = list(rng.normal(size=(60, 100)))
    onsets = [20] * 12
    scores = [row + place / 4 * (np.arange(100) >= 20) for place, row in enumerate(rng.normal(size=(12, 100)))]
    found = measure_net_detection(scores, onsets, nominal, replicates=0)
    budgets = [each for each in GRID if AREA[0] <= each <= AREA[1]]
    at = {each: measure_net_detection(scores, onsets, nominal, budget=each, replicates=0) for each in budgets}
    assert budgets == [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]
    assert len({each.detected.value for each in at.values()}) > 1
    area = np.trapezoid([each.detected.value for each in at.values()], np.log(budgets)) / np.log(100.0)
    assert found.area.value == pytest.approx(area)
    assert {each.area.value for each in at.values()} == {found.area.value}


def test_each_point_of_the_curve_is_the_number_at_its_budget():
    rng = np.random.default_rng(1)
    scores, onsets = ragged(rng, 7, levels=12)
    nominal, _ = ragged(rng, 5, longest=20, levels=8)
    curve = measure_net_detection(scores, onsets, nominal, horizon=6, replicates=20, seed=3)
    detected = []
    for place, budget in enumerate(GRID):
        at = measure_net_detection(scores, onsets, nominal, budget=budget, horizon=6, replicates=20, seed=3)
        for point, number in ((curve.curve_detected[place], at.detected), (curve.curve_delay[place], at.delay)):
            np.testing.assert_array_equal([point.value, *point.draws], [number.value, *number.draws])
        detected.append(at.detected.value)
    assert len(set(detected)) > 1
    names = list(curve.numbers())
    assert names[3:] == [f"curve_net_{what}_{budget:g}" for what in ("detected", "delay") for budget in GRID]


def test_a_counter_of_steps_has_no_power_anywhere_on_the_net_curve_and_a_detector_has():
    rng = np.random.default_rng(4)
    lengths = rng.integers(40, 80, 30)
    train, nominal, faulty = (
        [rng.normal(np.sin(np.arange(n) / 8)[:, None], 0.3, (n, 3)) for n in lengths] for _ in range(3)
    )
    onsets = rng.integers(10, 30, 30).tolist()
    for rows, onset in zip(faulty, onsets, strict=True):
        rows[onset:] += 3.0
    mean, spread = np.concatenate(train).mean(axis=0), np.cov(np.concatenate(train).T)

    def distance(rows):
        return np.einsum("ti,ij,tj->t", rows - mean, np.linalg.inv(spread), rows - mean)

    def elapsed(rows):
        return np.arange(len(rows), dtype=float)

    # At one false alarm per step all scores are in alarm, with or without a fault.
    last = GRID.index(1000.0)
    for score, powerful in ((elapsed, False), (distance, True)):
        scores, others = ([score(rows) for rows in episodes] for episodes in (faulty, nominal))
        net = measure_net_detection(scores, onsets, others, replicates=50)
        plain = measure_alarm_budget(scores, onsets, others, replicates=0)
        assert max(each.value for each in plain.curve_detected[:last]) > 0.5, "both are powerful if time counts"
        if powerful:
            assert min(each.low for each in net.curve_detected[3:7]) > 0.2
            assert max(each.high for each in net.curve_delay[3:7]) < 17.0
        else:
            assert {each.value for each in net.curve_detected} == {0.0}
            assert {each.value for each in net.curve_delay} == {20.0}
            assert not np.concatenate([each.draws for each in net.curve_detected]).any()


def test_a_known_example():
    nominal = [np.array([0.0, 0.0, 0.0, 2.0]), np.array([0.0, 0.0])]
    # With no false alarm allowed, pairs with the first nominal episode have threshold 0, those with the second 2.
    found = measure_net_detection([np.array([0.0, 1.0]), np.array([0.0, 0.0, 3.0, 3.0])], [1, 2], nominal, budget=0.0)
    # First fault: +1 and 0; second: 1 - 1 = 0, and the second nominal episode is over before its onset.
    assert found.detected.value == (0.5 * (1.0 + 0.0) + 0.0) / 2
    # Delays: 0 and a miss; then a nominal alarm one step after that of the fault: 0 + 20 - 1.
    assert found.delay.value == ((0.0 + 20.0) / 2 + 19.0) / 2
    assert found.unpaired == 0


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1.0, 40.0, 300.0, 1000.0]), st.sampled_from([0.5, 1.0, 2.0]))
def test_scores_that_depend_on_the_age_alone_have_exactly_zero(seed, budget, longer):
    rng = np.random.default_rng(seed)
    of_age = rng.choice([np.arange(90.0), -np.arange(90.0), rng.normal(size=90), rng.integers(0, 3, 90)])
    nominal = [of_age[:length] for length in rng.integers(1, 45, rng.integers(1, 9))]
    scores = [of_age[: int(longer * length)] for length in rng.integers(2, 45, 6)]
    found = measure_net_detection(scores, rng.integers(0, 30, 6).tolist(), nominal, budget=budget, replicates=30)
    for number, expected in ((found.detected, 0.0), (found.delay, 20.0), (found.area, 0.0)):
        defined = np.append(np.nan if number.value is None else number.value, number.draws)
        assert np.isin(defined[~np.isnan(defined)], expected).all()


@pytest.mark.parametrize(
    ("episodes", "budget"),
    [(5, 1.0), *(pytest.param(*each, marks=pytest.mark.slow) for each in ((10, 1.0), (20, 5.0)))],
)
def test_scores_without_a_fault_have_zero_on_average(episodes, budget):
    values = []
    for seed in range(1500):
        rng = np.random.default_rng([seed, episodes])
        rows = [
            rng.normal() + 0.05 * np.arange(length) + rng.normal(size=length)
            for length in rng.integers(20, 60, 2 * episodes)
        ]
        found = measure_net_detection(
            rows[:episodes], rng.integers(0, 30, episodes).tolist(), rows[episodes:], budget=budget, replicates=0
        )
        if found.detected.value is not None:
            values.append([found.detected.value, found.delay.value - 20.0, found.area.value])
    known = np.array(values)
    assert (abs(known.mean(axis=0)) < 4.0 * known.std(axis=0) / np.sqrt(len(known))).all()
    assert (known.std(axis=0) > 0.0).all()


def test_a_threshold_that_knows_its_nominal_episodes_would_reward_random_scores():
    values = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        faulty, nominal = rng.normal(size=(2, 10, 50))
        limit = threshold_of(nominal, 1.0)
        values.append(np.mean(faulty[:, 20:41].max(axis=1) > limit) - np.mean(nominal[:, 20:41].max(axis=1) > limit))
    assert np.mean(values) > 4.0 * np.std(values) / np.sqrt(300)


def test_a_detector_that_knows_the_onset_has_one():
    onsets = [3, 8, 20]
    scores = [(np.arange(40) >= onset).astype(float) for onset in onsets]
    found = measure_net_detection(scores, onsets, [np.zeros(30)] * 5)
    assert (found.detected.value, found.delay.value, found.area.value) == (1.0, 0.0, 1.0)


def test_the_net_delay_is_the_mean_delay_without_alarms_of_nominal_episodes():
    scores = [(np.arange(60) >= 10 + delay).astype(float) for delay in (0, 3, 8, 45)]
    found = measure_net_detection(scores, [10] * 4, [np.zeros(60)] * 6)
    budget = measure_alarm_budget(scores, [10] * 4, [np.zeros(60)] * 6)
    assert found.delay.value == budget.mean_delay.value == (0 + 3 + 8 + 20) / 4


def test_an_alarm_before_the_faults_of_others_costs_more_than_a_miss():
    backwards = [np.zeros(40)] * 4
    found = measure_net_detection(backwards, [10] * 4, [np.r_[np.zeros(10), np.ones(20)]] * 5, budget=1000.0 / 11)
    assert found.delay.value == 40.0
    assert found.detected.value == -1.0


def test_a_detector_that_is_always_in_alarm_has_zero():
    found = measure_net_detection([np.ones(40)] * 3, [5] * 3, [np.ones(30)] * 5, budget=1000.0)
    assert (found.detected.value, found.delay.value) == (0.0, 20.0)


def test_a_crash_right_after_the_onset_that_is_not_detected_counts_zero():
    nominal = [np.r_[np.zeros(11), 1.0, np.zeros(20)]] * 6
    crash, seen = np.zeros(11), np.r_[np.zeros(10), 2.0, np.zeros(20)]
    assert measure_net_detection([crash], [10], nominal, budget=1000.0 / 13).detected.value == 0.0
    assert measure_net_detection([crash, seen], [10, 10], nominal, budget=0.0).detected.value == 0.5


def test_faults_later_than_every_nominal_episode_are_left_out_and_counted():
    scores = [np.zeros(90), np.r_[np.zeros(10), np.ones(10)]]
    found = measure_net_detection(scores, [60, 10], [np.zeros(50)] * 4)
    assert (found.detected.value, found.unpaired) == (1.0, 1)
    assert measure_net_detection(scores, [60, None], [np.zeros(50)] * 4).detected.value is None


def test_one_nominal_episode_gives_its_own_threshold():
    found = measure_net_detection([np.r_[np.zeros(10), np.full(10, 2.0)]] * 3, [10] * 3, [np.ones(40)])
    assert found.detected.value == 1.0


def test_the_threshold_without_an_episode_is_that_of_the_others():
    rng = np.random.default_rng(4)
    rows, _ = ragged(rng, 6)
    drawn = Resamples.draw(6, 30)
    budgets = [60.0, 0.5, 200.0]
    found = thresholds_without_each(StepScores.of(rows), budgets, drawn)
    for j in range(6):
        for replicate in range(31):
            rest = without(rows, drawn.counts[:, replicate], j)
            expected = [threshold_of(rest, budget) if rest else np.nan for budget in budgets]
            np.testing.assert_equal(found[:, j, replicate], expected)


def test_wrong_budgets_are_named():
    with pytest.raises(InvalidParameter, match="budget is -1"):
        measure_net_detection([np.zeros(9)], [5], [np.zeros(9)], budget=-1.0)
