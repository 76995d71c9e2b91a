"""What every deep detector promises, whatever its network."""

import dataclasses

import numpy as np
import pytest
import torch
from sklearn.metrics import roc_auc_score

from offnominal.core.errors import DamagedFile, InvalidParameter, NotFitted
from offnominal.detectors import rows as deep
from offnominal.detectors.rows import deep_detector

pytestmark = pytest.mark.long

RNG = np.random.default_rng(0)


def ring(n, seed):
    draw = np.random.default_rng(seed)
    angle = draw.uniform(0, 2 * np.pi, n)
    around = np.stack([np.cos(angle), np.sin(angle), np.sin(angle), np.cos(angle)], 1)
    return around + 0.05 * draw.normal(size=(n, 4))


def blocks(n, seed):
    """Bright squares somewhere on dark ground."""
    draw = np.random.default_rng(seed)
    images = np.zeros((n, 1, 10, 10), np.float32)
    for image, (y, x) in zip(images, draw.integers(0, 6, (n, 2)), strict=True):
        image[0, y : y + 4, x : x + 4] = 0.8
    return np.clip(images + 0.05 * draw.normal(size=images.shape), 0, 1).astype(np.float32)


def blob(n, seed):
    return 1.0 + 0.3 * np.random.default_rng(seed).normal(size=(n, 4))


NORMAL, FRESH = ring(300, 0), ring(60, 1)
STRANGE = FRESH + RNG.choice([-1.0, 1.0], size=FRESH.shape) * RNG.uniform(1.5, 3.0, size=FRESH.shape)
PICTURES, NEW_PICTURES = blocks(120, 0), blocks(30, 1)
GREY = np.clip(0.5 + 0.05 * RNG.normal(size=NEW_PICTURES.shape), 0, 1).astype(np.float32)

# Far from its rows a critic knows what the generator made there: early on, points around zero or grey images.
EARLY = {"learning_rate": 1e-3, "batch_size": 32, "hidden": 24, "max_iter": 20, "device": "cpu"}
QUICK = {"hidden": 24, "learning_rate": 5e-3, "batch_size": 32, "device": "cpu"}
CODED = {**QUICK, "latent": 2, "n_samples": 10, "max_iter": 120}
TABLES = {
    "AAE": {**CODED, "max_iter": 100},
    "AdVAE": {**CODED, "layers": 2, "max_iter": 80},
    "DeepSVDD": {**QUICK, "latent": 4, "max_iter": 90, "pretrain_iter": 40},
    "DTECategorical": {**QUICK, "dropout": 0.1, "max_iter": 120},
    "FMGAN": EARLY,
    "GAN": EARLY,
    "GANomaly": {**QUICK, "latent": 2, "max_iter": 90},
    "ICL": {**QUICK, "max_iter": 60, "permutations": 2},
    "MAF": {**QUICK, "n_flows": 2, "layers": 2, "max_iter": 90},
    "MOGAAL": {
        "generators": 3,
        "stop_epochs": 10,
        "hidden": 16,
        "critic_learning_rate": 0.3,
        "batch_size": 50,
        "device": "cpu",
    },
    "NeuTraL": {**QUICK, "transformations": 5, "max_iter": 120},
    "RealNVP": {**QUICK, "n_flows": 2, "layers": 2, "max_iter": 90},
    "SPTN": {"n_components": 4, "learning_rate": 2e-2, "batch_size": 32, "max_iter": 120, "device": "cpu"},
    "VAE": CODED,
    "VAEKNN": {**CODED, "n_neighbors": 3},
    "VAEOneClassSVM": CODED,
    "WAE": CODED,
}
DRAWN = {"channels": 4, "learning_rate": 5e-3, "batch_size": 16, "max_iter": 50, "device": "cpu"}
IMAGES = {
    "AAE": {**DRAWN, "latent": 4, "n_samples": 5},
    "AdVAE": {**DRAWN, "latent": 4, "n_samples": 5},
    "DeepSVDD": {**DRAWN, "latent": 4, "pretrain_iter": 40},
    "FAnoGAN": {**DRAWN, "latent": 4, "layers": 3, "max_iter": 20, "encoder_iter": 50},
    "FMGAN": {**DRAWN, "max_iter": 30, "learning_rate": 2e-3},
    "GAN": {**DRAWN, "max_iter": 30, "learning_rate": 2e-3},
    "GANomaly": {**DRAWN, "latent": 4, "max_iter": 150},
    "SkipGANomaly": {**DRAWN, "layers": 3, "max_iter": 40},
    "VAE": {**DRAWN, "latent": 4, "n_samples": 5},
    "VAEKNN": {**DRAWN, "latent": 4, "n_samples": 5, "max_iter": 90},
    "WAE": {**DRAWN, "latent": 4, "n_samples": 5},
}
CASES = [(name, "table") for name in TABLES] + [(name, "images") for name in IMAGES]
FITTED = {}


def make(name, kind, **more):
    return getattr(deep, name)(**{**(TABLES if kind == "table" else IMAGES)[name], **more})


def rows_of(name, kind):
    """Return rows to learn from, other normal ones, and strange ones."""
    if kind == "images":
        return PICTURES, NEW_PICTURES, GREY if name in ("FMGAN", "GAN") else 1 - NEW_PICTURES
    if name in ("FMGAN", "GAN", "MOGAAL", "VAEOneClassSVM"):
        return blob(300, 0), blob(60, 1), -blob(60, 2)
    return NORMAL, FRESH, STRANGE


@pytest.fixture(params=CASES, ids="-".join)
def case(request):
    """A fitted detector, and new rows that are half normal and half strange; fitted once for all tests."""
    name, kind = request.param
    known, fresh, strange = rows_of(name, kind)
    if request.param not in FITTED:
        FITTED[request.param] = make(name, kind).fit(known, seed=3)
    return FITTED[request.param], np.concatenate([fresh, strange])


def test_anomalous_rows_have_higher_scores(case):
    detector, rows = case
    strange = np.repeat([0, 1], len(rows) // 2)
    assert roc_auc_score(strange, detector.score(rows)) > 0.9


def test_one_network_gives_all_scores(case):
    detector, rows = case
    found = detector.scores(rows)
    assert set(found) == set(detector.SCORES)
    for name, values in found.items():
        assert values.shape == (len(rows),)
        assert np.isfinite(values).all()
        assert np.ptp(values) > 0
        np.testing.assert_array_equal(values, detector.scores(rows, only=[name])[name])
    np.testing.assert_array_equal(detector.score(rows), found[detector.score_name])


def test_a_row_has_the_same_score_alone(case):
    detector, rows = case
    together = detector.scores(rows)
    for row in (0, len(rows) - 1):
        for name, values in detector.scores(rows[row : row + 1]).items():
            np.testing.assert_allclose(values[0], together[name][row], rtol=1e-4, atol=1e-5, err_msg=name)


def test_a_state_dict_can_be_loaded(case):
    detector, rows = case
    twin = type(detector)(**detector.get_params())
    twin.load_state_dict(detector.state_dict())
    np.testing.assert_array_equal(twin.score(rows), detector.score(rows))
    with pytest.raises(DamagedFile, match="shape is missing"):
        twin.load_state_dict({name: values for name, values in detector.state_dict().items() if name != "shape"})


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_seed_fixes_everything_and_nothing_else_is_touched(name, kind, device):
    known, fresh, _ = rows_of(name, kind)
    few = {"max_iter": 6, "device": device}
    if name in ("DeepSVDD", "FAnoGAN"):
        few |= {"pretrain_iter": 6} if name == "DeepSVDD" else {"encoder_iter": 6}
    before = torch_state()
    first, second, other = (make(name, kind, **few).fit(known, seed=seed).score(fresh) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, other)
    assert before == torch_state()


def test_scores_do_not_depend_on_the_rows_per_batch(case, monkeypatch):
    detector, rows = case
    together = detector.score(rows)
    monkeypatch.setattr(deep_detector, "CHUNK", 7)
    monkeypatch.setattr(deep_detector, "GPU_CHUNK", 7)
    assert detector._rows_per_batch() == 7
    np.testing.assert_allclose(detector.score(rows), together, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("shape", "rows"), [((4,), 2**15), ((128,), 2**15), ((1024,), 2**12), ((3, 128, 128), 1024)])
def test_a_gpu_scores_as_many_rows_at_once_as_fit(shape, rows, monkeypatch):
    detector = make("VAE", "table")
    monkeypatch.setattr(detector, "shape_", shape, raising=False)
    monkeypatch.setattr(detector, "device_", torch.device("cuda"), raising=False)
    assert detector._rows_per_batch() == rows


@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no GPU here")
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_replayed_updates_on_a_gpu_give_the_same_scores(name, kind, monkeypatch):
    known, fresh, _ = rows_of(name, kind)
    detector = make(name, kind, device="cuda")
    replayed = detector.fit(known, seed=1).score(fresh)
    monkeypatch.setattr(type(detector), "replayable", False)
    np.testing.assert_allclose(detector.fit(known, seed=1).score(fresh), replayed, rtol=1e-3, atol=1e-4)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no GPU here")
def test_tensor_float_32_on_a_gpu_gives_the_same_bits_again(monkeypatch):
    known, fresh, _ = rows_of("DeepSVDD", "images")
    detector = make("DeepSVDD", "images", device="cuda", channels=64)
    exact = detector.fit(known, seed=1).score(fresh)
    monkeypatch.setenv("OFFNOMINAL_TF32", "1")
    first, again = (detector.fit(known, seed=1).score(fresh) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, exact)


def torch_state():
    gpu = torch.cuda.get_rng_state().numpy().tobytes() if torch.cuda.is_available() else b""
    return torch.random.get_rng_state().numpy().tobytes(), gpu


@pytest.mark.parametrize("name", TABLES)
def test_bad_rows_are_named(name):
    detector = make(name, "table", max_iter=1)
    with pytest.raises(NotFitted, match="call fit first"):
        detector.score(FRESH)
    with pytest.raises(NotFitted, match="call fit first"):
        detector.state_dict()
    with pytest.raises(InvalidParameter, match="one row"):
        detector.fit(NORMAL[:1])
    with pytest.raises(InvalidParameter, match="row 7 has a value that is not finite"):
        detector.fit(np.where(np.arange(len(NORMAL))[:, None] == 7, np.nan, NORMAL))
    detector = make(name, "table", max_iter=1).fit(NORMAL)
    with pytest.raises(InvalidParameter, match="3 columns; fit got 4"):
        detector.score(FRESH[:, :3])
    with pytest.raises(InvalidParameter, match="3 columns; fit got 4"):
        make(name, "table", max_iter=1).fit(NORMAL, validation=FRESH[:, :3])
    with pytest.raises(InvalidParameter, match=r"shape \(4,\)"):
        detector.score(FRESH[0])


@pytest.mark.parametrize("name", TABLES)
def test_far_rows_and_constant_columns_have_finite_scores(name):
    rows = np.concatenate([NORMAL, np.ones((len(NORMAL), 1))], 1)
    detector = make(name, "table", max_iter=20).fit(rows)
    for values in detector.scores(np.array([[1e30] * 5, [-1e5, 1e5, 0, 0, 0], [0.0] * 5])).values():
        assert np.isfinite(values).all()


def test_bad_images_are_named():
    vae = make("VAE", "images", max_iter=1)
    with pytest.raises(InvalidParameter, match="Divide bytes by 255"):
        vae.fit(PICTURES * 255)
    with pytest.raises(InvalidParameter, match="uint8"):
        vae.fit((PICTURES * 255).astype(np.uint8))
    vae.fit(PICTURES)
    with pytest.raises(InvalidParameter, match="1 × 8 × 10; fit got the shape 1 × 10 × 10"):
        vae.score(PICTURES[:, :, :8])
    with pytest.raises(InvalidParameter, match="takes images"):
        make("FAnoGAN", "images").fit(NORMAL)
    with pytest.raises(InvalidParameter, match=r"shape \(120, 1, 10, 10\)"):
        make("MAF", "table").fit(PICTURES)


@pytest.mark.parametrize(
    ("name", "bad", "words"),
    [
        ("VAE", {"latent": 0}, "latent is 0"),
        ("VAE", {"variance": "full"}, "variance is 'full'"),
        ("VAE", {"prior": "flat"}, "prior is 'flat'"),
        ("VAE", {"activation": "elu"}, "activation is 'elu'"),
        ("VAE", {"score_name": "elbow"}, "Did you mean 'elbo'"),
        ("VAE", {"learning_rate": 0.0}, "learning_rate is 0.0"),
        ("VAE", {"beta": -1.0}, "beta is -1.0"),
        ("VAE", {"max_seconds": 0.0}, "seconds is 0.0"),
        ("WAE", {"kernel": "linear"}, "kernel is 'linear'"),
        ("WAE", {"batch_size": 1}, "at least two rows"),
        ("DeepSVDD", {"nu": 1.0}, "nu is 1.0"),
        ("DeepSVDD", {"objective": "hard"}, "objective is 'hard'"),
        ("MAF", {"order": "sorted"}, "order is 'sorted'"),
        ("MAF", {"weight_decay": -1.0}, "weight_decay is -1.0"),
        ("RealNVP", {"scale_activation": "elu"}, "activation is 'elu'"),
        ("SPTN", {"sharing": "some"}, "sharing is 'some'"),
        ("NeuTraL", {"transform": "shift"}, "transform is 'shift'"),
        ("NeuTraL", {"transformations": 1}, "transformations is 1"),
        ("NeuTraL", {"temperature": 0.0}, "temperature is 0.0"),
        ("ICL", {"hidden": 30}, "multiple of four"),
        ("ICL", {"window": "wide"}, "window is 'wide'"),
        ("DTECategorical", {"bins": 1}, "bins is 1"),
        ("DTECategorical", {"dropout": 1.0}, "dropout is 1.0"),
        ("GANomaly", {"coding": -1.0}, "coding is -1.0"),
        ("AdVAE", {"gamma": -1.0}, "gamma is -1.0"),
        ("MOGAAL", {"momentum": 1.0}, "momentum is 1.0"),
        ("VAEOneClassSVM", {"nu": 0.0}, "nu is 0.0"),
    ],
)
def test_bad_arguments_are_named(name, bad, words):
    with pytest.raises(InvalidParameter, match=words):
        make(name, "table", **bad)


def test_the_best_weights_are_kept():
    vae = make("VAE", "table", max_iter=60, learning_rate=0.02).fit(NORMAL, validation=FRESH, seed=0)
    longer = dataclasses.replace(vae, max_iter=100).fit(NORMAL, validation=FRESH, seed=0)
    short_losses, long_losses = (each.training_.validation_losses for each in (vae, longer))
    assert long_losses[: len(short_losses)] == short_losses
    assert min(long_losses) <= min(short_losses)


def test_every_validation_uses_the_same_noise():
    vae = make("VAE", "table", max_iter=60, learning_rate=1e-30).fit(NORMAL, validation=FRESH)
    assert len(set(vae.training_.validation_losses)) == 1


def test_untrained_detectors_are_worse():
    vae = make("VAE", "table")
    strange = np.repeat([0, 1], len(FRESH))
    near = FRESH + 0.35 * RNG.choice([-1.0, 1.0], FRESH.shape)
    rows = np.concatenate([FRESH, near])
    trained, untrained = (each.fit(NORMAL).score(rows) for each in (vae, vae.untrained()))
    assert roc_auc_score(strange, trained) > roc_auc_score(strange, untrained) + 0.1


def test_torch_is_needed_only_when_used():
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        deep.Nothing  # type: ignore[attr-defined]  # noqa: B018
    assert set(deep.__all__) <= set(dir(deep))
