"""Large CSV files are read in blocks, with the same result as whole."""

import gzip
import pickle

import numpy as np
import pytest

from offnominal.core.errors import InvalidLog
from offnominal.datasets.logs import csv_blocks, csv_log, episodes_from, split_log
from offnominal.datasets.logs.csv_blocks import CsvRows
from offnominal.datasets.logs.csv_log import read_csv


def written(path, rows=400, *, bad=None):
    """Write a log whose second column becomes a fraction late, and whose third is empty at first."""
    lines = ["time;count; late ;fault"]
    for row in range(rows):
        count = row if row < 300 else row + 0.5
        late = "" if row < 100 else f"{row:.1f}"
        lines.append(f"{row / 10:.1f};{count};{late};{int(row > 350)}")
    if bad is not None:
        lines[bad + 1] = "1.0;2.0"
    text = "\n".join([*lines, ""])
    (gzip.open if path.suffix == ".gz" else open)(path, "wt", encoding="utf-8").write(text)
    return path


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(csv_log, "LARGE", 0)
    monkeypatch.setattr(csv_blocks, "CHUNK", 1000)
    monkeypatch.setattr(csv_blocks, "BLOCK_ROWS", 17)


@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz"])
def test_blocks_have_the_episodes_of_the_whole_file(tmp_path, name, small_blocks, monkeypatch):
    path = written(tmp_path / name)
    options = {"time": "time", "label": "fault", "window": 20, "missing": "keep"}
    blocks = episodes_from(path, **options)
    assert isinstance(blocks.parts[0].source, CsvRows)
    assert len(blocks.parts[0].source._parts) > 5
    monkeypatch.setattr(csv_log, "LARGE", 2**26)
    whole = episodes_from(path, **options)
    assert blocks.parts[0].source.schema == whole.parts[0].source.schema
    for ours, theirs in zip(pickle.loads(pickle.dumps(blocks)), whole, strict=True):
        np.testing.assert_array_equal(ours.observations, theirs.observations)
        np.testing.assert_array_equal(ours.active, theirs.active)
    np.testing.assert_array_equal(blocks[-1].observations, whole[-1].observations)
    np.testing.assert_array_equal(blocks[2].observations, whole[2].observations)
    assert len(split_log(blocks)["faulty"]) == 2


def test_an_error_in_a_late_block_names_its_row(tmp_path, small_blocks):
    path = written(tmp_path / "log.csv", bad=330)
    with pytest.raises(InvalidLog, match=r"row 330 \(line 332\) has 2 entries; expected 4"):
        read_csv(path)
