"""Splits of tables."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.datasets.tables import Table, split_table


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return Table("mine", rng.normal(3.0, 2.0, (104, 3)), rng.normal(9.0, 1.0, (11, 3)))


def test_counts_are_60_20_20_and_halves_rounded_down(table):
    parts = split_table(table, 1)
    sizes = [(len(part), int(part.anomalous.sum())) for part in (parts.train, parts.validation, parts.test)]
    assert sizes == [(62, 0), (25, 5), (25, 5)]


def test_no_row_is_in_two_parts_and_labels_belong_to_rows(table):
    parts = split_table(table, 3, normalise=None)
    rows = np.concatenate([parts.train.rows, parts.validation.rows, parts.test.rows])
    assert len(set(rows.tolist())) == len(rows)
    everything = np.concatenate([table.normal, table.anomalous])
    for part in (parts.train, parts.validation, parts.test):
        assert (part.points == everything[part.rows]).all()
        assert (part.anomalous == (part.rows >= 104)).all()


def test_the_rows_of_a_seed_are_fixed():
    parts = split_table(Table("mine", np.arange(10.0)[:, None], np.arange(4.0)[:, None]), 1)
    assert parts.train.rows.tolist() == [9, 3, 5, 1, 0, 8]
    assert parts.test.rows.tolist() == [7, 13, 2, 11]


def test_seeds_differ(table):
    assert split_table(table, 1).train.rows.tolist() != split_table(table, 2).train.rows.tolist()


def test_order_does_not_give_labels_away(table):
    labels = split_table(table, 1).test.anomalous
    assert labels.any()
    assert not labels[-5:].all()


def test_train_scale_is_that_of_training_points_alone(table):
    parts = split_table(table, 1)
    assert np.allclose(parts.train.points.mean(axis=0), 0.0, atol=1e-12)
    assert np.allclose(parts.train.points.std(axis=0, ddof=1), 1.0)
    outlier = Table("mine", table.normal, np.concatenate([table.anomalous[:-1], [[1e6, 0, 0]]]))
    assert (split_table(outlier, 1).train.points == parts.train.points).all()


def test_paper_scale_is_that_of_all_rows(table):
    parts = split_table(table, 1, normalise="paper")
    everything = np.concatenate([table.normal, table.anomalous])
    expected = (everything - everything.mean(axis=0)) / everything.std(axis=0, ddof=1)
    assert np.allclose(parts.test.points, expected[parts.test.rows])


@pytest.mark.parametrize("normalise", ["train", "paper"])
def test_a_constant_column_is_moved_to_zero_and_not_blown_up(normalise):
    rng = np.random.default_rng(0)
    normal = np.stack([rng.normal(size=50), np.full(50, 0.1)], axis=1)
    anomalous = np.stack([rng.normal(size=6), np.full(6, 0.1)], axis=1)
    parts = split_table(Table("mine", normal, anomalous), 1, normalise=normalise)
    assert np.abs(parts.test.points[:, 1]).max() < 1e-12


def test_contamination_moves_anomalies_into_training(table):
    parts = split_table(table, 1, contamination=0.05)
    assert (len(parts.train), int(parts.train.anomalous.sum())) == (65, 3)
    assert int(parts.test.anomalous.sum()) == 4
    assert len(parts.train.normal) == 62


@pytest.mark.parametrize(
    ("normals", "anomalies", "arguments", "message"),
    [
        (4, 10, {}, "4 normal and 10 anomalous rows"),
        (10, 1, {}, "10 normal and 1 anomalous rows"),
        (10, 0, {}, "10 normal and 0 anomalous rows"),
        (50, 5, {"contamination": 0.3}, "takes 12 of them"),
        (50, 5, {"contamination": 1.0}, "contamination is 1.0"),
        (50, 5, {"normalise": "all"}, "normalise is 'all'"),
        (50, 5, {"seed": -1}, "seed -1"),
    ],
)
def test_what_cannot_be_split_is_named(normals, anomalies, arguments, message):
    table = Table("mine", np.arange(float(normals))[:, None], np.arange(float(anomalies))[:, None])
    with pytest.raises(InvalidParameter, match=message):
        split_table(table, **({"seed": 1} | arguments))
