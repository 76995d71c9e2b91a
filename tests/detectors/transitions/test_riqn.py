"""RIQN: its quantiles are quantiles, and it sees what it is meant to see."""

import numpy as np
import pytest
import torch

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.detectors.detector import transitions
from offnominal.detectors.random_numbers import CPU, RandomNumbers
from offnominal.detectors.transitions import RIQN

pytestmark = pytest.mark.long


def noise(n, seed):
    """Episodes whose observation is skewed noise around nothing."""
    draw = np.random.default_rng(seed)
    return [Episode(draw.exponential(size=(6, 1)), np.zeros((5, 1)), np.zeros(5), np.zeros(5, bool)) for _ in range(n)]


def test_as_many_observations_lie_below_a_quantile_as_its_level_says():
    detector = RIQN(recurrent_size=16, n_cosines=16, n_epochs=60, batch_size=50, learning_rate=1e-2, device="cpu").fit(
        noise(300, 0)
    )
    fresh = noise(300, 1)
    inputs, changes = detector._sequences(fresh)
    levels = torch.tensor([0.1, 0.5, 0.9])
    with torch.no_grad():
        quantiles, _ = detector.network_(torch.from_numpy(inputs), torch.zeros(300, 16), levels)
    below = (changes[:, :, None] < quantiles.numpy()).mean(axis=(0, 1, 3))
    np.testing.assert_allclose(below, levels, atol=0.06)


def test_levels_are_drawn_while_training_and_fixed_when_scoring(nominal):
    detector = RIQN(recurrent_size=4, n_cosines=4, n_epochs=0, n_quantiles=4, device="cpu").fit(nominal)
    np.testing.assert_allclose(detector._levels(), [0.125, 0.375, 0.625, 0.875])
    random = RandomNumbers(0, CPU)
    drawn = torch.stack([detector._levels(random) for _ in range(50)])
    assert (drawn * 4).floor().eq(torch.arange(4)).all()
    assert drawn.std(dim=0).min() > 0.04


def test_actions_are_used_only_on_request(nominal, fresh):
    other = [
        Episode(episode.observations, -episode.actions, episode.rewards, episode.active, seed=episode.seed)
        for episode in fresh
    ]
    blind = RIQN(recurrent_size=8, n_cosines=8, n_epochs=1, device="cpu").fit(nominal)
    seeing = RIQN(recurrent_size=8, n_cosines=8, n_epochs=1, use_actions=True, device="cpu").fit(nominal)
    np.testing.assert_array_equal(blind.score(fresh)[0], blind.score(other)[0])
    assert not np.allclose(seeing.score(fresh)[0], seeing.score(other)[0])


def test_even_without_actions_their_width_is_known(nominal, fresh):
    blind = RIQN(recurrent_size=8, n_cosines=8, n_epochs=0, device="cpu").fit(nominal)
    again = RIQN(recurrent_size=8, n_cosines=8, n_epochs=0, device="cpu")
    again.load_state_dict(blind.state_dict())
    wider = Episode(fresh[0].observations, np.zeros((len(fresh[0]), 2)), fresh[0].rewards, fresh[0].active)
    with pytest.raises(InvalidParameter, match="width 2"):
        again.score([wider])
    assert transitions(fresh)[1].shape[1] == 1
