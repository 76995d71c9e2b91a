"""Metrics of normal and novel elements: named weightings, operating points, the published rules."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, InvalidScores
from offnominal.evaluation import InvalidLabels
from offnominal.evaluation.novelty import (
    EPISODE_WEIGHTING,
    FRAME_WEIGHTING,
    Weighting,
    choose_thresholds,
    measure_novelty,
)

DRAW = np.random.default_rng(3)
NOVEL = DRAW.random(300) < 0.6
SCORES = np.round(DRAW.normal(size=300) + NOVEL, 1)


def points(scores, novel, share):
    """All thresholds in falling order, with TPR, FPR and weighted precision, counted one by one."""
    for threshold in sorted(set(scores), reverse=True):
        tpr, fpr = (scores[novel] >= threshold).mean(), (scores[~novel] >= threshold).mean()
        yield threshold, tpr, fpr, share * tpr / (share * tpr + (1 - share) * fpr)


@pytest.mark.parametrize("weighting", [FRAME_WEIGHTING, EPISODE_WEIGHTING])
def test_metrics_equal_those_counted_one_by_one(weighting):
    found = measure_novelty(SCORES, NOVEL, weighting=weighting, ppv=0.9, replicates=0)
    counted = list(points(SCORES, NOVEL, weighting.novel))
    above = (SCORES[NOVEL][:, None] > SCORES[~NOVEL]) + 0.5 * (SCORES[NOVEL][:, None] == SCORES[~NOVEL])
    assert found.auroc.value == pytest.approx(above.mean())
    gained = np.diff([0.0] + [tpr for _, tpr, _, _ in counted])
    assert found.auprc.value == pytest.approx(sum(g * p for g, (_, _, _, p) in zip(gained, counted, strict=True)))
    threshold, tpr, fpr, ppv = next(point for point in counted if point[1] >= 0.95)
    assert found.at_tpr.threshold == threshold
    assert [each.value for each in found.at_tpr.numbers().values()] == pytest.approx([tpr, 1 - fpr, ppv])
    enough = [point for point in counted if point[3] >= 0.9]
    threshold, tpr, fpr, ppv = max(enough, key=lambda point: (point[1], -point[2]))
    assert found.at_ppv.threshold == threshold
    assert [each.value for each in found.at_ppv.numbers().values()] == pytest.approx([tpr, 1 - fpr, ppv])


@pytest.mark.parametrize(("weighting", "precision"), [(FRAME_WEIGHTING, 0.25), (EPISODE_WEIGHTING, 0.85)])
def test_a_constant_score_has_the_precision_of_its_weighting(weighting, precision):
    found = measure_novelty(np.zeros(9), np.arange(9) < 3, weighting=weighting, ppv=0.95, replicates=0)
    assert found.at_tpr.ppv.value == pytest.approx(precision, abs=1e-15)
    assert (found.at_tpr.tpr.value, found.at_tpr.tnr.value) == (1.0, 0.0)
    assert found.at_ppv.threshold is None
    assert found.at_ppv.tpr.value is None


def test_the_published_rule_takes_the_smallest_sufficient_precision():
    novel = np.array([True, True, True, False] + [True] * 6 + [False] * 6)
    scores = np.arange(16.0)[::-1]
    weighting = Weighting("even", 0.5)
    ours = measure_novelty(scores, novel, weighting=weighting, ppv=0.6, replicates=0).at_ppv
    theirs = measure_novelty(scores, novel, weighting=weighting, ppv=0.6, as_published=True).at_ppv
    assert ours.tpr.value == 1.0
    assert ours.ppv.value >= theirs.ppv.value >= 0.6
    lowest = min(point[3] for point in points(scores, novel, 0.5) if point[3] >= 0.6)
    assert theirs.ppv.value == pytest.approx(lowest)
    unattainable = measure_novelty(-scores, novel, weighting=weighting, ppv=1.0, as_published=True).at_ppv
    assert (unattainable.tpr.value, unattainable.tnr.value, unattainable.ppv.value) == (0.0, 1.0, 1.0)


def test_the_published_area_interpolates_over_ties():
    novel, tied = np.arange(100) < 50, np.where(np.arange(100) == 0, 1.0, 0.0)
    ours, theirs = (measure_novelty(tied, novel, replicates=0, as_published=each).auprc.value for each in (False, True))
    assert ours == pytest.approx(0.02 + 0.98 * 0.25)
    assert theirs == pytest.approx(0.02 + 0.98 * 0.5 * (1.0 + 0.25))


def test_intervals_are_by_episode():
    episodes = np.arange(300) // 10
    novel = np.repeat(np.arange(30) % 2 == 0, 10)
    once = measure_novelty(SCORES, novel, episodes=episodes, replicates=50)
    tripled = measure_novelty(np.tile(SCORES, 3), np.tile(novel, 3), episodes=np.tile(episodes, 3), replicates=50)
    for name, number in once.numbers().items():
        assert tripled.numbers()[name].draws == pytest.approx(number.draws, nan_ok=True), name
    assert once.auroc.low < once.auroc.value < once.auroc.high
    assert once.columns()["weighting"] == "75/25 (frame)"


def test_thresholds_of_validation_data_are_used_as_they_are():
    thresholds = choose_thresholds(SCORES, NOVEL, ppv=0.5)
    other = SCORES[::-1] + 0.05
    found = measure_novelty(other, NOVEL, thresholds=thresholds, replicates=20)
    assert (found.at_tpr.threshold, found.at_ppv.threshold) == thresholds
    assert found.at_tpr.tpr.value == pytest.approx((other[NOVEL] >= thresholds[0]).mean())
    assert found.at_ppv.tnr.value == pytest.approx((other[~NOVEL] < thresholds[1]).mean())
    never = measure_novelty(SCORES, NOVEL, thresholds=(99.0, None), replicates=0)
    assert (never.at_tpr.tpr.value, never.at_tpr.tnr.value, never.at_tpr.ppv.value) == (0.0, 1.0, None)
    assert never.at_ppv.tpr.value is None


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"scores": np.full(4, np.nan)}, InvalidScores, "not finite"),
        ({"scores": np.zeros((4, 1))}, InvalidScores, "shape"),
        ({"novel": np.zeros(4, bool)}, InvalidLabels, "all novel or all normal"),
        ({"novel": np.arange(3) < 1}, InvalidLabels, "4 booleans"),
        ({"novel": np.arange(4)}, InvalidLabels, "4 booleans"),
        ({"episodes": [1, 2]}, InvalidLabels, "2 elements"),
        ({"tpr": 0.0}, InvalidParameter, "tpr"),
        ({"ppv": 1.5}, InvalidParameter, "ppv"),
    ],
)
def test_invalid_input_is_named(change, error, message):
    given = {"scores": np.arange(4.0), "novel": np.arange(4) < 2} | change
    with pytest.raises(error, match=message):
        measure_novelty(given.pop("scores"), given.pop("novel"), **given)


def test_a_weighting_without_normal_elements_is_invalid():
    with pytest.raises(InvalidParameter, match="novel"):
        Weighting("all", 1.0)
