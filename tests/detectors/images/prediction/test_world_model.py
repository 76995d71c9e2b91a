"""World model and predictive coding network follow their papers."""

import numpy as np
import pytest
import torch
from torch.distributions import Normal, kl_divergence

from offnominal.detectors.images import RSSMPPM
from offnominal.detectors.images.prediction.predictive_coding import PredictiveCoding
from offnominal.detectors.images.prediction.world_model import Belief, WorldModel
from offnominal.detectors.random_numbers import CPU, RandomNumbers

pytestmark = pytest.mark.long


def test_the_divergence_is_that_of_torch():
    draw = torch.Generator().manual_seed(0)
    first, second = (Belief(torch.randn(4, 3, generator=draw), torch.rand(4, 3, generator=draw) + 0.1) for _ in "ab")
    expected = kl_divergence(Normal(*first), Normal(*second)).sum(-1)
    np.testing.assert_allclose(first.divergence(second), expected, rtol=1e-4)
    np.testing.assert_allclose(first.divergence(first), 0.0, atol=1e-6)


@pytest.fixture
def model():
    torch.manual_seed(0)
    sizes = {"stochastic": 4, "deterministic": 6, "hidden": 5, "belief": 5, "embedding": 7}
    return WorldModel((3, 32, 32), 2, channels=1, **sizes).eval()


@torch.no_grad()
def test_the_prior_does_not_depend_on_the_next_frame(model):
    frames, actions = torch.rand(1, 4, 3, 32, 32), torch.rand(1, 3, 2)
    other = frames.clone()
    other[:, -1] = 1 - other[:, -1]
    first, second = (model(each, actions, torch.zeros(1, 6)) for each in (frames, other))
    np.testing.assert_allclose(first.prior.mean, second.prior.mean, atol=1e-6)
    assert not np.allclose(first.posterior.mean[:, -1], second.posterior.mean[:, -1])


@torch.no_grad()
def test_a_rollout_can_be_split_into_parts(model):
    frames, actions = torch.rand(2, 6, 3, 32, 32), torch.rand(2, 5, 2)
    whole = model(frames, actions, torch.zeros(2, 6))
    first = model(frames[:, :3], actions[:, :2], torch.zeros(2, 6))
    second = model(frames[:, 2:], actions[:, 2:], first.state)
    np.testing.assert_allclose(
        torch.cat([first.posterior.mean, second.posterior.mean], 1), whole.posterior.mean, atol=1e-6
    )
    np.testing.assert_allclose(second.state, whole.state, atol=1e-6)


@torch.no_grad()
def test_samples_are_random_in_training_only(model):
    frames, actions = torch.rand(1, 3, 3, 32, 32), torch.rand(1, 2, 2)
    random = RandomNumbers(0, CPU)
    drawn = [model(frames, actions, torch.zeros(1, 6), draws).samples for draws in (random, random, None, None)]
    assert not torch.equal(drawn[0], drawn[1])
    assert torch.equal(drawn[2], drawn[3])


def test_the_divergence_can_be_the_score(nominal, fresh, faulty):
    small = {"channels": 2, "stochastic": 4, "deterministic": 8, "hidden": 8, "belief": 8, "embedding": 8}
    scores = RSSMPPM(score_name="divergence", n_epochs=1, batch_size=4, **small).fit(nominal[:4]).score(fresh[:1])[0]
    assert (scores >= 0).all()
    assert np.ptp(scores) > 0


@torch.no_grad()
def test_predictions_are_images_and_depend_on_earlier_frames_only():
    torch.manual_seed(0)
    network = PredictiveCoding((3, 32, 32), channels=2, layers=3)
    state = torch.zeros(1, 2 * sum(network.sizes))
    frames = torch.rand(1, 5, 3, 32, 32)
    predicted, after = network(frames, state)
    assert predicted.min() >= 0
    assert predicted.max() <= 1
    parts = network(frames[:, :2], state)
    rest = network(frames[:, 2:], parts[1])
    np.testing.assert_allclose(torch.cat([parts[0], rest[0]], 1), predicted, atol=1e-6)
    np.testing.assert_allclose(rest[1], after, atol=1e-6)


def test_levels_are_those_published():
    network = PredictiveCoding((3, 128, 128), channels=48, layers=4)
    assert network.widths == [3, 48, 96, 192]
    assert network.sizes == [3 * 128**2, 48 * 64**2, 96 * 32**2, 192 * 16**2]
