"""One network serves several second stages."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed")

from offnominal.datasets.tables import Table, split_table
from offnominal.detectors.rows.vae import VAE
from offnominal.papers.comparison.runners.deep_runners import DeepRunner
from offnominal.papers.comparison.runners.runner import runner_of

pytestmark = pytest.mark.long

NETWORK = {"hidden": 8, "latent": 2, "max_iter": 20, "batch_size": 16}
NEIGHBOURS = [NETWORK | {"n_neighbors": 3, "distance": "kappa"}, NETWORK | {"n_neighbors": 5, "distance": "gamma"}]
MACHINES = [
    NETWORK | {"kernel": "rbf", "gamma": 0.5, "nu": 0.5},
    NETWORK | {"hidden": 16, "kernel": "sigmoid", "gamma": 0.1, "nu": 0.01},
]


@pytest.fixture
def split():
    rows = np.random.default_rng(0).normal(size=(70, 4))
    return split_table(Table("mine", rows[:60], rows[60:] + 4.0), seed=1)


@pytest.fixture
def trainings(monkeypatch):
    seen = []
    train = VAE._train
    monkeypatch.setattr(VAE, "_train", lambda self, *given: (seen.append(self), train(self, *given))[1])
    return seen


@pytest.mark.parametrize(("method", "configurations", "networks"), [("vaek", NEIGHBOURS, 1), ("vaeo", MACHINES, 2)])
def test_scores_are_those_of_single_fits(method, configurations, networks, split, trainings):
    found = runner_of(method).run([each | {"second_stages": 4} for each in configurations], split, seed=3)
    assert len(trainings) == networks
    assert len(found) > len(configurations)
    assert [each.configuration for each in found[: len(configurations)]] == configurations
    for each, alone in zip(
        found, DeepRunner(method).run([each.configuration for each in found], split, 3), strict=True
    ):
        assert each.failure == alone.failure
        if not each.failure:
            np.testing.assert_allclose(each.validation, alone.validation, rtol=1e-6, atol=1e-9)
            np.testing.assert_allclose(each.test, alone.test, rtol=1e-6, atol=1e-9)


def test_further_second_stages_are_the_same_on_every_split(split):
    runner = runner_of("vaeo")
    first, second = (
        [each.configuration for each in runner.run([MACHINES[0] | {"second_stages": 3}], split, seed)]
        for seed in (1, 2)
    )
    assert first == second
    assert len(first) == 3


def test_without_further_second_stages_there_is_a_result_per_configuration(split):
    assert len(runner_of("vaek").run(NEIGHBOURS, split, seed=1)) == len(NEIGHBOURS)


def test_no_network_is_trained_for_too_many_neighbours(split, trainings):
    (found,) = runner_of("vaek").run([NEIGHBOURS[0] | {"n_neighbors": 99}], split, seed=1)
    assert found.failure == "InvalidParameter: n_neighbors is 99, but there are 36 rows; give more, or ask for fewer."
    assert not trainings
