"""Tables in files of users."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from offnominal.core.errors import InvalidLog, InvalidParameter, MissingFile, UnknownName, UnsupportedFormat
from offnominal.datasets.tables import load_table

COLUMNS = {"flow": [1.0, 2.0, 3.0, 9.0], "state": [0, 1, 0, 1], "label": [0, 0, 0, 1]}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(name, **changes):
    columns = {**COLUMNS, **changes}
    if name.endswith(".parquet"):
        pq.write_table(pa.table(columns), name)
        return
    rows = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    Path(name).write_text("\n".join(rows) + "\n", encoding="utf-8")


@pytest.mark.parametrize("file", ["mine.csv", "mine.parquet"])
def test_a_file_is_a_table_with_its_column_of_labels(file):
    write(file)
    table = load_table(f"{file}:label")
    assert repr(table) == f"Table('{file}:label', normal 3 × 2, anomalous 1)"
    np.testing.assert_array_equal(table.anomalous, [[9.0, 1.0]])
    assert [column.name for column in table.columns] == ["flow", "state"]


def test_other_labels_name_the_value_of_normal_rows():
    write("mine.csv", label=["ok", "ok", "leak", "ok"])
    np.testing.assert_array_equal(load_table("mine.csv:label=ok").anomalous, [[3.0, 0.0]])


@pytest.mark.parametrize(
    ("name", "changes", "error", "said"),
    [
        ("none.csv:label", {}, MissingFile, "needs the file none.csv, which does not exist"),
        ("mine.csv:lable", {}, UnknownName, "no column 'lable'. Did you mean 'label'"),
        ("mine.txt5:label", {}, UnsupportedFormat, "has the suffix '.txt5'"),
        ("mine.csv:label", {"flow": ["a", "b", "c", "d"]}, InvalidLog, "column 'flow' of mine.csv has the text 'a' in"),
        ("mine.csv:label", {"flow": [1.0, "", 2.0, 3.0]}, InvalidParameter, "row 1, column 0 is nan"),
        ("mine.csv:label", {"label": [0, 2, 0, 1]}, InvalidLog, "is 2 in row 1; .* mine.csv:label=VALUE of normal"),
        (
            "mine.csv:label",
            {"label": ["a", "b", "a", "a"]},
            InvalidLog,
            "expected 0 or 1. Other labels: mine.csv:",
        ),
    ],
)
def test_an_invalid_table_is_named(name, changes, error, said):
    if not name.startswith("none"):
        write(name.rpartition(":")[0], **changes)
    with pytest.raises(error, match=said):
        load_table(name)
