"""Readers of the tables' own formats, on small files of the same form."""

import zipfile

import numpy as np
import pytest

from offnominal.core.errors import DamagedFile
from offnominal.datasets.tables.readers import (
    read_annthyroid,
    read_arrhythmia,
    read_har,
    read_htru2,
    read_isolet,
    read_mammography,
    read_prepared,
    read_seismic,
    read_spambase,
    reader_of,
)


def written(folder, **texts):
    paths = {}
    for role, text in texts.items():
        paths[role] = folder / f"{role}.txt"
        paths[role].write_text(text, encoding="utf-8", newline="")
    return paths


def test_prepared_tables_keep_the_difficulty_and_the_column_groups(tmp_path):
    paths = written(tmp_path, normal="0 1 2\n3 4 5\n", easy="9 9 9\n", medium="8 8 8\n7 7 7\n", data_types="1\n1\n0\n")
    table = read_prepared("mine", paths)
    assert table.normal.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert table.difficulty.tolist() == ["easy", "medium", "medium"]
    assert [column.group for column in table.columns] == [1, 1, 0]


def test_a_prepared_table_may_lack_a_difficulty(tmp_path):
    assert read_prepared("mine", written(tmp_path, normal="0 1\n", hard="1 1\n")).difficulty.tolist() == ["hard"]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"normal": "0 1\n2 x\n", "easy": "1 1\n"}, "normal.txt: .*'x'"),
        ({"normal": "0 1\n2\n", "easy": "1 1\n"}, "normal.txt: .*columns"),
        ({"normal": "0 nan\n", "easy": "1 1\n"}, "normal.txt: row 0, column 1 is nan"),
        ({"normal": "0 1\n", "easy": "1 1 1\n"}, "easy.txt has 3 columns, normal.txt 2"),
        ({"normal": "\n", "easy": "1 1\n"}, "normal.txt has no rows"),
    ],
)
def test_a_damaged_file_is_named(tmp_path, texts, message):
    with pytest.raises(DamagedFile, match=message):
        read_prepared("mine", written(tmp_path, **texts))


def test_both_letter_tables_come_from_one_file(tmp_path):
    path = tmp_path / "packed.npz"
    rows = np.array([[10000, -1], [0, 5], [3, 3]], np.int16)
    np.savez(path, X_e4_int16=rows, group_isolet=np.array([0, 1, 2]), group_letter_recognition=np.array([2, 0, 0]))
    isolet = reader_of("isolet", "packed")("isolet", {"packed": path})
    assert isolet.normal.tolist() == [[1.0, -0.0001]]
    assert isolet.difficulty.tolist() == ["easy", "medium"]
    assert len(read_isolet("letter-recognition", {"packed": path}).normal) == 2


@pytest.mark.parametrize("comma", [",", " "])
def test_annthyroid_joins_both_files_and_calls_class_3_normal(tmp_path, comma):
    lines = {"train": "0.7,0,3\n0.2,1,1\n", "test": "0.1,1,3\n0.3,1,2\n"}
    paths = written(tmp_path, **{role: text.replace(",", comma) for role, text in lines.items()})
    table = read_annthyroid("annthyroid", paths)
    assert table.normal.tolist() == [[0.7, 0], [0.1, 1]]
    assert table.anomalous.tolist() == [[0.2, 1], [0.3, 1]]


def test_annthyroid_lines_may_end_in_a_comma(tmp_path):
    paths = written(tmp_path, train="0.7,0,3,\n", test="0.3,1,2,\n")
    assert read_annthyroid("annthyroid", paths).dim == 2


@pytest.mark.parametrize("header", [True, False])
def test_arrhythmia_loses_four_columns_and_row_5(tmp_path, header):
    lines = [
        ",".join([*(str(k) for k in range(10)), "?", "?", "?", "?", str(row), str(1 + row % 2)]) for row in range(6)
    ]
    lines[4] = lines[4].replace("9", "?")
    names = ",".join(["age", *(f"c{k}" for k in range(1, 15)), "class"])
    table = read_arrhythmia("arrhythmia", written(tmp_path, rows="\n".join([names] * header + lines)))
    assert table.normal[:, -1].tolist() == [0, 2]
    assert table.anomalous[:, -1].tolist() == [1, 3, 5]
    assert table.dim == 11
    assert [column.name for column in table.columns][-2:] == (["c9", "c14"] if header else ["column 9", "column 10"])


def test_har_puts_test_rows_first_and_calls_lying_anomalous(tmp_path):
    path = tmp_path / "har.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for part, rows, labels in (("test", "  1.0e+0 2\n 3 4\n", "1\n6\n"), ("train", " 5 6\n", "2\n")):
            archive.writestr(f"UCI HAR Dataset/{part}/X_{part}.txt", rows)
            archive.writestr(f"UCI HAR Dataset/{part}/y_{part}.txt", labels)
    table = read_har("har", {"archive": path})
    assert table.normal.tolist() == [[1, 2], [5, 6]]
    assert table.anomalous.tolist() == [[3, 4]]


def test_what_is_no_archive_of_har_is_named(tmp_path):
    path = tmp_path / "har.zip"
    path.write_bytes(b"no archive")
    with pytest.raises(DamagedFile, match=r"har.zip: .*archive of UCI"):
        read_har("har", {"archive": path})


def test_htru2_lines_may_end_as_on_an_old_mac(tmp_path):
    table = read_htru2("htru2", written(tmp_path, rows="meanprof,b,class\r1,2,0\r3,4,1\r"))
    assert table.normal.tolist() == [[1, 2]]
    assert table.anomalous.tolist() == [[3, 4]]
    assert table.columns[0].name == "meanprof"


def test_mammography_has_its_class_in_quotes(tmp_path):
    table = read_mammography("mammography", written(tmp_path, rows="0.5,1,'-1'\n0.25,2,'1'\n"))
    assert table.normal.tolist() == [[0.5, 1]]
    assert table.anomalous.tolist() == [[0.25, 2]]


def test_seismic_letters_become_one_hot_over_those_that_occur(tmp_path):
    head = "% a comment\n" + "".join(f"@attribute a{k} real\n" for k in range(19)) + "@data\n"
    first = "a,b,N," + ",".join("1" * 4) + ",a," + ",".join("2" * 10) + ",0\n"
    second = "b,b,W," + ",".join("3" * 4) + ",c," + ",".join("4" * 10) + ",1\n"
    table = read_seismic("seismic", written(tmp_path, rows=head + first + second))
    assert table.normal.tolist() == [[1, 0, 1, 1, 0, *[1] * 4, 1, 0, *[2] * 10]]
    assert table.anomalous.tolist() == [[0, 1, 1, 0, 1, *[3] * 4, 0, 1, *[4] * 10]]
    assert [column.group for column in table.columns][:6] == [1, 1, 2, 3, 3, 0]
    assert table.columns[1].name == "a0=b"


def test_seismic_without_data_is_named(tmp_path):
    with pytest.raises(DamagedFile, match="@data"):
        read_seismic("seismic", written(tmp_path, rows="@attribute a real\n"))


@pytest.mark.parametrize("head", ["", "1,2,3,4,5,6,7,8\r\n"])
def test_spambase_may_begin_with_column_numbers(tmp_path, head):
    table = read_spambase("spambase", written(tmp_path, rows=head + "0,1,0,0,0,0,5,0\r\n2,1,0,0,0,0,5,1\r\n"))
    assert table.normal.tolist() == [[0, 1, 0, 0, 0, 0, 5]]
    assert len(table.anomalous) == 1
