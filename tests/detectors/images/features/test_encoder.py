"""The encoder learns and does not collapse."""

import numpy as np
import pytest
import torch

from offnominal.detectors.images.features import encoder_training
from offnominal.detectors.images.features.encoder_backbone import EncoderBackbone
from offnominal.detectors.images.features.encoder_training import NominalFrames, train_encoder, vicreg

pytestmark = pytest.mark.long

CPU = torch.device("cpu")


def generator(seed=0):
    return np.random.default_rng(seed)


def trained(episodes, *, max_updates=25, seed=0):
    torch.manual_seed(seed)
    encoder, draw = EncoderBackbone(32), generator(seed)
    nominal_frames = NominalFrames.of(episodes, 1000, draw, CPU)
    curve = train_encoder(
        encoder, nominal_frames, n_epochs=100, max_updates=max_updates, batch_size=24, learning_rate=2e-3, draw=draw
    )
    return encoder.eval(), curve


@pytest.fixture(scope="module")
def state(nominal):
    return trained(nominal)


@torch.inference_mode()
def embedded(encoder, episodes):
    return torch.cat([encoder(torch.from_numpy(episode.observations)).embedded for episode in episodes])


def rank(vectors):
    """Effective rank: the exponential of the entropy of the spectrum."""
    energy = torch.linalg.svdvals(vectors - vectors.mean(dim=0)).square()
    share = energy / energy.sum()
    return float(torch.exp(-(share * share.clamp_min(1e-12).log()).sum()))


@pytest.mark.parametrize(
    ("side", "size", "tokens"), [(20, 32, 4), (32, 32, 4), (100, 96, 36), (128, 128, 64), (300, 128, 64)]
)
def test_images_of_any_size_are_accepted(side, size, tokens):
    encoder = EncoderBackbone(side)
    found = encoder(torch.zeros(2, 3, side, side // 2, dtype=torch.uint8))
    assert encoder.size == size
    assert [tuple(part.shape) for part in found] == [(2, 256), (2, 128), (2, tokens, 192)]


def test_it_has_about_a_million_weights():
    assert 1.0e6 < sum(weights.numel() for weights in EncoderBackbone(128).parameters()) < 1.3e6


def test_the_loss_falls(state):
    _, curve = state
    assert len(curve) == 25
    assert np.isfinite(curve).all()
    assert curve[-5:].mean() < 0.9 * curve[:3].mean()


def test_it_does_not_collapse(state, fresh):
    encoder, _ = state
    vectors = embedded(encoder, fresh)
    assert float(vectors.std(dim=0).mean()) > 0.2
    assert rank(vectors) > 2


def test_without_the_variance_term_it_collapses(nominal, fresh, monkeypatch):
    monkeypatch.setattr(encoder_training, "VARIANCE", 0.0)
    assert float(embedded(trained(nominal)[0], fresh).std(dim=0).mean()) < 0.1


def test_consecutive_frames_are_closer_than_others(state, fresh):
    encoder, _ = state
    vectors = embedded(encoder, fresh[:1])
    apart = torch.cdist(vectors, vectors)
    assert float(apart.diagonal(1).mean()) < 0.5 * float(apart.mean())


def test_the_seed_determines_the_training(nominal):
    first, again, other = (trained(nominal[:4], max_updates=3, seed=seed)[1] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)


def test_features_do_not_depend_on_the_batch(state, fresh):
    encoder, _ = state
    frames = torch.from_numpy(fresh[0].observations)
    with torch.inference_mode():
        for alone, together in zip(encoder(frames[3:4]), encoder(frames), strict=True):
            torch.testing.assert_close(alone[0], together[3], rtol=1e-4, atol=1e-5)


def test_frames_know_the_index_of_the_next_frame(nominal):
    nominal_frames = NominalFrames.of(nominal[:3], 1000, generator(), CPU)
    assert len(nominal_frames) == sum(len(episode) + 1 for episode in nominal[:3])
    ends = np.flatnonzero(nominal_frames.next_index == np.arange(len(nominal_frames)))
    assert sorted(np.diff([-1, *ends])) == sorted(len(episode) + 1 for episode in nominal[:3])
    others = np.delete(np.arange(len(nominal_frames)), ends)
    np.testing.assert_array_equal(nominal_frames.next_index[others], others + 1)


def test_the_number_of_frames_is_limited(nominal):
    nominal_frames = NominalFrames.of(nominal, 30, generator(), CPU)
    assert len(nominal_frames) == 30
    assert nominal_frames.next_index.max() == 29


def test_a_single_frame_is_enough(nominal):
    nominal_frames = NominalFrames.of(nominal[:1], 1, generator(), CPU)
    encoder = EncoderBackbone(32)
    assert np.isfinite(
        train_encoder(
            encoder, nominal_frames, n_epochs=2, max_updates=9, batch_size=8, learning_rate=1e-3, draw=generator()
        )
    ).all()
    assert all(torch.isfinite(weights).all() for weights in encoder.parameters())


def test_the_loss_penalises_collapse_and_redundancy():
    draw = torch.Generator().manual_seed(0)
    varied = torch.randn(200, 8, generator=draw)
    best = vicreg(varied, varied)
    assert vicreg(varied * 0, varied * 0) > best + 20
    assert vicreg(varied[:, :1].expand(-1, 8), varied[:, :1].expand(-1, 8)) > best + 5
    assert vicreg(varied, varied.flip(0)) > best + 20
