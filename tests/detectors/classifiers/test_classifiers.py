"""Detectors that know the normal classes: scores, networks, images in any layout."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from scipy.special import logsumexp, softmax  # noqa: E402

from offnominal.core.errors import InvalidParameter, UnknownName  # noqa: E402
from offnominal.detectors.classifiers import (  # noqa: E402
    NDCC,
    ODIN,
    ClassMahalanobis,
    DeepEnsemble,
    Energy,
    FeatureSVM,
    MaxLogit,
    MaxSoftmax,
    PatchAutoencoder,
)
from offnominal.detectors.classifiers.class_images import ClassImages  # noqa: E402
from offnominal.detectors.classifiers.classifier_network import FEATURES, _balanced, build_backbone  # noqa: E402
from offnominal.detectors.classifiers.logit_scores import log_doubt, log_wrong  # noqa: E402
from offnominal.detectors.images.features.vgg16 import VGG16  # noqa: E402
from offnominal.laws.class_detector import square_images  # noqa: E402

pytestmark = pytest.mark.long

QUICK = {"n_epochs": 12, "batch_size": 16, "device": "cpu"}
IMAGES, LABELS = square_images(60, 2, seed=5)
FRESH, _ = square_images(12, 3, seed=6)


@pytest.fixture(scope="module")
def trained():
    return MaxLogit(**QUICK).fit(IMAGES, LABELS)


def test_the_classifier_learns_the_normal_classes(trained):
    other, labels = square_images(24, 2, seed=7)
    assert (trained.predict(other) == labels).mean() > 0.9
    assert trained.curve_.shape[1] == 2


def test_scores_of_logits(trained):
    _, logits = trained.outputs(FRESH)
    assert trained.score(FRESH) == pytest.approx(-logits.max(axis=1))
    energy = Energy(**QUICK).fit_with(trained, IMAGES, LABELS)
    assert energy.network_ is trained.network_
    assert energy.score(FRESH) == pytest.approx(-logsumexp(logits, axis=1))
    doubt = MaxSoftmax(**QUICK).fit_with(trained, IMAGES, LABELS).score(FRESH)
    assert np.exp(doubt) == pytest.approx(1.0 - softmax(logits, axis=1).max(axis=1), rel=1e-6)


def test_certain_images_have_different_scores():
    logits = np.array([[90.0, 0.0, -3.0], [95.0, 0.0, -3.0], [300.0, 1.0, 0.0]])
    assert (softmax(logits.astype(np.float32), axis=1).max(axis=1) == 1.0).all(), "ties in float32"
    assert (np.diff(log_doubt(logits)) < 0.0).all()
    assert np.exp(log_wrong(np.array([[0.3, -1.0, 2.0]]))) == pytest.approx(1.0 - softmax([[0.3, -1.0, 2.0]], axis=1))


def test_the_ensemble_averages_probabilities():
    ensemble = DeepEnsemble(n_members=3, **QUICK | {"n_epochs": 1}).fit(IMAGES, LABELS)
    probabilities = [softmax(each._outputs(ClassImages(FRESH))[1], axis=1) for each in (ensemble, *ensemble.members_)]
    assert len(probabilities) == 3
    assert not np.array_equal(probabilities[0], probabilities[1])
    expected = 1.0 - np.mean(probabilities, axis=0).max(axis=1)
    assert np.exp(ensemble.score(FRESH)) == pytest.approx(expected, rel=1e-6)


def test_odin_changes_images_towards_their_class(trained):
    plain = ODIN(temperature=2.0, **QUICK).fit_with(trained, IMAGES, LABELS)
    changed = ODIN(temperature=2.0, epsilon=0.01, **QUICK).fit_with(trained, IMAGES, LABELS)
    assert (changed.score(FRESH) < plain.score(FRESH)).all()
    _, logits = trained.outputs(FRESH)
    assert plain.score(FRESH) == pytest.approx(log_doubt(logits / 2.0))


def test_distances_and_svm_rank_noise_above_normal_images(trained):
    noise = np.random.default_rng(0).integers(0, 256, (12, 32, 32, 3), np.uint8)
    normal, _ = square_images(12, 2, seed=8)
    for kind in (ClassMahalanobis, FeatureSVM):
        detector = kind(**QUICK).fit_with(trained, IMAGES, LABELS)
        assert np.median(detector.score(noise)) > detector.score(normal).mean(), kind.__name__


def test_the_covariance_of_ndcc_is_learned_and_saved():
    detector = NDCC(**QUICK | {"n_epochs": 1}).fit(IMAGES, LABELS)
    state = detector.state_dict()
    assert state["network.deviation"] != 1.0
    assert np.ptp(state["network.difference"]) > 0.0
    scores = detector.score(FRESH)
    again = NDCC(**QUICK)
    again.load_state_dict(state)
    assert np.array_equal(again.score(FRESH), scores)
    again.load_state_dict(state | {"network.deviation": np.float32(3.0).reshape(())})
    assert (again.score(FRESH) != scores).all(), "the saved covariance is used"
    with pytest.raises(InvalidParameter, match="not that of Energy"):
        Energy(**QUICK).fit_with(detector, IMAGES, LABELS)


def test_the_patch_autoencoder_needs_no_labels():
    mean, largest = (PatchAutoencoder(channels=2, n_epochs=1, reduction=each, device="cpu") for each in ("mean", "max"))
    big = np.random.default_rng(0).integers(0, 256, (3, 40, 72, 3), np.uint8)
    assert (largest.fit(big).score(big) > mean.fit(big).score(big)).all()
    cropped = PatchAutoencoder(channels=2, n_epochs=0, crop_bottom=8, device="cpu").fit(big)
    other = big.copy()
    other[:, -8:] = 0
    assert np.array_equal(cropped.score(other), cropped.score(big))
    with pytest.raises(InvalidParameter, match="40 rows of pixels"):
        PatchAutoencoder(crop_bottom=40, device="cpu").fit(big)


class Lazy:
    """Images that are made when they are used."""

    shape, dtype = (12, 32, 32, 3), np.dtype(np.uint8)

    def __len__(self):
        return 12

    def __getitem__(self, rows):
        assert len(np.arange(12)[rows]) <= 8, "few at a time"
        return FRESH[rows]


def test_images_may_be_lazy_or_grey(trained):
    assert np.array_equal(trained.score(Lazy()), trained.score(FRESH))
    grey = ClassImages(FRESH[..., 0])
    assert np.array_equal(grey.take(slice(2)), ClassImages(FRESH[..., :1]).take(slice(2)))
    assert np.array_equal(grey.take(slice(2))[:, 2], FRESH[:2, ..., 0])


def test_classes_are_drawn_equally_often():
    labels = np.array([0] * 95 + [1] * 5)
    drawn = labels[_balanced(np.arange(100), labels, np.random.default_rng(0))]
    assert 0.3 < drawn.mean() < 0.7


@pytest.mark.parametrize("name", FEATURES)
def test_backbones_have_the_stated_number_of_features(name):
    with torch.device("meta"):
        backbone = build_backbone(name, 64)
        side = backbone.size or 64
        assert backbone.features(torch.zeros(1, 3, side, side)).pooled.shape == (1, FEATURES[name])


def test_the_published_names_of_vgg16_are_accepted():
    with torch.device("meta"):
        network = VGG16()
    layers = (0, 2, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28)
    names = [*(f"features.{layer}" for layer in layers), *(f"classifier.{layer}" for layer in (0, 3, 6))]
    own = network.state_dict()
    published = {}
    for name in names:
        for part in ("weight", "bias"):
            key = f"{name}.{part}".replace("features", "convolutions")
            published[f"{name}.{part}"] = own.get(key, torch.zeros(0, device="meta"))
    network.load_state_dict(published, assign=True)


@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        (IMAGES.astype(float), LABELS, "uint8"),
        (IMAGES[:, :4], LABELS, "at least 8"),
        (IMAGES, None, "60 images"),
        (IMAGES, np.zeros(60, int), "two classes"),
        (IMAGES[..., :2], LABELS, "shape"),
    ],
)
def test_invalid_images_and_labels_are_named(images, labels, message):
    with pytest.raises(InvalidParameter, match=message):
        MaxLogit(**QUICK).fit(images, labels)


def test_an_unknown_backbone_is_named():
    with pytest.raises(UnknownName, match="Did you mean 'vgg16'"):
        MaxLogit(backbone="vgg61")
