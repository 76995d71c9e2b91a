"""A table of normal and anomalous rows."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.datasets.tables import Column, Table

NORMAL = [[0.0, 1.0], [2.0, 3.0]]


def test_a_table_cannot_be_written_to_and_copies_what_it_is_given():
    given = np.array(NORMAL)
    table = Table("mine", given, [[5.0, 6.0]])
    given[0, 0] = 99.0
    assert table.normal[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        table.normal[0, 0] = 1.0


def test_columns_and_difficulties_are_filled_in():
    table = Table("mine", NORMAL, [[5.0, 6.0]])
    assert table.columns == (Column("column 0"), Column("column 1"))
    assert table.difficulty.tolist() == [""]


@pytest.mark.parametrize(
    ("normal", "anomalous", "message"),
    [
        ([[0.0, np.nan]], [[1.0, 1.0]], "normal: row 0, column 1 is nan"),
        ([[0.0, 1.0]], [[np.inf, 1.0]], "anomalous: row 0, column 0 is inf"),
        ([["a", "b"]], [[1.0, 1.0]], "could not convert string to float"),
        ([[0.0, 1.0], [1.0]], [[1.0, 1.0]], "expected a table of numbers"),
        ([0.0, 1.0], [[1.0, 1.0]], "shape"),
        ([[0.0, 1.0]], [[1.0]], "normal rows have 2 columns, anomalous ones 1"),
    ],
)
def test_what_is_no_table_of_numbers_is_named(normal, anomalous, message):
    with pytest.raises(InvalidParameter, match=message):
        Table("mine", normal, anomalous)


def test_one_difficulty_per_anomaly_is_needed():
    with pytest.raises(InvalidParameter, match="2 difficulties for 1 anomalies"):
        Table("mine", NORMAL, [[5.0, 6.0]], np.array(["easy", "hard"]))


def test_difficulties_are_copied():
    given = np.array(["easy"], "U9")
    table = Table("mine", NORMAL, [[5.0, 6.0]], given)
    given[0] = "hard"
    assert table.difficulty.tolist() == ["easy"]


def test_anomalies_can_be_chosen_by_difficulty():
    table = Table("mine", NORMAL, [[5.0, 6.0], [7.0, 8.0]], np.array(["easy", "hard"]))
    assert table.with_difficulties("hard").anomalous.tolist() == [[7.0, 8.0]]
    with pytest.raises(InvalidParameter, match="very hard"):
        table.with_difficulties("very hard")


def test_columns_can_be_dropped():
    table = Table("mine", NORMAL, [[5.0, 6.0]]).without_columns([0])
    assert table.normal.tolist() == [[1.0], [3.0]]
    assert table.columns == (Column("column 1"),)
