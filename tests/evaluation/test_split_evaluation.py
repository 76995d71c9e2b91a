"""A report contains every number together with its baselines."""

import numpy as np
import pytest
from hypothesis import given, settings

from offnominal.core.errors import InvalidParameter, InvalidScores
from offnominal.evaluation import (
    InvalidLabels,
    effective_onsets,
    evaluate_split,
    measure_alarm_budget,
    measure_discrimination,
    measure_null_discrimination,
    measure_time_matched,
    measure_timing,
)

from .cases import episode, same, scored, split


def test_the_parts_of_a_report_are_those_of_the_single_functions():
    rng = np.random.default_rng(0)
    episodes, scores = split(rng)
    nominal = [rng.normal(size=30) for _ in range(15)]
    labels, onsets = [each.active for each in episodes], [each.onset for each in episodes]
    alarms, nominal_alarms = [row > 2.0 for row in scores], [row > 2.0 for row in nominal]
    report = evaluate_split(
        scores,
        episodes,
        nominal=nominal,
        alarms=alarms,
        nominal_alarms=nominal_alarms,
        budget=50.0,
        replicates=50,
        seed=3,
    )
    again = {"replicates": 50, "seed": 3}
    same(report.discrimination.pooled.fpr95, measure_discrimination(scores, labels, **again).pooled.fpr95)
    same(report.null.local.auroc, measure_null_discrimination(nominal, episodes, **again).local.auroc)
    same(report.matched.auroc, measure_time_matched(scores, labels, nominal, **again).auroc)
    same(report.timing.mean_delay, measure_timing(alarms, onsets, **again).mean_delay)
    same(
        report.timing.false_alarms.episodes,
        measure_timing(alarms, onsets, nominal=nominal_alarms, **again).false_alarms.episodes,
    )
    same(report.budget.mean_delay, measure_alarm_budget(scores, onsets, nominal, budget=50.0, **again).mean_delay)
    assert report.budget.numbers()["curve_detected_20"].low == report.budget.curve_detected[7].low
    same(report.excess.auroc, report.discrimination.local.auroc - report.null.local.auroc)
    same(report.pooled_excess.fpr95, report.discrimination.pooled.fpr95 - report.null.pooled.fpr95)
    assert report.never_faulty == onsets.count(None) > 0
    assert report.counts()["one_class"] == report.never_faulty
    assert report.time_baseline.local.auroc.value == 1.0
    assert report.effective_timing is None


def test_without_nominal_scores_and_alarms_their_parts_are_missing():
    episodes, scores = split(np.random.default_rng(2))
    report = evaluate_split(scores, episodes, replicates=0)
    assert report.null is report.matched is report.timing is report.budget is None
    assert report.excess is report.pooled_excess is None
    assert set(report.numbers()) == {
        *(f"{pooled}{name}" for pooled in ("", "pooled_") for name in ("auroc", "average_precision", "fpr95")),
        "time_auroc",
        "pooled_time_auroc",
    }


@settings(max_examples=25)
@given(scored(), scored())
def test_a_monotone_transform_changes_no_number(case, others):
    scores, onsets = case
    episodes = [episode(len(row), onset) for row, onset in zip(scores, onsets, strict=True)]

    def transform(row):
        return row**3 + 10.0 * row - 3.0

    first = evaluate_split(scores, episodes, nominal=others[0], replicates=5)
    second = evaluate_split(
        [transform(row) for row in scores], episodes, nominal=[transform(row) for row in others[0]], replicates=5
    )
    assert first.counts() == second.counts()
    for name, number in first.numbers().items():
        same(number, second.numbers()[name])


def seen_from(step, *, seed, length=20, onset=5):
    """Return an episode whose fault shows from some step on, and its twin."""
    seen = np.zeros((length + 1, 1))
    twin = episode(length, seed=seed, observations=seen.copy())
    seen[step + 1 :] = 1.0
    return episode(length, onset, seed=seed, observations=seen), twin


def test_twins_give_the_effective_onset():
    faulty, nominal = zip(*(seen_from(step, seed=step) for step in (5, 7, 9, 30)), strict=True)
    assert effective_onsets(faulty, nominal) == [5, 7, 9, None]
    alarms = [np.arange(20) >= 8] * 4
    report = evaluate_split([np.zeros(20)] * 4, faulty, alarms=alarms, nominal_alarms=alarms, twins=nominal)
    assert report.timing.median_delay.value == 3.0
    assert report.timing.never_faulty == 0
    assert report.effective_timing.never_faulty == 1
    assert report.effective_timing.median_delay.value == 1.0
    assert report.effective_timing.early_rate.value == pytest.approx(1 / 3)
    assert {"effective_median_delay", "false_alarms"} < report.numbers().keys()
    assert "effective_false_alarms" not in report.numbers()


def test_the_null_on_twins_has_a_smaller_variance():
    rng = np.random.default_rng(4)
    episodes, _ = split(rng, 60)
    slopes = rng.normal(size=60)
    own = [slope * np.arange(30.0) for slope in slopes]
    faulty = [row + rng.normal(0.0, 0.1, 30) for row in own]
    paired = evaluate_split(faulty, episodes, nominal=own, twin_scores=own)
    apart = evaluate_split(faulty, episodes, nominal=own)

    def width(number):
        return number.high - number.low

    assert paired.excess.auroc.value == pytest.approx(apart.excess.auroc.value)
    assert width(paired.excess.auroc) < 0.2 * width(apart.excess.auroc)


def test_twins_must_belong_to_their_episodes():
    faulty, nominal = zip(*(seen_from(step, seed=step) for step in (5, 7, 9)), strict=True)
    with pytest.raises(InvalidParameter, match="2 twins of 3 episodes"):
        effective_onsets(faulty, nominal[1:])
    with pytest.raises(InvalidParameter, match="episode 0 has seed 5, its twin 9"):
        effective_onsets(faulty, nominal[::-1])
    with pytest.raises(InvalidScores, match="scores of 2 twins; expected 3"):
        evaluate_split([each.rewards for each in faulty], faulty, twin_scores=[each.rewards for each in nominal[1:]])


def test_scores_that_do_not_fit_their_episodes_are_refused():
    episodes, scores = split(np.random.default_rng(5), 3)
    with pytest.raises(InvalidScores, match="scores of 2 episodes; expected 3"):
        evaluate_split(scores[:2], episodes)
    with pytest.raises(InvalidScores, match="episode 2 has 29 scores for 30 transitions"):
        evaluate_split([*scores[:2], scores[2][1:]], episodes)
    alarms = [row > 0 for row in scores]
    with pytest.raises(InvalidLabels, match="episode 1 has 29 alarms"):
        evaluate_split(scores, episodes, alarms=[alarms[0], alarms[1][1:], alarms[2]])
    with pytest.raises(InvalidLabels, match="nominal alarms of 2 episodes; expected 3"):
        evaluate_split(scores, episodes, nominal=scores, alarms=alarms, nominal_alarms=alarms[:2])
    with pytest.raises(InvalidScores, match="no scores"):
        evaluate_split([], [])


@pytest.mark.slow
def test_intervals_cover_the_true_value_nineteen_times_in_twenty():
    rng = np.random.default_rng(5)
    drift, runs = np.linspace(0.0, 2.0, 30), []

    def noise():
        return drift + np.sqrt(0.7) * rng.normal(size=30) + np.sqrt(0.3) * rng.normal()

    for seed in range(300):
        episodes = [episode(30, int(onset)) for onset in rng.integers(2, 29, 60)]
        nominal = [noise() for _ in range(60)]
        scores = [noise() + each.active for each in episodes]
        runs.append(evaluate_split(scores, episodes, nominal=nominal, replicates=300, seed=seed).numbers())
    for name in (
        *("auroc", "null_auroc", "excess_auroc", "matched_auroc"),
        *("pooled_auroc", "pooled_average_precision", "pooled_fpr95", "pooled_excess_auroc"),
        *("net_detection", "net_delay", "net_area", "budget_detected", "budget_mean_delay", "budget_area"),
    ):
        truth = np.mean([run[name].value for run in runs])
        inside = np.mean([run[name].low <= truth <= run[name].high for run in runs])
        assert 0.92 <= inside <= 0.995, (name, inside)
