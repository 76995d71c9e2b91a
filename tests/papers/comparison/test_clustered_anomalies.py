"""Tables with anomalies in a cluster, and searches with anomalies among the training rows."""

import json

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.datasets.tables import Table
from offnominal.papers.comparison import table_search
from offnominal.papers.comparison.cells import SearchCell
from offnominal.papers.comparison.clustered_anomalies import FEWEST, clustered_anomalies
from offnominal.papers.comparison.studies import SearchStudy
from offnominal.papers.comparison.table_search import parts_of
from offnominal.studies.catalogue import load_study
from offnominal.studies.execution import run_cell

DRAW = np.random.default_rng(0)
TABLE = Table("made", DRAW.normal(size=(200, 3)), DRAW.uniform(-9.0, 9.0, size=(60, 3)))


def spread(rows):
    return float(rows.var(axis=0).sum())


def test_anomalies_of_a_cluster_are_those_nearest_to_one_of_them():
    found = clustered_anomalies(TABLE, 0.3, seed=1)
    assert len(found.anomalous) == 18
    scaled = TABLE.anomalous / np.concatenate([TABLE.normal, TABLE.anomalous]).std(axis=0)
    places = [int(np.flatnonzero((TABLE.anomalous == row).all(axis=1))[0]) for row in found.anomalous]
    assert places == sorted(set(places))
    nearest = [set(np.square(scaled - each).sum(axis=1).argsort()[:18].tolist()) for each in scaled]
    assert set(places) in nearest
    assert spread(found.anomalous) < 0.5 * spread(TABLE.anomalous)
    assert found.normal is TABLE.normal


def test_every_anomaly_can_be_the_centre():
    pair = Table("pair", TABLE.normal, np.repeat([[0.0], [9.0]], FEWEST, axis=0) * np.ones(3))
    kept = {float(clustered_anomalies(pair, 0.5, seed).anomalous.mean()) for seed in range(40)}
    assert kept == {0.0, 9.0}


def test_another_seed_is_another_cluster_and_the_same_seed_the_same():
    first, again, other = (clustered_anomalies(TABLE, 0.2, seed=seed).anomalous for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_at_least_ten_anomalies_are_kept_and_all_by_default():
    assert len(clustered_anomalies(TABLE, 1e-3, seed=1).anomalous) == FEWEST
    assert clustered_anomalies(TABLE, 1.0, seed=1) is TABLE
    few = Table("few", TABLE.normal, TABLE.anomalous[:4])
    assert len(clustered_anomalies(few, 0.5, seed=1).anomalous) == 4


def test_difficulties_stay_with_their_anomalies():
    graded = Table("graded", TABLE.normal, TABLE.anomalous, difficulty=np.array(["easy", "hard"] * 30))
    found = clustered_anomalies(graded, 0.3, seed=1)
    for row, difficulty in zip(found.anomalous, found.difficulty, strict=True):
        assert difficulty == graded.difficulty[(graded.anomalous == row).all(axis=1)][0]


def test_the_training_rows_of_a_cell_have_the_fraction_of_anomalies():
    for contamination, wanted in ((0.0, 0), (0.05, 6), (0.2, 30)):
        train = parts_of(SearchCell("made", "knn", 1, contamination=contamination), TABLE).train
        assert (int(train.anomalous.sum()), len(train)) == (wanted, 120 + wanted)


def test_cells_without_contamination_and_clusters_have_the_data_that_they_had():
    assert not {"contamination", "clustered"} & set(SearchCell("iris", "knn", 1).to_dict())
    changed = SearchCell("iris", "knn", 1, contamination=0.1, clustered=0.5)
    assert (changed.to_dict()["contamination"], changed.to_dict()["clustered"]) == (0.1, 0.5)
    assert SearchCell.from_dict(changed.to_dict()) == changed


@pytest.mark.parametrize(("name", "value"), [("contamination", 1.0), ("contamination", -0.1), ("clustered", 0.0)])
def test_impossible_fractions_are_refused(name, value):
    with pytest.raises(InvalidParameter, match=f"{name} is {value}"):
        SearchStudy("mine", tables=("iris",), methods=("knn",), **{name: value})


@pytest.mark.long
def test_anomalies_among_the_training_rows_hide_those_of_their_cluster_from_the_nearest_neighbour(monkeypatch):
    cluster = Table("made", TABLE.normal, 6.0 + 0.1 * DRAW.normal(size=(60, 3)))
    monkeypatch.setattr(table_search, "open_table", lambda name, drop_identifiers: cluster)
    clean, dirty = (
        run_cell(SearchCell("made", "knn", 1, configurations=1, fixed=NEAREST, contamination=each)).rows.to_pylist()
        for each in (0.0, 0.05)
    )
    (first,), (second,) = ([row for row in rows if is_single(row)][:1] for rows in (clean, dirty))
    assert first["test_auc"] == 1.0
    assert second["test_auc"] < 0.5


NEAREST = {"n_neighbors": 1, "distance": "kappa"}


def is_single(row):
    return json.loads(row["configuration"]) == NEAREST


@pytest.mark.parametrize(
    ("name", "setting"), [("contaminated", {"contamination": 0.05}), ("clustered", {"clustered": 0.2})]
)
def test_the_shipped_studies_have_the_settings_at_every_scale(name, setting):
    study = load_study(f"comparison-{name}")
    for scale in study.scales:
        cells = study.at(scale).cells()
        assert cells
        assert all({key: cell.to_dict().get(key) for key in setting} == setting for cell in cells)
