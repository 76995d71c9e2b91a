"""PE-DM: what its members learn from, and what its aggregations say."""

import numpy as np
import pytest
import torch
from scipy import stats

from offnominal.detectors.detector import transitions
from offnominal.detectors.networks import PEDM
from offnominal.detectors.networks.pe_dm import bootstrap
from offnominal.detectors.networks.train import seeded


@pytest.fixture(scope="module")
def ensemble(nominal):
    return PEDM(hidden=(16,), members=3, epochs=30, batch=16, rate=3e-3).fit(nominal)


def with_aggregation(ensemble, aggregation):
    other = PEDM(**{**ensemble.parameters(), "aggregation": aggregation})
    other.restore(ensemble.learned())
    return other


def sampled(ensemble, episodes, particles=1000, repeats=8):
    """Smallest and mean squared error of sampled next observations, the mean of several draws of a thousand."""
    observations, actions, after = transitions(episodes)
    inputs = torch.from_numpy(ensemble.scaling_.inputs(observations, actions))
    with torch.no_grad():
        mean, log_variance = (part.numpy() for part in ensemble.network_(inputs))
    draw = np.random.default_rng(0)
    found = mean + np.exp(0.5 * log_variance) * draw.normal(size=(repeats, particles, *mean.shape))
    errors = np.square(found - ensemble.scaling_.changes(observations, after)).mean(axis=-1)
    return errors.min(axis=(1, 2)).mean(axis=0), errors.mean(axis=(0, 1, 2))


def test_aggregations_rank_as_what_is_sampled(ensemble, fresh, shifted):
    episodes = [*fresh, *shifted]
    smallest, average = sampled(ensemble, episodes)
    for aggregation, expected in (("min", smallest), ("mean", average)):
        scores = np.concatenate(with_aggregation(ensemble, aggregation).score(episodes))
        assert stats.spearmanr(scores, expected).statistic > 0.9


@pytest.mark.parametrize("aggregation", ["min", "mean", "likelihood"])
def test_every_aggregation_notices_a_shift(ensemble, aggregation, fresh, shifted):
    detector = with_aggregation(ensemble, aggregation)
    for usual, strange in zip(detector.score(fresh), detector.score(shifted), strict=True):
        assert np.median(strange[9:]) > usual.max()


def test_the_predicted_variance_is_that_of_the_noise(ensemble, fresh):
    observations, actions, _ = transitions(fresh)
    with torch.no_grad():
        _, log_variance = ensemble.network_(torch.from_numpy(ensemble.scaling_.inputs(observations, actions)))
    spread = np.exp(0.5 * np.median(log_variance[..., :2], axis=(0, 1)))
    usual = ensemble.scaling_.change.scale[:2] * ensemble.scaling_.observation.scale[:2]
    assert (spread * usual > 0.01).all()
    assert (spread * usual < 0.05).all()


def test_a_bootstrap_draws_whole_episodes_with_replacement():
    lengths = [3, 1, 4, 2, 5]
    with seeded(1, torch.device("cpu")):
        numbers = bootstrap(lengths).tolist()
    ends = np.cumsum(lengths)
    drawn = []
    while numbers:
        episode = int(np.searchsorted(ends, numbers[0], side="right"))
        length = lengths[episode]
        assert numbers[:length] == list(range(ends[episode] - length, ends[episode]))
        drawn.append(episode)
        numbers = numbers[length:]
    assert len(drawn) == 5
    assert len(set(drawn)) < 5


def test_members_learn_from_different_episodes_in_batches_of_all_they_know(nominal):
    detector = PEDM(hidden=(4,), members=3, batch=10, epochs=0).fit(nominal)
    rows = detector._rows(nominal)
    with seeded(0, torch.device("cpu")):
        draw = detector._batches(nominal, rows)
        epochs = [torch.cat(draw(), dim=1) for _ in range(4)]
    assert all(epoch.shape == (3, len(rows)) for epoch in epochs)
    known = [set(torch.cat(epochs, dim=1)[member].tolist()) for member in range(3)]
    assert known[0] != known[1] != known[2]
    for member in range(3):
        share = len(known[member]) / len(rows)
        assert 0.4 < share < 0.9
    assert not torch.equal(epochs[0], epochs[1])
