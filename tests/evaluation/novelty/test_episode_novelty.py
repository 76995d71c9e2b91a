"""Novelty of episodes: highest frame scores, delays by type with censored misses."""

import numpy as np
import pytest

from offnominal.evaluation import InvalidLabels
from offnominal.evaluation.novelty import choose_episode_thresholds, measure_episode_novelty, measure_novelty_delays

NOVELTIES = ["tree", "tree", "fence", None, None, "fence"]


def episode(length, first):
    """Scores of an episode whose first alarm is at a frame; -1 for none."""
    scores = np.zeros(length)
    if first >= 0:
        scores[first:] = 5.0
    return scores


SCORES = [episode(10, 4), episode(10, -1), episode(8, 0), episode(6, -1), episode(6, 3), episode(8, 2)]


def test_delays_count_misses_with_the_length_of_the_episode_and_censor_them():
    found = measure_novelty_delays(SCORES, NOVELTIES, 5.0, replicates=100)
    tree, fence = found.by_type["tree"], found.by_type["fence"]
    assert (tree.mean_delay.value, fence.mean_delay.value, found.mean_delay.value) == (7.0, 1.0, 4.0)
    assert (tree.detection_rate.value, found.detection_rate.value) == (0.5, 0.75)
    assert tree.timing.median_delay.value == 4.0
    assert tree.timing.mean_delay.value == pytest.approx(4.0 + 0.5 * 16)
    assert fence.mean_delay.low == 0.0
    assert [row["novelty"] for row in found.rows()] == ["tree", "fence"]


def test_published_delays_have_a_zero_for_normal_episodes():
    found = measure_novelty_delays(SCORES, NOVELTIES, 5.0, as_published=True, replicates=0)
    assert found.mean_delay.value == pytest.approx(4.0 * 2 / 3)


def test_the_score_of_an_episode_is_its_highest_frame_score():
    scores = [[0, 3, 0], [0, 1, 9], [2, 0, 8], [0, 1, 7]]
    novelties = ["tree", "fence", None, None]
    ours = measure_episode_novelty(scores, novelties, replicates=50)
    assert ours.auroc_by_type["tree"].value == 0.0
    assert ours.auroc_by_type["fence"].value == 1.0
    assert ours.metrics.auroc.value == 0.5
    theirs = measure_episode_novelty(scores, novelties, as_published=True)
    assert theirs.metrics.auroc.value == pytest.approx(0.625), "the last frame is left out"
    assert {row["novelty"]: row["auroc"] for row in ours.rows()} == {"tree": 0.0, "fence": 1.0}
    assert ours.numbers()["delay_at_tpr"].value == pytest.approx((1 + 2) / 2)


def test_an_unattainable_precision_has_no_delay():
    found = measure_episode_novelty([[1.0], [1.0], [1.0]], ["tree", None, None], replicates=0)
    assert found.delays_at_ppv is None
    assert found.numbers()["delay_at_ppv"].value is None


def test_thresholds_of_validation_episodes_fix_the_operating_points():
    thresholds = choose_episode_thresholds(SCORES, NOVELTIES)
    moved = [scores + 1.0 for scores in SCORES]
    found = measure_episode_novelty(moved, NOVELTIES, thresholds=thresholds, replicates=0)
    assert found.metrics.at_tpr.threshold == thresholds[0]
    assert found.metrics.at_tpr.tpr.value == 1.0


def test_invalid_novelties_are_named():
    with pytest.raises(InvalidLabels, match="novelties of 1 episodes"):
        measure_episode_novelty(SCORES, ["tree"])
    with pytest.raises(InvalidLabels, match="no novel episode"):
        measure_novelty_delays(SCORES, [None] * 6, 1.0)
