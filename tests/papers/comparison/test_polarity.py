"""A detector that finds dense places strange is noticed."""

import math

import numpy as np
import pytest

from offnominal.datasets.tables import Table, split_table
from offnominal.papers.comparison.runners.runner_catalogue import runner_of
from offnominal.papers.comparison.search.polarity import measure_polarity

pytestmark = pytest.mark.long


def test_a_detector_that_turns_density_around_is_inverted(parts):
    (tried,) = runner_of("knn").run([{"n_neighbors": 5, "distance": "kappa"}], parts, seed=1)
    assert measure_polarity(tried.test, parts).correlation == 1.0
    assert measure_polarity(-tried.test, parts).inverted


def test_a_sigmoid_kernel_that_finds_crowds_strange_is_inverted():
    rng = np.random.default_rng(0)
    crowds = np.concatenate([rng.normal(size=(100, 5)) + 4.0 * rng.normal(size=5) for _ in range(3)])
    parts = split_table(Table("crowds", crowds, rng.uniform(-8.0, 8.0, size=(30, 5))), seed=1)
    (tried,) = runner_of("osvm").run([{"kernel": "sigmoid", "gamma": 0.1, "nu": 0.5}], parts, seed=1)
    assert measure_polarity(tried.test, parts).inverted


def test_constant_and_missing_scores_have_no_polarity(parts):
    n = len(parts.test)
    for scores in (np.ones(n), np.full(n, math.nan)):
        found = measure_polarity(scores, parts)
        assert math.isnan(found.correlation)
        assert not found.inverted
