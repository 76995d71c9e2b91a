"""A cell of a comparison on images, done and stored."""

import json

import numpy as np
import pytest

from offnominal.papers.comparison import image_search as module
from offnominal.papers.comparison.cells import ImageCell
from offnominal.papers.comparison.configuration_results import ENSEMBLES
from offnominal.papers.comparison.search_spaces import image_search_space_of
from offnominal.studies.code import Sources
from offnominal.studies.execution import code_of, prepare, run_cell
from offnominal.studies.result_rows import same_results
from offnominal.studies.store import Store

from .image_cases import bars

pytestmark = pytest.mark.long

pytest.importorskip("torch", reason="torch is not installed")

SMALL = {"max_iter": 20, "n_samples": 2, "channels": 4, "latent": 4, "learning_rate": 0.001}
CODED = ImageCell("mnist", ("vae", "vaek", "vaeo"), 0, configurations=2, n_second_stage=3, machines=2, fixed=SMALL)


@pytest.fixture(autouse=True)
def made_images(monkeypatch):
    images = bars()
    monkeypatch.setattr(module, "open_images", lambda name: images)


def rows_of(cell, method):
    return [row for row in run_cell(cell).rows.to_pylist() if row["method"] == method]


def test_every_configuration_and_every_ensemble_has_a_row():
    rows = rows_of(ImageCell("mnist", ("knn",), 0, configurations=6), "knn")
    assert [json.loads(row["configuration"]) for row in rows[6:]] == [each.configuration for each in ENSEMBLES]
    assert {(row["table"], row["variant"], row["kind"]) for row in rows} == {("mnist", "cross", "leave-one-out")}
    assert max(row["test_auc"] for row in rows if not row["failure"]) > 0.9


def test_the_class_left_in_is_the_normal_one():
    out, into = (ImageCell("mnist", ("knn",), 1, leave=leave) for leave in ("leave-one-out", "leave-one-in"))
    (first, name), (second, _) = (module.split_of(cell, bars()) for cell in (out, into))
    assert name == "standing"
    assert set(bars().labels[first.train.rows]) == {1, 2}
    assert set(bars().labels[second.train.rows]) == {0}


def test_parts_can_be_made_smaller_and_keep_their_share_of_anomalies():
    parts, _ = module.split_of(ImageCell("mnist", ("knn",), 0, n_train=20, n_test=27), bars())
    assert (len(parts.train), len(parts.validation), len(parts.test)) == (20, 27, 27)
    assert parts.test.anomalous.sum() == 15
    assert parts.train.points.shape[1:] == (1, 8, 8)


@pytest.mark.parametrize("method", ["fano", "gano", "skip", "wae"])
@pytest.mark.parametrize("leave", ["leave-one-out", "leave-one-in"])
def test_methods_with_networks_of_their_own_are_searched(method, leave):
    details = {"max_iter": 4, "channels": 4} | ({"encoder_iter": 4} if method == "fano" else {})
    rows = rows_of(ImageCell("mnist", (method,), 0, leave=leave, configurations=1, fixed=details), method)
    _, scores = image_search_space_of(method)
    single = [row for row in rows if "ensemble" not in row["configuration"]]
    assert len(single) == max(len(scores), 1)
    assert not any(row["failure"] for row in single)
    assert all(0.0 <= row["test_auc"] <= 1.0 for row in single)


def test_one_network_serves_its_scores_and_both_second_stages():
    run_group = run_cell(CODED).rows.to_pylist()
    single = [row for row in run_group if "ensemble" not in row["configuration"]]
    count = {method: sum(row["method"] == method for row in single) for method in CODED.methods}
    assert count == {"vae": 8, "vaek": 6, "vaeo": 6}
    assert not any(row["failure"] for row in single if row["method"] != "vaek")
    assert any(row["test_auc"] is not None for row in single if row["method"] == "vaek")
    alone = rows_of(ImageCell("mnist", ("vae",), 0, configurations=2, fixed=SMALL), "vae")
    shared = [row for row in run_group if row["method"] == "vae"]
    assert [row["test_auc"] for row in alone] == [row["test_auc"] for row in shared]
    machines = json.loads(next(row["configuration"] for row in single if row["method"] == "vaeo"))
    assert (machines["machines"], machines["rows"], machines["max_iter"]) == (2, 36, 20)


@pytest.mark.parametrize("method", ["aae", "fmgn", "dsvd", "dsvp"])
def test_networks_are_tried_with_all_their_scores(method):
    fixed = {name: value for name, value in SMALL.items() if name != "n_samples" or method == "aae"}
    fixed |= {"pretrain_iter": 20} if method in ("dsvd", "dsvp") else {}
    rows = rows_of(ImageCell("mnist", (method,), 0, configurations=1, fixed=fixed), method)
    single = [row for row in rows if "ensemble" not in row["configuration"]]
    assert len(single) == {"aae": 13}.get(method, 1)
    assert not any(row["failure"] for row in single)


def test_a_network_that_cannot_be_trained_is_told_by_everyone_who_needs_it():
    rows = run_cell(CODED.replace(fixed={"latent": 0})).rows.to_pylist()
    assert {row["method"] for row in rows} == set(CODED.methods)
    assert all(row["failure"].startswith("InvalidParameter: latent is 0") for row in rows)


def test_a_cell_comes_out_the_same_twice_and_is_found_again(tmp_path):
    cell = ImageCell("mnist", ("osvm",), 2, configurations=4, machines=2)
    first, second = run_cell(cell), run_cell(cell)
    assert first.key == second.key
    assert same_results(first.rows, second.rows)
    store = Store(tmp_path)
    store.write(first.key, first.rows, first.examples)
    assert [(row["name"], row["world"]) for row in store.cells().to_pylist()] == [("osvm", "mnist")]


def test_the_key_follows_the_images_and_the_method(monkeypatch):
    knn = ImageCell("mnist", ("knn",), 0, configurations=2)
    before = prepare(knn)
    assert code_of(knn, Sources()) != code_of(CODED, Sources())
    other = bars(seed=1)
    monkeypatch.setattr(module, "open_images", lambda name: other)
    assert prepare(knn) != before


def test_what_cells_cost_counts_a_shared_network_once():
    rows = run_cell(CODED).rows.to_pylist()
    assert np.isfinite(rows[0]["fit_cpu_s"])
    assert rows[0]["fit_cpu_s"] < sum(row["fit_s"] for row in rows)
