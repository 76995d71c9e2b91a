"""The score of a single row is that of a batch up to rounding."""

import copy
import pickle

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.detectors.dense_layers import DenseLayers  # noqa: E402
from offnominal.detectors.observation_limits import MAX_SCORE  # noqa: E402
from offnominal.detectors.rows import (  # noqa: E402
    AAE,
    GAN,
    MAF,
    MOGAAL,
    SPTN,
    VAE,
    VAEKNN,
    AdVAE,
    DeepSVDD,
    DTECategorical,
    GANomaly,
    RealNVP,
    VAEOneClassSVM,
)
from offnominal.detectors.rows.architecture import Architecture  # noqa: E402
from offnominal.detectors.rows.layers import perceptron  # noqa: E402

pytestmark = pytest.mark.long

FEW = {"max_iter": 5, "device": "cpu"}
SMALL = {"hidden": 12, **FEW}
FLOW = {"n_flows": 3, "zero_last": False, "learning_rate": 1e-2, **SMALL}
DETECTORS = {
    "critic": GAN(activation="swish", **SMALL),
    "critic of one layer": GAN(layers=1, **SMALL),
    "critic of scaled rows": MOGAAL(generators=2, stop_epochs=1, **SMALL),
    "soft boundary": DeepSVDD(objective="soft-boundary", pretrain_iter=5, **SMALL),
    "code change": GANomaly(activation="leaky", **SMALL),
    "mean bin": DTECategorical(**SMALL),
    "diagonal": AAE(activation="tanh", n_samples=20, **SMALL),
    "scalar": VAE(variance="scalar", n_samples=7, prior="vamp", **SMALL),
    "constant": VAE(variance="constant", n_samples=1, **SMALL),
    "self-adversarial": AdVAE(n_samples=20, **SMALL),
    "autoregressive": MAF(order="random", activation="tanh", **FLOW),
    "autoregressive, normalised": MAF(batch_norm=True, squashed=True, **FLOW),
    "coupled": RealNVP(**FLOW),
    "coupled, normalised": RealNVP(batch_norm=True, squashed=True, **FLOW),
    "tree": SPTN(n_components=3, layers=2, sharing="none", first_dense=True, **FEW),
    "neighbours of codes": VAEKNN(**SMALL),
    "machine on codes": VAEOneClassSVM(**SMALL),
}


@pytest.fixture(scope="module")
def rows():
    draw = np.random.default_rng(0)
    return draw.normal(size=(80, 5)), np.concatenate([draw.normal(size=(6, 5)), [[1e20, -3.0, 0.0, 0.0, 9.0]]])


def assert_alike(detector, scored):
    alone = np.concatenate([detector.score_row(scored[[i]]) for i in range(len(scored))])
    np.testing.assert_allclose(alone, detector.score(scored), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", DETECTORS)
def test_a_row_has_the_score_of_the_batch(name, rows):
    detector = copy.deepcopy(DETECTORS[name]).fit(rows[0])
    assert detector.row_score_ is not None
    assert_alike(detector, rows[1])
    again = pickle.loads(pickle.dumps(detector))
    np.testing.assert_array_equal(again.score_row(rows[1][:1]), detector.score_row(rows[1][:1]))
    loaded = copy.deepcopy(DETECTORS[name])
    loaded.load_state_dict(detector.state_dict())
    np.testing.assert_array_equal(loaded.score_row(rows[1][:1]), detector.score_row(rows[1][:1]))


def test_a_change_of_parameters_after_training_counts(rows):
    detector = VAE(n_samples=3, **SMALL).fit(rows[0])
    assert_alike(detector.set_params(n_samples=50), rows[1])
    assert_alike(detector.set_params(score_name="elbo"), rows[1])


def test_other_input_is_scored_as_by_the_batch(rows):
    detector = GAN(**SMALL).fit(rows[0])
    invalid = rows[1][:1].copy()
    invalid[0, 2] = np.nan
    assert detector.score_row(invalid).tolist() == [MAX_SCORE]
    assert detector.score_row(rows[1][:3]).shape == (3,)
    assert detector.score_row(rows[1][:1].tolist()).shape == (1,)


@pytest.mark.parametrize("activation", ["relu", "swish", "tanh", "leaky"])
@pytest.mark.parametrize("n", [1, 30])
def test_dense_layers_are_those_of_torch(activation, n):
    torch.manual_seed(0)
    network = perceptron(7, 3, Architecture(layers=4, hidden=11, activation=activation))
    given = np.random.default_rng(1).normal(size=(n, 7)).astype(np.float32)
    with torch.no_grad():
        expected = network(torch.from_numpy(given)).numpy()
    np.testing.assert_allclose(DenseLayers.of(network)(given), expected, rtol=1e-5, atol=1e-6)
