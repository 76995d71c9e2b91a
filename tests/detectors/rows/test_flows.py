"""Flows and trees of mixtures are densities."""

import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.rows import MAF, SPTN, RealNVP
from offnominal.detectors.rows.maf import AutoregressiveNetwork

pytestmark = pytest.mark.long

RNG = np.random.default_rng(0)
QUICK = {"learning_rate": 1e-2, "batch_size": 32, "device": "cpu", "max_iter": 40, "zero_last": False}
FLOWS = {
    "maf": lambda **more: MAF(**{**QUICK, "n_flows": 2, "hidden": 16, "activation": "tanh", **more}),
    "real-nvp": lambda **more: RealNVP(**{**QUICK, "n_flows": 2, "hidden": 16, "shift_activation": "tanh", **more}),
    "sptn": lambda: SPTN(n_components=2, learning_rate=0.1, max_iter=100, device="cpu"),
}


def grid(width, step):
    axis = np.arange(-12, 12, step)
    return np.stack([part.ravel() for part in np.meshgrid(*[axis] * width)], 1)


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize(
    ("name", "more"),
    [
        *((name, {option: True}) for name in ("maf", "real-nvp") for option in ("squashed", "batch_norm")),
        *((name, {}) for name in FLOWS),
    ],
)
def test_densities_integrate_to_one(name, width, more):
    rows = RNG.normal(size=(200, width))
    rows[:, -1] = 0.5 * rows[:, 0] ** 2 - 1 + 0.5 * RNG.normal(size=200)
    step = 0.2 if width == 2 else 0.01
    density = np.exp(-FLOWS[name](**more).fit(rows, seed=1).score(grid(width, step)))
    assert density.sum() * step**width == pytest.approx(1, abs=2e-3)


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
def test_a_column_is_moved_by_earlier_ones_alone(order):
    torch.manual_seed(0)
    places = torch.tensor(order)
    layer = AutoregressiveNetwork(places, hidden=16, layers=3, activation="tanh", squashed=False, zero_last=False)
    slopes = torch.autograd.functional.jacobian(lambda row: layer(row[None])[0][0], torch.randn(4))
    needs = slopes != 0
    np.testing.assert_array_equal(needs.numpy(), (places[:, None] >= places).numpy())


@pytest.mark.parametrize("flow", [MAF, RealNVP])
def test_a_flow_begins_as_a_normal_density(flow):
    rows = RNG.normal(size=(50, 3))
    found = flow(device="cpu", max_iter=0).fit(rows).score(rows)
    np.testing.assert_allclose(found, -multivariate_normal(np.zeros(3)).logpdf(rows), rtol=1e-5)


@pytest.mark.parametrize("first_dense", [True, False])
@pytest.mark.parametrize("sharing", ["none", "dense", "all"])
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_a_tree_is_the_mixture_it_says(layers, sharing, first_dense):
    rows = RNG.normal(size=(100, 3)) * [1.0, 2.0, 0.5] + 1
    settings = {"layers": layers, "sharing": sharing, "first_dense": first_dense, "max_iter": 10, "learning_rate": 0.02}
    sptn = SPTN(n_components=2, device="cpu", **settings).fit(rows)
    weights, means, covariances = sptn.mixture()
    assert len(weights) == 2**layers
    assert weights.sum() == pytest.approx(1)
    parts = [w * multivariate_normal(m, c).pdf(rows) for w, m, c in zip(weights, means, covariances, strict=True)]
    np.testing.assert_allclose(sptn.score(rows), -np.log(np.sum(parts, 0)), rtol=1e-3, atol=1e-4)


def test_sharing_makes_a_tree_smaller():
    sizes = [
        sum(
            values.size
            for values in SPTN(n_components=3, layers=2, sharing=sharing, max_iter=0, device="cpu")
            .fit(np.eye(4))
            .state_dict()
            .values()
        )
        for sharing in ("none", "dense", "all")
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 3


def test_a_tree_too_large_is_named():
    with pytest.raises(InvalidParameter, match="choose fewer components or layers"):
        SPTN(n_components=16, layers=3).fit(np.zeros((5, 300)))


def test_a_tree_finds_clusters_that_a_gaussian_does_not():
    rng = np.random.default_rng(3)
    rows = np.concatenate([rng.normal(size=(200, 3)) * 0.3 + centre for centre in ([-3, 0, 0], [3, 0, 0], [0, 3, 3])])
    sptn = SPTN(n_components=4, device="cpu", max_iter=400).fit(rows)
    means = sptn.mixture()[1]
    found = [np.abs(means - centre).max(axis=1).min() for centre in ([-3, 0, 0], [3, 0, 0], [0, 3, 3])]
    assert max(found) < 0.3
    between, within = sptn.score(np.zeros((1, 3))), sptn.score(rows)
    assert between > within.max()


def test_the_maps_of_a_mixture_begin_apart():
    rows = np.concatenate([RNG.normal(size=(50, 2)) - 4, RNG.normal(size=(50, 2)) + 4])
    apart, alike = (SPTN(n_components=2, device="cpu", max_iter=n).fit(rows).mixture()[1] for n in (1, 0))
    assert np.abs(apart[0] - apart[1]).min() > 4 > np.abs(alike[0] - alike[1]).max()
