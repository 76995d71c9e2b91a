"""Which configurations a cell tries."""

import numpy as np
import pytest

from offnominal.datasets.tables import Table, split
from offnominal.studies.detector_comparison.cell import SearchCell
from offnominal.studies.detector_comparison.configurations import configurations_of, usual
from offnominal.studies.detector_comparison.space import sample, space_of


def load(name, drop_identifiers):
    random = np.random.default_rng(len(name))
    return Table(name, random.normal(size=(90, 3)), random.normal(size=(30, 3)) * 1.5 + 1.0)


def test_random_search_tries_the_same_everywhere():
    found = [
        configurations_of(SearchCell(table, "lof", seed, 20), load) for table in ("iris", "glass") for seed in (1, 2)
    ]
    assert all(each == sample(space_of("lof"), 20) for each in found)


def test_optuna_tries_the_same_on_all_seeds_of_a_table():
    pytest.importorskip("optuna")
    cells = [SearchCell(table, "lof", seed, 20, sampler="optuna") for table in ("iris", "glass") for seed in (1, 2)]
    first, second, other, _ = (configurations_of(cell, load) for cell in cells)
    assert first == second != other
    assert first[:10] == sample(space_of("lof"), 10)
    assert len({each["k"] for each in first}) == 20


def test_fixed_parameters_are_kept():
    pytest.importorskip("torch", reason="torch is not installed")
    cell = SearchCell("iris", "vae", 1, 3, fixed={"iterations": 5})
    assert all(each["iterations"] == 5 for each in configurations_of(cell, load))


def test_what_is_used_without_anomalies_is_tried_too():
    parts = split(load("iris", True), seed=1)
    (tried,) = usual(SearchCell("iris", "knn", 1), parts)
    assert tried.configuration == {"default": True, "k": 10, "distance": "kappa"}
    assert len(tried.test) == len(parts.test)
    assert usual(SearchCell("iris", "vae", 1), parts) == []
