"""Nearest-neighbour distances equal those of brute force for any block size."""

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cdist

from offnominal.detectors.images.features import feature_bank
from offnominal.detectors.images.features.feature_bank import FeatureBank

pytestmark = pytest.mark.long


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(3.0, 1.0, (300, 20)).astype(np.float32)


@pytest.fixture
def queries():
    return np.random.default_rng(1).normal(3.0, 1.0, (90, 20)).astype(np.float32)


@pytest.mark.parametrize("k", [1, 7])
def test_distances_are_those_of_brute_force(rows, queries, k):
    expected = np.sort(cdist(queries.astype(np.float64), rows.astype(np.float64)), axis=1)[:, :k]
    found = FeatureBank(torch.from_numpy(rows)).distances(torch.from_numpy(queries), k)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(("block", "together"), [(7, 5), (299, 1), (64, 64)])
def test_the_block_size_does_not_change_the_result(rows, queries, block, together, monkeypatch):
    whole = FeatureBank(torch.from_numpy(rows)).distances(torch.from_numpy(queries), 9)
    monkeypatch.setattr(feature_bank, "ROWS", block)
    monkeypatch.setattr(feature_bank, "QUERIES", together)
    in_blocks = FeatureBank(torch.from_numpy(rows)).distances(torch.from_numpy(queries), 9)
    np.testing.assert_array_equal(in_blocks, whole)


def test_rows_of_the_bank_have_distance_zero_at_any_offset(rows):
    far = torch.from_numpy(rows) + 1e4
    np.testing.assert_array_equal(FeatureBank(far).distances(far[:50])[:, 0], 0.0)


def test_small_distances_at_large_offsets_are_exact():
    bank = FeatureBank(torch.tensor([[1000.0, 0.0], [1000.0, 1.0]]))
    np.testing.assert_allclose(bank.distances(torch.tensor([[1000.0, 2.0**-10]])), [[2.0**-10]], rtol=1e-12)


def test_as_many_neighbours_as_rows_can_be_asked_for():
    bank = FeatureBank(torch.tensor([[0.0], [1.0], [3.0]]))
    np.testing.assert_allclose(bank.distances(torch.tensor([[3.0]]), 3), [[0.0, 2.0, 3.0]])
