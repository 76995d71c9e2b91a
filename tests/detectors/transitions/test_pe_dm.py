"""PE-DM: what its members learn from, and what its aggregations say."""

import numpy as np
import pytest
import torch
from scipy import stats

from offnominal.core.episode import Episode
from offnominal.detectors.detector import transitions
from offnominal.detectors.random_numbers import CPU, RandomNumbers
from offnominal.detectors.transitions import PEDM, scores, transition_network
from offnominal.detectors.transitions.pe_dm import PARTICLES, bootstrap

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def ensemble(nominal):
    return PEDM(hidden=(16,), n_members=3, n_epochs=30, batch_size=16, learning_rate=3e-3, device="cpu").fit(nominal)


def with_aggregation(ensemble, aggregation):
    other = PEDM(**{**ensemble.get_params(), "aggregation": aggregation})
    other.load_state_dict(ensemble.state_dict())
    return other


def sampled(ensemble, episodes, particles=1000):
    """Smallest and mean squared error of sampled next observations."""
    observations, actions, after = transitions(episodes)
    inputs = torch.from_numpy(ensemble.scaling_.inputs(observations, actions))
    with torch.no_grad():
        mean, log_variance = (part.numpy() for part in ensemble.network_(inputs))
    draw = np.random.default_rng(0)
    found = mean + np.exp(0.5 * log_variance) * draw.normal(size=(particles, *mean.shape))
    errors = np.square(found - ensemble.scaling_.changes(observations, after)).mean(axis=-1)
    return errors.min(axis=(0, 1)), errors.mean(axis=(0, 1))


def wide(n, seed, *, noise):
    """Episodes of sixteen channels that turn into each other; in one or two, the nearest particle is mostly chance."""
    turn = 0.9 * np.linalg.qr(np.random.default_rng(0).normal(size=(16, 16)))[0]
    draw = np.random.default_rng(seed)
    episodes = []
    for _ in range(n):
        seen = [draw.normal(size=16)]
        for _ in range(20):
            seen.append(turn @ seen[-1] + noise * draw.normal(size=16))
        episodes.append(Episode(np.array(seen), np.zeros((20, 1)), np.zeros(20), np.zeros(20, bool)))
    return episodes


def test_aggregations_rank_as_what_is_sampled():
    small = PEDM(hidden=(16,), n_members=3, n_epochs=10, batch_size=32, learning_rate=1e-2, device="cpu")
    ensemble = small.fit(wide(20, 1, noise=0.2))
    episodes = [*wide(2, 2, noise=0.2), *wide(2, 3, noise=0.4), *wide(2, 4, noise=0.8)]
    smallest, average = sampled(ensemble, episodes)
    for aggregation, expected in (("min", smallest), ("mean", average)):
        computed = np.concatenate(with_aggregation(ensemble, aggregation).score(episodes))
        assert stats.spearmanr(computed, expected).statistic > 0.9


def test_the_nearest_counts_over_members_and_the_mean_over_all(ensemble, fresh):
    observations, actions, after = transitions(fresh)
    changes = ensemble.scaling_.changes(observations, after)
    with torch.no_grad():
        predicted = ensemble.network_(torch.from_numpy(ensemble.scaling_.inputs(observations, actions)))
    members = [[part[member].numpy() for part in predicted] for member in range(3)]
    nearest = [scores.nearest_error(*member, changes, scores.particles(3, 1000)) for member in members]  # type: ignore[call-arg]
    expected = [scores.expected_error(*member, changes) for member in members]  # type: ignore[call-arg]
    found = {name: np.concatenate(with_aggregation(ensemble, name).score(fresh)) for name in ("min", "mean")}
    np.testing.assert_allclose(found["min"], np.min(nearest, axis=0), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found["mean"], np.mean(expected, axis=0), rtol=1e-4, atol=1e-6)


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


def test_beta_changes_what_is_learned(nominal):
    plain, weighed = (
        PEDM(hidden=(8,), n_epochs=2, beta=beta, device="cpu").fit(nominal).state_dict() for beta in (0.0, 0.5)
    )
    assert not np.allclose(plain["network.weights.0"], weighed["network.weights.0"])


def test_a_bootstrap_draws_whole_episodes_with_replacement():
    lengths = [3, 1, 4, 2, 5]
    numbers = bootstrap(lengths, RandomNumbers(1, CPU)).tolist()
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
    detector = PEDM(hidden=(4,), n_members=3, batch_size=10, n_epochs=0, device="cpu").fit(nominal)
    rows = detector._rows(nominal)
    draw = detector._batches(nominal, rows, RandomNumbers(0, CPU))
    epochs = [torch.cat([batch.indices for batch in draw()], dim=1) for _ in range(4)]
    assert all(epoch.shape == (3, len(rows)) for epoch in epochs)
    known = [set(torch.cat(epochs, dim=1)[member].tolist()) for member in range(3)]
    assert known[0] != known[1] != known[2]
    for member in range(3):
        share = len(known[member]) / len(rows)
        assert 0.4 < share < 0.9
    assert not torch.equal(epochs[0], epochs[1])


@pytest.mark.parametrize("aggregation", ["min", "mean", "likelihood"])
def test_a_gpu_gets_its_scores_from_torch_alone(ensemble, fresh, aggregation, monkeypatch):
    detector = with_aggregation(ensemble, aggregation)
    expected = np.concatenate(detector.score(fresh))
    observations, actions, after = transitions(fresh)
    inputs = torch.from_numpy(detector.scaling_.inputs(observations, actions).astype(np.float32))
    changes = torch.from_numpy(detector.scaling_.changes(observations, after))
    scores.particles(changes.shape[-1], PARTICLES)  # They are drawn once.
    with torch.inference_mode(), monkeypatch.context() as patch:
        for name in ("cpu", "numpy", "tolist", "item", "__array__"):
            patch.setattr(torch.Tensor, name, refused)
        found = detector._torch_scores(inputs, changes)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-7)


def refused(*_, **__):
    raise AssertionError("the values are read by the host")


def test_a_gpu_scores_large_parts_by_torch(ensemble, fresh, monkeypatch):
    """The device is a GPU by name only, and values stay where they are."""
    expected = np.concatenate(ensemble.score(fresh))
    sizes = []

    def on_gpu(inputs, changes):
        sizes.append(len(inputs))
        return ensemble._torch_scores(inputs, torch.from_numpy(changes)).numpy()

    monkeypatch.setattr(ensemble, "device_", torch.device("cuda"))
    monkeypatch.setattr(ensemble, "_tensor", lambda values: torch.from_numpy(np.asarray(values, np.float32)))
    monkeypatch.setattr(ensemble, "_scores_on_gpu", on_gpu)
    monkeypatch.setattr(transition_network, "GPU_CHUNK", 50)
    monkeypatch.setattr(transition_network, "CHUNK", 10)
    found = ensemble._score_transitions(*transitions(fresh))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)
    assert sizes == [50, 50]
