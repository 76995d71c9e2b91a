"""Hungarian accuracy of category discovery."""

from itertools import permutations

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.discovery import Matching
from offnominal.evaluation import InvalidLabels
from offnominal.evaluation.novelty import measure_discovery
from offnominal.papers.novelcraft.published import released_confusion

DRAW = np.random.default_rng(0)


@pytest.mark.parametrize("n_clusters", [3, 4, 5])
def test_no_other_matching_agrees_with_more_rows(n_clusters):
    true, clusters = DRAW.integers(0, 4, 60), DRAW.integers(0, n_clusters, 60)
    matching = Matching.of(true, clusters)
    size = max(4, n_clusters)
    best = max(sum(np.sum((true == k) & (clusters == p[k])) for k in range(4)) for p in permutations(range(size)))
    assert matching.confusion.diagonal().sum() == best
    assert matching.agreement(true, clusters).sum() == best
    assert matching.confusion.sum() == 60


def test_accuracies_of_the_released_confusion_matrix():
    _, confusion = released_confusion()
    true, clusters = (np.repeat(index.ravel(), confusion.ravel()) for index in np.indices(confusion.shape))
    shuffled = DRAW.permutation(10)[clusters]
    found = measure_discovery(true, shuffled, range(5), replicates=0)
    assert [each.value for each in found.numbers().values()] == pytest.approx([0.630, 0.732, 0.361], abs=5e-4)
    assert found.by_class()[0] == pytest.approx(373 / 489)
    np.testing.assert_array_equal(found.confusion.sum(axis=1), confusion.sum(axis=1))


def test_intervals_are_by_episode():
    true = np.repeat([0, 1, 2, 3], 30)
    clusters = np.where(np.arange(120) % 30 < 20, true, 9)
    episodes = np.arange(120) // 10
    found = measure_discovery(true, clusters, [0, 1], episodes=episodes, replicates=100)
    assert found.all.value == pytest.approx(2 / 3)
    assert found.all.low < 0.6
    frames = measure_discovery(true, clusters, [0, 1], replicates=100)
    assert frames.all.high - frames.all.low < found.all.high - found.all.low
    assert measure_discovery(true, clusters, range(4), replicates=0).new.value is None


def test_invalid_input_is_named():
    with pytest.raises(InvalidParameter, match="expected as many"):
        measure_discovery(np.zeros(3, int), np.zeros(2, int), [0])
    with pytest.raises(InvalidParameter, match="integers"):
        measure_discovery(np.zeros(3), np.zeros(3, int), [0])
    with pytest.raises(InvalidLabels, match="2 rows"):
        measure_discovery(np.zeros(3, int), np.zeros(3, int), [0], episodes=[1, 2])
