"""RIQN with the errors of the public code."""

import numpy as np
import pytest

from offnominal.core.episode import Episode
from offnominal.detectors.detector import Step
from offnominal.papers.anomaly_gym.published_riqn import PublishedRIQN


@pytest.fixture(scope="module")
def episodes():
    draw = np.random.default_rng(0)
    return [
        Episode(draw.normal(size=(11, 3)).cumsum(axis=0), np.zeros((10, 1)), np.zeros(10), np.zeros(10, bool))
        for _ in range(6)
    ]


@pytest.fixture(scope="module")
def detector(episodes):
    return PublishedRIQN(recurrent_size=8, n_epochs=3, device="cpu").fit(episodes)


def test_a_training_row_has_channels_in_the_place_of_time(detector, episodes):
    rows = detector._rows(episodes[:1])
    assert rows.inputs.shape == rows.targets.shape == (10, 3, 3)
    assert (rows.inputs == rows.inputs[:, :, :1]).all()
    assert (float(rows.inputs.min()), float(rows.inputs.max())) == (0.0, 1.0)


def test_the_score_grows_with_the_size_of_the_observation(detector, episodes):
    far = Episode(
        episodes[0].observations + 50.0, *(episodes[0].arrays()[name] for name in ("actions", "rewards", "active"))
    )
    assert detector.score([far])[0].min() > detector.score(episodes[:1])[0].max()


def test_online_scores_are_those_of_the_batch(detector, episodes):
    state, scores = detector.start(1), []
    for t in range(10):
        step = Step(
            *(
                part[None]
                for part in (episodes[0].observations[t], episodes[0].actions[t], episodes[0].observations[t + 1])
            )
        )
        state, now = detector.update(state, step)
        scores.append(now[0])
    np.testing.assert_allclose(scores, detector.score(episodes[:1])[0], rtol=1e-4)
