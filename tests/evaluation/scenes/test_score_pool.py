"""Ranking metrics of pooled scores, compared with brute force, and the metrics as published."""

import numpy as np
import pytest

from offnominal.evaluation import InvalidLabels
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.scenes import measure_as_published
from offnominal.evaluation.scenes.score_pool import THRESHOLDS, ScorePool


def pool_of(seed, scenarios=5, n=60, levels=9):
    """Scores with many ties."""
    rng = np.random.default_rng(seed)
    positives = [[rng.integers(2, levels, rng.integers(0, n // 4)).astype(np.float32)] for _ in range(scenarios)]
    negatives = [[rng.integers(0, levels, n).astype(np.float32)] for _ in range(scenarios)]
    return ScorePool.of(positives, negatives)


def brute_force(positives, negatives):
    pairs = positives[:, None] - negatives
    auroc = ((pairs > 0) + 0.5 * (pairs == 0)).mean()
    precision = np.mean([(positives >= s).sum() / ((positives >= s).sum() + (negatives >= s).sum()) for s in positives])
    rates = [(negatives >= s).mean() for s in np.unique(positives) if (positives >= s).mean() >= 0.95]
    return auroc, precision, min(rates)


@pytest.mark.parametrize("seed", range(3))
def test_values_and_intervals_are_those_of_brute_force(seed):
    pool = pool_of(seed)
    resamples = Resamples.draw(len(pool), 40, seed=1)
    found = pool.ranking(resamples)
    estimates = (found.auroc, found.average_precision, found.fpr95)
    np.testing.assert_allclose([each.value for each in estimates], brute_force(*pool.joined()))
    for draw, counts in enumerate(resamples.counts.T[1:]):
        positives, negatives = (
            np.concatenate([np.tile(each, k) for each, k in zip(scores, counts, strict=True)])
            for scores in (pool.positives, pool.negatives)
        )
        np.testing.assert_allclose([each.draws[draw] for each in estimates], brute_force(positives, negatives))


def test_intervals_of_many_scores_come_from_thresholds_and_stay_close():
    rng = np.random.default_rng(0)
    positives = [[rng.normal(1.0, 1.0, 700).astype(np.float32)] for _ in range(6)]
    negatives = [[rng.normal(0.1 * k, 1.0, 5000).astype(np.float32)] for k in range(6)]
    pool = ScorePool.of(positives, negatives)
    assert pool.n_positives + pool.n_negatives > 8 * THRESHOLDS
    resamples = Resamples.draw(6, 3, seed=0)
    found = pool.ranking(resamples)
    for draw, counts in enumerate(resamples.counts.T[1:]):
        chosen = np.repeat(np.arange(6), counts)
        exact = ScorePool.of([[pool.positives[k] for k in chosen]], [[pool.negatives[k] for k in chosen]])
        expected = exact.ranking(Resamples.draw(1, 0))
        for name in ("auroc", "average_precision", "fpr95"):
            assert getattr(found, name).draws[draw] == pytest.approx(getattr(expected, name).value, abs=2e-3)


def test_pool_without_anomalies_is_undefined():
    pool = ScorePool.of([[]], [[np.ones(3, np.float32)]])
    found = pool.ranking(Resamples.draw(1, 5))
    assert found.auroc.value is None
    assert found.fpr95.value is None
    assert pool.best_threshold() is None


@pytest.mark.parametrize("seed", range(3))
def test_best_threshold_has_the_highest_f1(seed):
    pool = pool_of(seed)
    positives, negatives = pool.joined()

    def f1(threshold):
        found, alarmed = (positives >= threshold).sum(), (negatives >= threshold).sum()
        return 2 * found / (found + alarmed + len(positives))

    best = pool.best_threshold()
    assert f1(best) == max(f1(score) for score in positives)
    found, alarmed, missed = (each.sum() for each in pool.counts_at(best))
    assert 2 * found / (2 * found + alarmed + missed) == pytest.approx(f1(best))


def test_published_threshold_grid_gives_100_percent_fpr95_to_a_good_detector_with_small_scores():
    rng = np.random.default_rng(0)
    positives, negatives = rng.beta(2.0, 400.0, 2000), rng.beta(0.5, 800.0, 50_000)
    exact = ScorePool.of([[positives.astype(np.float32)]], [[negatives.astype(np.float32)]]).ranking(
        Resamples.draw(1, 0)
    )
    published = measure_as_published(positives, negatives)
    assert exact.auroc.value > 0.9
    assert exact.fpr95.value < 0.5
    assert published.auroc == exact.auroc.value
    assert (published.fpr95, published.f1, published.ppv) == (1.0, 0.0, 0.0)
    scaled = measure_as_published(positives, negatives, normalised=True)
    assert scaled.fpr95 < 1.0


def test_published_metrics_of_scores_on_the_grid_are_exact():
    found = measure_as_published(np.array([0.9, 0.8]), np.array([0.1, 0.2, 0.3, 0.6]))
    assert found.fpr95 == 0.0
    assert found.f1 == pytest.approx(np.mean([2 / 3, 2 / 3] + [4 / 5] * 6 + [1.0, 1.0]), abs=0.02)
    with pytest.raises(InvalidLabels):
        measure_as_published(np.array([]), np.array([0.1]))


def test_raw_scores_below_zero_never_reach_the_published_grid():
    found = measure_as_published(np.array([-0.1, -0.2]), np.array([-0.8, -0.9]))
    assert (found.auroc, found.fpr95, found.f1) == (1.0, 1.0, 0.0)
