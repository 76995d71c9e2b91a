"""Connections of the KDD Cup, on a small file of the same form."""

import gzip

import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.errors import DamagedFile
from offnominal.datasets.tables.readers import read_kdd99


def line(protocol, service, flag, label, first="0"):
    return ",".join([first, protocol, service, flag, *["1.5"] * 37, label])


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    return tmp_path


def write(folder, *lines):
    path = folder / "kdd.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return {"rows": path}


def test_words_become_one_hot_and_labels_part_the_rows(home):
    paths = write(
        home,
        line("udp", "http", "SF", "normal."),
        line("tcp", "http", "S0", "smurf.", "7"),
        line("udp", "smtp", "SF", "normal."),
    )
    table = read_kdd99("kdd99_small", paths)
    assert table.normal[:, :7].tolist() == [[0, 0, 1, 1, 0, 0, 1], [0, 0, 1, 0, 1, 0, 1]]
    assert table.anomalous[0, :8].tolist() == [7, 1, 0, 1, 0, 1, 0, 1.5]
    assert table.dim == 38 + 6
    assert [column.name for column in table.columns][1:3] == ["column 1=tcp", "column 1=udp"]


def test_a_parsed_file_is_cached(home):
    paths = write(home, line("udp", "http", "SF", "normal."), line("tcp", "http", "S0", "smurf."))
    first = read_kdd99("kdd99_small", paths)
    assert len(list((home / "parsed").glob("*.parquet"))) == 1
    assert (read_kdd99("kdd99_small", paths).normal == first.normal).all()
    changed = write(home, line("udp", "http", "SF", "normal.", "5"), line("tcp", "http", "S0", "smurf."))
    assert read_kdd99("kdd99_small", changed).normal[0, 0] == 5


def test_a_damaged_cache_is_replaced(home):
    paths = write(home, line("udp", "http", "SF", "normal."), line("tcp", "http", "S0", "smurf."))
    read_kdd99("kdd99_small", paths)
    kept = next((home / "parsed").glob("*.parquet"))
    kept.write_bytes(b"something else")
    assert len(read_kdd99("kdd99_small", paths).normal) == 1
    assert kept.stat().st_size > 100


def test_text_in_a_number_is_named(home):
    paths = write(home, line("udp", "http", "SF", "normal.", "many"))
    with pytest.raises(DamagedFile, match=r"kdd.gz: .*many"):
        read_kdd99("kdd99_small", paths)
