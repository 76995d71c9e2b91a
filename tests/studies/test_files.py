"""Tables of results as Parquet files."""

import errno
import os
import time
from pathlib import Path

import pyarrow as pa
import pytest

from offnominal.core.errors import DamagedFile, InaccessibleFile, MissingFile
from offnominal.core.files import write_bytes
from offnominal.studies import files
from offnominal.studies.files import is_whole, read_table, sweep, write_table

TABLE = pa.table({"key": ["a", "b"], "draws": pa.array([[1.0, 2.0], None], pa.list_(pa.float32()))})


def test_a_table_comes_back_as_it_was(tmp_path):
    write_table(tmp_path / "deep" / "t.parquet", TABLE, staging=tmp_path / "staging", split=("draws",))
    assert read_table(tmp_path / "deep" / "t.parquet").equals(TABLE)
    assert read_table(tmp_path / "deep" / "t.parquet", without=("draws",)).column_names == ["key"]
    assert is_whole(tmp_path / "deep" / "t.parquet")


def test_what_was_left_long_ago_is_swept_and_what_is_new_stays(tmp_path):
    staging = tmp_path / "staging"
    write_bytes(tmp_path / "x", b"x", staging=staging)
    for name in ("old", "new"):
        (staging / name).write_bytes(b"half")
    long_ago = time.time() - 2 * files.ABANDONED
    os.utime(staging / "old", (long_ago, long_ago))
    sweep(staging)
    assert [path.name for path in staging.iterdir()] == ["new"]


@pytest.mark.parametrize("kept", [0, 3, 4, 200, -1])
def test_a_file_that_was_cut_off_is_not_whole(tmp_path, kept):
    path = tmp_path / "t.parquet"
    write_table(path, TABLE, staging=tmp_path / "staging")
    path.write_bytes(path.read_bytes()[:kept])
    assert not is_whole(path)
    with pytest.raises(DamagedFile, match=r"t\.parquet cannot be read"):
        read_table(path)


def test_a_changed_byte_is_noticed(tmp_path):
    path = tmp_path / "t.parquet"
    write_table(path, pa.table({"key": [f"{number:x}" for number in range(1000)]}), staging=tmp_path / "staging")
    content = bytearray(path.read_bytes())
    content[200] ^= 0xFF
    path.write_bytes(content)
    assert is_whole(path)
    with pytest.raises(DamagedFile):
        read_table(path)


def test_a_missing_table_is_named(tmp_path):
    with pytest.raises(MissingFile):
        read_table(tmp_path / "none.parquet")


def test_a_table_that_cannot_be_opened_is_not_called_damaged(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    write_table(path, TABLE, staging=tmp_path / "staging")

    def refuse(self):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InaccessibleFile, match=r"too many open files; close some files, or raise the limit"):
        read_table(path)
