"""Scores of the baselines."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from offnominal.core.episode import Episode
from offnominal.detectors.baselines import Random
from offnominal.detectors.checked_episodes import FaultyTrainingData


def standing(seed, steps=400):
    """Return an episode whose image hardly ever changes."""
    images = np.zeros((steps + 1, 3, 4, 4), np.uint8)
    images[:2] = seed + 1
    return Episode(
        observations=images,
        actions=np.zeros((steps, 1)),
        rewards=np.zeros(steps),
        active=np.zeros(steps, bool),
        seed=seed,
    )


def test_random_scores_of_equal_images_differ():
    episodes = [standing(seed) for seed in range(3)]
    scores = np.array(Random().fit(episodes, seed=5).score(episodes))
    assert len(np.unique(scores)) == scores.size
    assert abs(scores.mean() - 0.5) < 0.05


def test_random_scores_are_the_same_online():
    from offnominal.detectors.detector import Step

    episode = standing(7, steps=20)
    detector = Random().fit([episode], seed=1)
    state, online = detector.start(1), []
    for t in range(20):
        step = Step(episode.observations[t : t + 1], episode.actions[t : t + 1], episode.observations[t + 1 : t + 2])
        state, score = detector.update(state, step)
        online.append(score[0])
    np.testing.assert_array_equal(online, detector.score([episode])[0])


def test_training_on_episodes_with_active_labels_warns_and_names_them():
    episodes = [standing(seed, steps=5) for seed in range(9)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Random().fit(episodes)
    faulty = [replace(each, active=[0, 0, 0, 1, 1]) if each.seed in {2, 7} else each for each in episodes]
    with pytest.warns(FaultyTrainingData, match=r"Random was trained on 2 of 9 episodes .* \(index 2, 7\)"):
        Random().fit(faulty)
    with pytest.warns(FaultyTrainingData, match=r"9 of 9 episodes .* \(index 0, 1, 2, 3, 4, …\)"):
        Random().fit([replace(each, active=np.ones(5, bool)) for each in episodes])
