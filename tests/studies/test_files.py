"""Files that are there whole or not at all."""

import os
import time

import pyarrow as pa
import pytest

from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.studies import files
from offnominal.studies.files import is_whole, read_json, read_table, sweep, write_bytes, write_json, write_table

TABLE = pa.table({"key": ["a", "b"], "draws": pa.array([[1.0, 2.0], None], pa.list_(pa.float32()))})


def test_a_table_comes_back_as_it_was(tmp_path):
    write_table(tmp_path / "deep" / "t.parquet", TABLE, room=tmp_path / "room", split=("draws",))
    assert read_table(tmp_path / "deep" / "t.parquet").equals(TABLE)
    assert read_table(tmp_path / "deep" / "t.parquet", without=("draws",)).column_names == ["key"]
    assert is_whole(tmp_path / "deep" / "t.parquet")


def test_a_writer_that_dies_leaves_what_was_there(tmp_path, monkeypatch):
    path, room = tmp_path / "note.json", tmp_path / "room"
    write_json(path, {"number": 1}, room=room)

    def die(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "fsync", die)
    with pytest.raises(KeyboardInterrupt):
        write_json(path, {"number": 2}, room=room)
    assert read_json(path) == {"number": 1}
    assert len(list(room.iterdir())) == 1


def test_what_was_left_long_ago_is_swept_and_what_is_new_stays(tmp_path):
    room = tmp_path / "room"
    write_bytes(tmp_path / "x", b"x", room=room)
    for name in ("old", "new"):
        (room / name).write_bytes(b"half")
    long_ago = time.time() - 2 * files.ABANDONED
    os.utime(room / "old", (long_ago, long_ago))
    sweep(room)
    assert [path.name for path in room.iterdir()] == ["new"]


@pytest.mark.parametrize("kept", [0, 3, 4, 200, -1])
def test_a_file_that_was_cut_off_is_not_whole(tmp_path, kept):
    path = tmp_path / "t.parquet"
    write_table(path, TABLE, room=tmp_path / "room")
    path.write_bytes(path.read_bytes()[:kept])
    assert not is_whole(path)
    with pytest.raises(DamagedFile, match=r"t\.parquet cannot be read"):
        read_table(path)


def test_a_changed_byte_is_noticed(tmp_path):
    path = tmp_path / "t.parquet"
    write_table(path, pa.table({"key": [f"{number:x}" for number in range(1000)]}), room=tmp_path / "room")
    content = bytearray(path.read_bytes())
    content[200] ^= 0xFF
    path.write_bytes(content)
    assert is_whole(path)
    with pytest.raises(DamagedFile):
        read_table(path)


def test_what_is_missing_or_no_object_is_named(tmp_path):
    with pytest.raises(MissingFile):
        read_table(tmp_path / "none.parquet")
    with pytest.raises(MissingFile):
        read_json(tmp_path / "none.json")
    for text, problem in (("{", "is no JSON"), ("[1]", "holds a list")):
        (tmp_path / "bad.json").write_text(text, encoding="utf-8")
        with pytest.raises(DamagedFile, match=problem):
            read_json(tmp_path / "bad.json")
