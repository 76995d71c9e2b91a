"""Ranking metrics equal those of scikit-learn, with ties and with rare faults."""

import numpy as np
import pytest
from sklearn.metrics import auc, average_precision_score, roc_auc_score, roc_curve

from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.discrimination import discrimination_of_steps
from offnominal.evaluation.ranking import BLOCK, rank, rank_episodes
from offnominal.evaluation.step_scores import StepScores

from .cases import labels_of, mixed_labels, ragged, tied_scores

pytestmark = pytest.mark.long


def by_scikit_learn(scores, labels):
    """Return the three metrics; scikit-learn refuses infinite scores, so it is given their ranks."""
    ranks = np.unique(scores, return_inverse=True)[1]
    false, true, _ = roc_curve(labels, ranks, drop_intermediate=False)
    return auc(false, true), average_precision_score(labels, ranks), false[np.argmax(true >= 0.95)]


def test_hundreds_of_episodes_have_the_metrics_of_scikit_learn():
    rng = np.random.default_rng(0)
    lengths, levels = rng.integers(2, 120, 300), rng.choice([1, 2, 5, 50, 10**6], 300)
    shares = rng.choice([0.0, 0.02, 0.5, 0.98, 1.0], 300)
    scores = [tied_scores(rng, length, levels=level) for length, level in zip(lengths, levels, strict=True)]
    labels = [mixed_labels(rng, length, share) for length, share in zip(lengths, shares, strict=True)]
    steps, found = StepScores.of(scores), np.empty((300, 3))
    rank_episodes(steps.values, np.concatenate(labels), steps.bounds, found)
    expected = [by_scikit_learn(*case) for case in zip(scores, labels, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    ranks = [np.unique(row, return_inverse=True)[1] for row in scores[:100]]
    whole = [roc_auc_score(on, row) for on, row in zip(labels[:100], ranks, strict=True)]
    np.testing.assert_allclose(found[:100, 0], whole, rtol=1e-12)


@pytest.mark.parametrize("faulty", [1, 19, 20, 21, 40, 100])
def test_95_percent_is_reached_exactly(faulty):
    scores = np.arange(faulty, dtype=float)
    needed = -(-95 * faulty // 100)
    healthy = np.array([-1.0, *(scores[-needed] + np.array([-0.5, 0.0, 0.5]))])
    assert rank(scores, np.sort(healthy))[2] == 0.5
    pooled = discrimination_of_steps(
        StepScores.of([scores, healthy]), np.arange(faulty + 4) < faulty, Resamples.draw(2, 0)
    ).pooled
    assert pooled.fpr95.value == 0.5


def test_an_episode_of_one_kind_has_no_metrics():
    steps, found = StepScores.of([[1, 2], [3, 4], [5, 6]]), np.zeros((3, 3))
    rank_episodes(steps.values, np.array([True, True, False, False, False, True]), steps.bounds, found)
    assert np.isnan(found[:2]).all()
    assert found[2].tolist() == [1.0, 1.0, 0.0]


@pytest.mark.parametrize("levels", [3, 10**6])
def test_every_replicate_is_ranked_as_if_its_episodes_were_written_out(levels):
    rng = np.random.default_rng(levels)
    scores, onsets = ragged(rng, 9, levels=levels)
    labels = labels_of(scores, onsets)
    resamples = Resamples.draw(9, BLOCK + 20, seed=3)
    pooled = discrimination_of_steps(StepScores.of(scores), np.concatenate(labels), resamples).pooled
    estimates = (pooled.auroc, pooled.average_precision, pooled.fpr95)
    for replicate in (1, 2, BLOCK - 1, BLOCK, BLOCK + 20):
        drawn = np.repeat(np.arange(9), resamples.counts[:, replicate])
        expected = by_scikit_learn(
            np.concatenate([scores[e] for e in drawn]), np.concatenate([labels[e] for e in drawn])
        )
        np.testing.assert_allclose([each.draws[replicate - 1] for each in estimates], expected, rtol=1e-12)
    expected = by_scikit_learn(np.concatenate(scores), np.concatenate(labels))
    np.testing.assert_allclose([each.value for each in estimates], expected, rtol=1e-12)


def test_a_replicate_of_one_kind_is_not_defined():
    found = discrimination_of_steps(
        StepScores.of([[1.0, 2.0], [3.0]]), np.array([False, False, True]), Resamples.draw(2, 50, seed=0)
    ).pooled
    counts = Resamples.draw(2, 50, seed=0).counts[:, 1:]
    assert found.auroc.value == 1.0
    for number in (found.auroc, found.average_precision, found.fpr95):
        np.testing.assert_array_equal(np.isnan(number.draws), (counts == 0).any(axis=0))
    assert found.auroc.low == found.auroc.high == 1.0
