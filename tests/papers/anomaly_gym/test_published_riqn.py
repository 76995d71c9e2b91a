"""RIQN with the errors of the public code."""

import numpy as np
import pytest
import torch

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.detectors.detector import Step
from offnominal.detectors.random_numbers import CPU, RandomNumbers
from offnominal.papers.anomaly_gym.published_riqn import PublishedRIQN, _weighted_loss

pytestmark = pytest.mark.long


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


def test_the_training_episode_is_scaled_to_its_range_and_filled_up_with_zeros(detector, episodes):
    states, targets = (part.numpy() for part in detector._scaled(episodes[0], 14))
    assert states.shape == targets.shape == (14, 3)
    assert (states.min(), states.max()) == (0.0, 1.0)
    np.testing.assert_array_equal(states[1:], targets[:-1])
    assert (states[11:] == states[11]).all()


def test_a_constant_channel_keeps_its_value(detector, episodes):
    observations = episodes[0].observations.copy()
    observations[:, 1] = 0.0
    constant = Episode(observations, *(episodes[0].arrays()[name] for name in ("actions", "rewards", "active")))
    states, _ = (part.numpy() for part in detector._scaled(constant, 10))
    assert np.ptp(states[:, 1]) == 0.0
    assert np.isfinite(states).all()


def test_each_channel_is_a_gradient_step_whose_outputs_all_learn_its_next_value(detector, episodes):
    taken = []
    states, targets = detector._scaled(episodes[0], 10)
    detector._run_through(states, targets, 1.0, RandomNumbers(0, CPU), lambda loss: taken.append(loss) or loss.detach())
    assert len(taken) == 3
    # Where all outputs are right, the loss is zero; one wrong output in three leaves a third of its loss.
    right = torch.zeros((4, 3))
    wrong = right.clone()
    wrong[:, 1] = 1.0
    assert float(_weighted_loss(right, right)) == 0.0
    assert float(_weighted_loss(wrong, right)) == pytest.approx(float(_weighted_loss(right + 1.0, right)) / 3)


def test_seeds_have_other_scores(episodes):
    first, second = (
        PublishedRIQN(recurrent_size=8, n_epochs=1, device="cpu").fit(episodes, seed=seed) for seed in (0, 1)
    )
    assert not np.allclose(first.score(episodes[:1])[0], second.score(episodes[:1])[0])


def test_the_training_episode_is_drawn(episodes, monkeypatch):
    scaled, chosen = PublishedRIQN._scaled, []

    def recorded(self, episode, longest):
        chosen.append(next(number for number, each in enumerate(episodes) if each is episode))
        return scaled(self, episode, longest)

    monkeypatch.setattr(PublishedRIQN, "_scaled", recorded)
    for seed in range(5):
        PublishedRIQN(recurrent_size=8, n_epochs=1, device="cpu").fit(episodes, seed=seed)
    assert len(chosen) == 5
    assert len(set(chosen)) > 1


def test_actions_are_refused():
    with pytest.raises(InvalidParameter, match="RIQN of the public code gets no actions"):
        PublishedRIQN(use_actions=True)


def test_the_curve_has_training_and_test_loss_of_each_epoch(detector):
    assert detector.curve_.shape == (3, 2)
    assert np.isfinite(detector.curve_).all()


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
