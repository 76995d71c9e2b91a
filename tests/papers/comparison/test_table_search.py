"""A cell of a comparison, done and stored."""

import json

import numpy as np
import pytest

from offnominal.core.errors import MissingFile
from offnominal.datasets.tables import Table, load_table
from offnominal.papers.comparison.cells import SearchCell
from offnominal.papers.comparison.search import table_search as module
from offnominal.papers.comparison.search.ensembles import ENSEMBLES
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
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
    assert [each.get("ensemble") for each in tried] == [None] * 6 + [*ENSEMBLES, None]
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
