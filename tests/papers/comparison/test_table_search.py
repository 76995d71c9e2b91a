"""A cell of a comparison on a table: which configurations it tries, and what is stored."""

import json

import numpy as np
import pytest

from offnominal.core.errors import MissingFile
from offnominal.datasets.tables import Table, load_table, split_table
from offnominal.papers.comparison import table_search as module
from offnominal.papers.comparison.cells import SearchCell
from offnominal.papers.comparison.comparison_results import ComparisonResults
from offnominal.papers.comparison.configuration_results import ENSEMBLES
from offnominal.papers.comparison.search_spaces import sample_configurations, search_space_of
from offnominal.papers.comparison.table_search import configurations_of, default_result
from offnominal.studies.execution import run_cell
from offnominal.studies.result_rows import same_results
from offnominal.studies.runner import run_study
from offnominal.studies.store import Store

pytestmark = pytest.mark.long

CELL = SearchCell("iris", "knn", 1, configurations=6)


@pytest.fixture(autouse=True)
def made_table(monkeypatch):
    random = np.random.default_rng(0)
    table = Table("iris", random.normal(size=(60, 3)), random.normal(size=(20, 3)) + 4.0)
    monkeypatch.setattr(module, "open_table", lambda name, drop_identifiers: table)


def test_configurations_ensembles_and_the_default_have_rows():
    rows = run_cell(CELL).rows.to_pylist()
    tried = [json.loads(row["configuration"]) for row in rows]
    assert tried[6:-1] == [each.configuration for each in ENSEMBLES]
    assert [each.get("default") for each in tried] == [None] * (6 + len(ENSEMBLES)) + [True]
    assert all(row["test_auc"] > 0.95 and row["polarity"] > 0.0 for row in rows if not row["failure"])


def test_a_cell_comes_out_the_same_twice():
    first, second = run_cell(CELL), run_cell(CELL)
    assert first.key == second.key
    assert same_results(first.rows, second.rows)


def test_the_key_follows_the_table(monkeypatch):
    before = run_cell(CELL).key
    other = Table("iris", np.random.default_rng(1).normal(size=(60, 3)), np.full((20, 3), 9.0))
    monkeypatch.setattr(module, "open_table", lambda name, drop_identifiers: other)
    assert run_cell(CELL).key != before


def test_what_fails_is_told_and_does_not_take_part():
    tiny = SearchCell("iris", "knn", 1, configurations=153)
    rows = run_cell(tiny).rows.to_pylist()
    failed = [row for row in rows if row["failure"]]
    assert failed
    assert all(row["test_auc"] is None for row in failed)
    chosen = ComparisonResults.of(run_cell(tiny).rows).chosen("mean")["iris", "knn"]
    assert chosen.failed == len(failed)
    assert chosen.value > 0.9


def test_results_are_stored_and_found_again(tmp_path):
    done = run_cell(CELL)
    store = Store(tmp_path)
    store.write(done.key, done.rows, done.examples)
    assert [(row["name"], row["world"]) for row in store.cells().to_pylist()] == [("knn", "iris")]


def test_the_runner_does_not_do_again_what_is_there(tmp_path, public_data):
    try:
        load_table("iris")
    except MissingFile:
        pytest.skip("the table iris is not there; `offnominal tables fetch iris` brings it")
    cells = [SearchCell("iris", "hbos", 1, configurations=3)]
    details = []
    assert run_study(cells, tmp_path, workers=1, report=details.append).computed == 1
    assert run_study(cells, tmp_path, workers=1, report=details.append).reused == 1


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
