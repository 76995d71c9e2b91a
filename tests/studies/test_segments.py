"""Segments can be lost, half made or made twice: the answers stay those of the cell files."""

import shutil

import pytest

from offnominal.studies import Store, segments
from offnominal.studies.files import read_table, write_table
from offnominal.studies.segments import Segments

from .cases import rekeyed

pytestmark = pytest.mark.long

pytest.importorskip("duckdb", reason="duckdb is not installed")


def key_number(number):
    return f"{number:02x}" * 32


@pytest.fixture
def fill(result):
    """Return a function that writes some cells and asks, so that each call makes a segment."""

    def write(store, numbers):
        for number in numbers:
            store.write(key_number(number), rekeyed(result["Time"].rows, key_number(number)))
        return held(store)

    return write


def held(store):
    """The keys that an answer is made of, each as often as it is there."""
    cells = store.sql("SELECT key FROM cells ORDER BY key")["key"].to_pylist()
    rows = store.sql("SELECT key FROM results WHERE alarm IS NULL ORDER BY key")["key"].to_pylist()
    assert rows == cells
    return cells


def keys_up_to(number):
    return [key_number(each) for each in range(number)]


def test_small_segments_are_merged(tmp_path, fill, monkeypatch):
    monkeypatch.setattr(segments, "FEW", 2)
    store = Store(tmp_path)
    for number in range(7):
        assert fill(store, [number]) == keys_up_to(number + 1)
        assert len([path for path in (tmp_path / "segments").iterdir() if path.is_dir()]) <= 2


def test_a_large_segment_is_not_written_again(tmp_path, fill, monkeypatch):
    monkeypatch.setattr(segments, "LARGE", 6)
    monkeypatch.setattr(segments, "FEW", 1)
    store = Store(tmp_path)
    fill(store, range(3))
    (large,) = (path.name for path in (tmp_path / "segments").iterdir() if path.is_dir())
    for number in range(3, 8):
        assert fill(store, [number]) == keys_up_to(number + 1)
        assert (tmp_path / "segments" / large).exists()


def test_segments_that_are_lost_are_made_again(tmp_path, fill):
    store = Store(tmp_path)
    fill(store, range(3))
    shutil.rmtree(tmp_path / "segments")
    assert held(store) == held(Store(tmp_path)) == keys_up_to(3)


@pytest.mark.parametrize("file", [segments.ROWS, segments.CELLS])
def test_a_segment_that_cannot_be_read_is_made_again(tmp_path, fill, file):
    fill(Store(tmp_path), range(3))
    (path,) = (tmp_path / "segments").glob(f"*/{file}")
    path.write_bytes(path.read_bytes()[:-50])
    assert held(Store(tmp_path)) == keys_up_to(3)


@pytest.mark.parametrize("file", [segments.ROWS, segments.CELLS])
@pytest.mark.parametrize("fresh", [True, False], ids=["another process", "the same process"])
def test_a_segment_with_a_flipped_bit_is_made_again(tmp_path, fill, file, fresh):
    store = Store(tmp_path)
    fill(store, range(3))
    before = store.sql("SELECT * FROM results ORDER BY ALL")
    (path,) = (tmp_path / "segments").glob(f"*/{file}")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert (Store(tmp_path) if fresh else store).sql("SELECT * FROM results ORDER BY ALL").equals(before)
    assert path.read_bytes() != content


def test_many_damaged_segments_are_made_again(tmp_path, fill, monkeypatch):
    monkeypatch.setattr(segments, "FEW", 20)
    for number in range(6):
        fill(Store(tmp_path), [number])
    for path in (tmp_path / "segments").glob("*/rows.parquet"):
        path.write_bytes(path.read_bytes()[:-1] + b"0")
    assert held(Store(tmp_path)) == keys_up_to(6)


class Killed(BaseException):
    pass


@pytest.mark.parametrize("when", ["before hiding", "before deleting", "before renaming"])
def test_a_process_killed_while_it_merges_leaves_no_cell_twice_and_none_out(tmp_path, fill, monkeypatch, when):
    fill(Store(tmp_path), [0])
    fill(Store(tmp_path), [1])

    def die(*arguments, **options):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(segments, "FEW", 1)
        if when == "before hiding":
            patch.setattr(Segments, "_remove", die)
        elif when == "before deleting":
            patch.setattr(segments.shutil, "rmtree", die)  # type: ignore[attr-defined]
        else:
            patch.setattr(segments.Path, "rename", die)  # type: ignore[attr-defined]
        with pytest.raises(Killed):
            held(Store(tmp_path))
    assert held(Store(tmp_path)) == keys_up_to(2)
    assert fill(Store(tmp_path), [2]) == keys_up_to(3)


def test_cells_with_other_columns_are_asked_together(tmp_path, fill, result):
    store = Store(tmp_path)
    fill(store, [0])
    key = key_number(1)
    store.write(key, rekeyed(result["KNN"].rows.drop_columns(["fpr95", "fpr95_low", "fpr95_high"]), key))
    assert held(store) == keys_up_to(2)
    known = store.sql("SELECT key FROM results WHERE fpr95 IS NOT NULL")["key"].to_pylist()
    assert known == [key_number(0)]


def answers(store):
    return store.sql("SELECT * FROM results ORDER BY ALL")


@pytest.mark.parametrize("fresh", [True, False], ids=["another process", "the same process"])
def test_older_rows_beside_newer_cells_do_not_shorten_an_answer(tmp_path, fill, monkeypatch, fresh):
    monkeypatch.setattr(segments, "FEW", 1)
    store = Store(tmp_path)
    fill(store, [0])
    older = shutil.copytree(tmp_path / "segments", tmp_path / "backup")
    fill(store, [1])
    before = answers(store)
    (now,) = (tmp_path / "segments").glob("*/rows.parquet")
    (rows,) = older.glob("*/rows.parquet")
    shutil.copy(rows, now)
    assert answers(Store(tmp_path) if fresh else store).equals(before)


def test_older_cells_beside_newer_rows_do_not_shorten_an_answer(tmp_path, fill, monkeypatch):
    monkeypatch.setattr(segments, "FEW", 1)
    fill(Store(tmp_path), [0])
    older = shutil.copytree(tmp_path / "segments", tmp_path / "backup")
    fill(Store(tmp_path), [1])
    before = answers(Store(tmp_path))
    (now,) = (tmp_path / "segments").glob("*/cells.parquet")
    (cells,) = older.glob("*/cells.parquet")
    shutil.copy(cells, now)
    assert answers(Store(tmp_path)).equals(before)


def test_segments_of_version_0_2_are_made_again(tmp_path, fill):
    fill(Store(tmp_path), range(3))
    before = answers(Store(tmp_path))
    (tmp_path / "generation.json").unlink()
    (path,) = (tmp_path / "segments").glob("*/cells.parquet")
    table = read_table(path)
    bare = {segments.COUNT: table.schema.metadata[segments.COUNT]}
    write_table(path, table.replace_schema_metadata(bare), staging=tmp_path)
    assert answers(Store(tmp_path)).equals(before)
    assert segments.ROWS_HASH in read_table(next((tmp_path / "segments").glob("*/cells.parquet"))).schema.metadata
