"""Contrastive training of an encoder for category discovery."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch.nn import functional  # noqa: E402

from offnominal.core.errors import DamagedFile, InvalidParameter, NotFitted, UnknownName  # noqa: E402
from offnominal.detectors.discovery import ContrastiveEncoder  # noqa: E402
from offnominal.detectors.discovery.contrastive_encoder import _batches, random_views  # noqa: E402
from offnominal.detectors.discovery.contrastive_loss import class_loss, discovery_loss, view_loss  # noqa: E402
from offnominal.detectors.random_numbers import CPU, RandomNumbers  # noqa: E402
from offnominal.laws.class_detector import square_images  # noqa: E402

FIRST, SECOND = (
    functional.normalize(torch.randn(6, 4, generator=torch.Generator().manual_seed(seed)), dim=1) for seed in (0, 1)
)
LABELS = torch.tensor([0, 0, 0, 1, 2, 2])


def others(row, n):
    return [column for column in range(n) if column != row]


def test_the_loss_of_views_is_that_of_its_definition():
    both = torch.cat([FIRST, SECOND])
    similar = (both @ both.T / 0.1).numpy()
    expected = [np.log(np.exp(similar[i, others(i, 12)]).sum()) - similar[i, (i + 6) % 12] for i in range(12)]
    assert float(view_loss(FIRST, SECOND, 0.1)) == pytest.approx(np.mean(expected), rel=1e-5)
    inner, partner = (FIRST @ FIRST.T / 0.1).numpy(), ((FIRST * SECOND).sum(1) / 0.1).numpy()
    published = [np.log(np.exp(inner[i, others(i, 6)]).sum()) - partner[i] for i in range(6)]
    assert float(view_loss(FIRST, SECOND, 0.1, as_published=True)) == pytest.approx(np.mean(published), rel=1e-5)


def test_the_loss_of_classes_is_that_of_its_definition():
    similar = (FIRST @ FIRST.T / 0.1).numpy()
    ours, published = [], []
    for i in range(6):
        same = [j for j in others(i, 6) if LABELS[j] == LABELS[i]]
        losses = [np.log(np.exp(similar[i, others(i, 6)]).sum()) - similar[i, j] for j in same]
        published.append(sum(losses) / (len(same) + 1))
        ours += [np.mean(losses)] if same else []
    assert float(class_loss(FIRST, LABELS, 0.1)) == pytest.approx(np.mean(ours), rel=1e-5)
    assert float(class_loss(FIRST, LABELS, 0.1, as_published=True)) == pytest.approx(np.mean(published), rel=1e-5)
    assert float(class_loss(FIRST[:1], LABELS[:1], 0.1)) == 0.0


def test_images_without_a_class_have_only_the_loss_of_views():
    none = torch.full((6,), -1)
    alone = discovery_loss(FIRST, SECOND, none, supervised_weight=0.35)
    assert float(alone) == pytest.approx(0.65 * float(view_loss(FIRST, SECOND, 0.1)), rel=1e-6)


def test_views_are_random_images_of_the_same_size():
    images = torch.from_numpy(np.moveaxis(square_images(4, 2, seed=0)[0], -1, 1).copy())
    random = RandomNumbers(0, CPU)
    first, second = random_views(images, random), random_views(images, random)
    assert first.shape == (4, 3, 32, 32)
    assert 0.0 <= float(first.min()) <= float(first.max()) <= 1.0
    assert not torch.equal(first, second)
    assert torch.equal(first, random_views(images, RandomNumbers(0, CPU)))


def test_batches_have_all_classes_and_all_unlabelled_images():
    labels = np.array([0] * 20 + [1] * 2 + [-1] * 30)
    rows = np.array(list(_batches(labels, 8, 4, np.random.default_rng(0))))
    assert rows.shape == (4 * 3, 16)
    known, unknown = labels[rows[:, :8]], rows[:, 8:]
    assert 0.3 < known.mean() < 0.7
    assert (labels[unknown] == -1).all()
    assert np.bincount(unknown.ravel(), minlength=52)[22:].min() >= 3


@pytest.fixture(scope="module")
def images():
    return square_images(48, 3, seed=2)


SMALL = {"n_epochs": 6, "batch_size": 8, "hidden": 16, "projection": 8, "device": "cpu"}


def test_training_is_reproducible_and_saved(images):
    pixels, true = images
    labels = np.where((true < 2) & (np.arange(48) % 2 == 0), true, -1)
    encoder = ContrastiveEncoder(**SMALL).fit(pixels, labels, seed=3)
    assert encoder.curve_[-1] < encoder.curve_[0]
    found = encoder.features(pixels[:5])
    assert found.shape == (5, 256)
    again = ContrastiveEncoder(**SMALL).fit(pixels, labels, seed=3)
    assert np.array_equal(again.features(pixels[:5]), found)
    loaded = ContrastiveEncoder(**encoder.get_params())
    loaded.load_state_dict(encoder.state_dict())
    assert np.array_equal(loaded.features(pixels[:5]), found)
    with pytest.raises(DamagedFile):
        loaded.load_state_dict({**encoder.state_dict(), "curve": np.zeros((2, 2))})


def test_invalid_input_is_named(images):
    pixels, true = images
    with pytest.raises(InvalidParameter, match="some with and some without"):
        ContrastiveEncoder(**SMALL).fit(pixels, true)
    with pytest.raises(InvalidParameter, match="48 images"):
        ContrastiveEncoder(**SMALL).fit(pixels, true[:5])
    with pytest.raises(NotFitted):
        ContrastiveEncoder(**SMALL).features(pixels)
    with pytest.raises(UnknownName, match="Did you mean"):
        ContrastiveEncoder(backbone="dino_vits17")
