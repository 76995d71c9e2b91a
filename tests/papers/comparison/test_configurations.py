"""Which configurations a cell tries."""

import numpy as np
import pytest

from offnominal.datasets.tables import Table, split_table
from offnominal.papers.comparison.cells import SearchCell
from offnominal.papers.comparison.search.configurations import configurations_of, default_result
from offnominal.papers.comparison.search.search_space import sample_configurations, search_space_of

pytestmark = pytest.mark.long


def load(name, drop_identifiers):
    random = np.random.default_rng(len(name))
    return Table(name, random.normal(size=(90, 3)), random.normal(size=(30, 3)) * 1.5 + 1.0)


def test_random_search_tries_the_same_everywhere():
    found = [
        configurations_of(SearchCell(table, "lof", seed, 20), load) for table in ("iris", "glass") for seed in (1, 2)
    ]
    assert all(each == sample_configurations(search_space_of("lof"), 20) for each in found)


def test_optuna_tries_the_same_on_all_seeds_of_a_table():
    pytest.importorskip("optuna")
    cells = [SearchCell(table, "lof", seed, 20, sampler="optuna") for table in ("iris", "glass") for seed in (1, 2)]
    first, second, other, _ = (configurations_of(cell, load) for cell in cells)
    assert first == second != other
    assert first[:10] == sample_configurations(search_space_of("lof"), 10)
    assert len({each["n_neighbors"] for each in first}) == 20


def test_fixed_parameters_are_kept():
    pytest.importorskip("torch", reason="torch is not installed")
    cell = SearchCell("iris", "vae", 1, 3, fixed={"max_iter": 5})
    assert all(each["max_iter"] == 5 for each in configurations_of(cell, load))


def test_what_is_used_without_anomalies_is_tried_too():
    parts = split_table(load("iris", True), seed=1)
    (tried,) = default_result(SearchCell("iris", "knn", 1), parts)
    assert tried.configuration == {"default": True, "n_neighbors": 10, "distance": "kappa"}
    assert len(tried.test) == len(parts.test)
    assert default_result(SearchCell("iris", "vae", 1), parts) == []
