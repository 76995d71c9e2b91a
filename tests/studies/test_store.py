"""The store: what is written can be asked, and what is damaged is not believed."""

import errno
import shutil
import threading
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from offnominal.core.errors import DamagedFile, InaccessibleFile, InvalidParameter, MissingFile
from offnominal.studies import Failure, Store, same_results
from offnominal.studies.failure import ErrorInfo
from offnominal.studies.generation import LostResult
from offnominal.studies.result_rows import DRAWS

from .cases import NAMES, rekeyed, small_cell

pytestmark = pytest.mark.long

LEADERS = "SELECT name, avg(matched_auroc) AS mean FROM results WHERE alarm IS NULL GROUP BY name ORDER BY name"


@pytest.fixture
def store(tmp_path, result):
    made = Store(tmp_path / "store")
    for each in result.values():
        made.write(each.key, each.rows, each.examples)
    return made


def count(store, table="cells"):
    if table == "cells":
        return store.cells().num_rows
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    return store.sql(f"SELECT count(*) AS n FROM {table}").to_pylist()[0]["n"]


def failure_of(key, error):
    return Failure.of(key, small_cell(), ErrorInfo.of(error))


def test_a_result_comes_back_as_it_was_written(store, result):
    for each in result.values():
        assert store.has(each.key)
        assert store.rows([each.key]).equals(each.rows.replace_schema_metadata(None))
        assert store.examples([each.key]).equals(each.examples.replace_schema_metadata(None))
    assert store.keys() == set(store) == {each.key for each in result.values()}


def test_a_new_store_is_empty_and_can_be_asked(tmp_path):
    store = Store(tmp_path / "nothing")
    assert store.keys() == set()
    assert not store.folder.exists()
    assert store.rows([]).num_rows == store.examples([]).num_rows == store.cells().num_rows == 0
    assert (count(store), count(store, "results"), count(store, "failures")) == (0, 0, 0)


def test_questions_are_answered_from_all_cells(store, result):
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    answer = store.sql(LEADERS).to_pylist()
    assert [row["name"] for row in answer] == list(NAMES)
    for row in answer:
        assert row["mean"] == result[row["name"]].rows["matched_auroc"][0].as_py()
    assert count(store, "results") == 6
    columns = store.sql("SELECT * FROM results").column_names
    assert not set(DRAWS) & set(columns)
    (cell,) = store.sql("SELECT * FROM cells WHERE name = 'KNN'").to_pylist()
    assert cell["key"] == result["KNN"].key
    assert cell["code"] == result["KNN"].rows.schema.metadata[b"code"].decode()


def test_an_answer_can_be_a_data_frame(store):
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    pytest.importorskip("pandas", reason="pandas is not installed")
    assert store.to_pandas(LEADERS).shape == (3, 2)


def test_a_wrong_question_is_answered_with_what_is_wrong(store):
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    with pytest.raises(InvalidParameter, match="nonsense"):
        store.sql("SELECT nonsense FROM results")


def test_what_is_written_after_a_question_is_in_the_next_answer(store, result):
    assert count(store) == 3
    key = "f" * 64
    store.write(key, rekeyed(result["KNN"].rows, key))
    assert count(store) == 4
    assert count(Store(store.folder)) == 4


def test_a_cell_file_that_was_removed_is_not_in_the_answer(store, result):
    assert count(store) == 3
    store.path(result["KNN"].key).unlink()
    with pytest.warns(LostResult, match="1 result is gone"):
        assert count(store) == 2
    assert (count(store), count(store, "results")) == (2, 4)


def test_the_first_of_two_results_with_one_key_stays(store, result):
    key = result["KNN"].key
    before = store.path(key).read_bytes()
    store.write(key, rekeyed(result["Time"].rows, key))
    assert store.path(key).read_bytes() == before


def test_many_may_write_one_key_at_once(tmp_path, result):
    key, rows = result["KNN"].key, result["KNN"].rows
    stores = [Store(tmp_path / "store") for _ in range(8)]
    writers = [threading.Thread(target=store.write, args=(key, rows)) for store in stores]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert same_results(stores[0].rows([key]), rows)
    assert list((stores[0].folder / "unfinished").iterdir()) == []
    assert count(stores[0]) == 1


def test_stores_are_merged_by_copying(store, result, tmp_path):
    other = Store(tmp_path / "other")
    key = "e" * 64
    other.write(key, rekeyed(result["KNN"].rows, key), result["KNN"].examples)
    other.write(result["KNN"].key, result["KNN"].rows)
    assert (count(store), count(other)) == (3, 2)
    for part in ("cells", "examples", "segments"):
        shutil.copytree(other.folder / part, store.folder / part, dirs_exist_ok=True)
    assert (count(store), count(store, "results")) == (4, 8)
    assert same_results(store.rows([key]), rekeyed(result["KNN"].rows, key))


def test_a_file_that_was_cut_off_is_not_there(store, result):
    key = result["KNN"].key
    path = store.path(key)
    path.write_bytes(path.read_bytes()[:-100])
    assert not store.has(key)
    assert key not in set(store)
    assert count(store) == 2
    store.write(key, result["KNN"].rows)
    assert count(store) == 3
    assert same_results(store.rows([key]), result["KNN"].rows)


def test_a_copy_under_way_is_left_in_its_place(store, result):
    whole = store.path(result["KNN"].key).read_bytes()
    with store.path(result["KNN"].key).open("wb") as copy:
        copy.write(whole[:500])
        copy.flush()
        assert count(store) == 2
        copy.write(whole[500:])
    assert count(store) == 3


def test_a_damaged_file_is_set_aside_and_its_cell_is_to_be_done_again(store, result):
    key = result["KNN"].key
    content = bytearray(store.path(key).read_bytes())
    content[300:340] = b"\0" * 40
    store.path(key).write_bytes(content)
    with pytest.raises(DamagedFile, match="run its study again"):
        store.rows([key])
    assert not store.has(key)
    assert (store.folder / "damaged" / f"{key}.parquet").exists()
    store.write(key, result["KNN"].rows)
    assert count(store) == 3


def test_a_question_warns_of_a_damaged_file_and_answers_from_the_others(store, result):
    path = store.path(result["KNN"].key)
    shutil.copy(store.path(result["Time"].key), path)
    with pytest.warns(UserWarning, match="is not the result of the cell that its name says"):
        assert count(store) == 2
    assert not path.exists()


@pytest.mark.parametrize("name", ["notes.txt", "short.parquet", f"{'0' * 64}.parquet.tmp"])
def test_files_of_others_are_left_alone(store, name):
    place = store.folder / "cells" / "00"
    place.mkdir(exist_ok=True)
    (place / name).write_bytes(b"PAR1 not ours PAR1")
    assert count(store) == 3
    assert (place / name).exists()


def test_a_table_of_somebody_else_is_no_result(store, result, tmp_path):
    key = "d" * 64
    store.path(key).parent.mkdir()
    pq.write_table(result["KNN"].rows.replace_schema_metadata(None), store.path(key))
    with pytest.raises(DamagedFile):
        store.rows([key])


@pytest.mark.parametrize("call", ["open", "read_bytes"])
def test_a_file_that_the_system_refuses_stays_and_is_not_called_missing(store, result, monkeypatch, call):
    def refuse(path, *arguments, **options):
        if path.suffix == ".parquet":
            raise OSError(errno.EMFILE, "Too many open files")
        return allowed(path, *arguments, **options)

    allowed = getattr(Path, call)
    shutil.rmtree(store.folder / "segments", ignore_errors=True)
    before = sorted(path for path in store.folder.rglob("*.parquet"))
    with monkeypatch.context() as patch:
        patch.setattr(Path, call, refuse)
        for ask in (store.cells, lambda: store.rows([result["KNN"].key])):
            with pytest.raises(InaccessibleFile, match="too many open files"):
                ask()
        if call == "open":
            with pytest.raises(InaccessibleFile):
                store.has(result["KNN"].key)
    assert sorted(path for path in store.folder.rglob("*.parquet")) == before
    assert count(store) == 3


@pytest.mark.parametrize("part", ["cells", "segments", "examples", "failures", "unfinished"])
def test_a_store_recovers_from_the_loss_of_any_part(store, result, part):
    assert count(store) == 3
    shutil.rmtree(store.folder / part, ignore_errors=True)
    left = 0 if part == "cells" else 3
    if part == "cells":
        with pytest.warns(LostResult, match="3 results are gone"):
            store.cells()
    for asked in (store, Store(store.folder)):
        assert (count(asked), asked.cells().num_rows, len(asked.keys())) == (left, left, left)
    for each in result.values():
        store.write(each.key, each.rows, each.examples)
    assert count(store) == 3


@pytest.mark.parametrize("key", ["", "../../x", "A" * 64, "0" * 63, 3])
def test_a_key_that_is_none_names_no_file(store, key):
    for ask in (store.has, store.path, store.failure, store.forget_failure, lambda key: store.rows([key])):
        with pytest.raises(InvalidParameter, match="expected 64 hexadecimal digits"):
            ask(key)


def test_a_store_that_is_a_file_is_named(tmp_path, result):
    (tmp_path / "store").write_text("not a folder", encoding="utf-8")
    store, each = Store(tmp_path / "store"), result["KNN"]
    for ask in (store.keys, store.cells, lambda: store.has(each.key), lambda: store.write(each.key, each.rows)):
        with pytest.raises(InaccessibleFile):
            ask()


def test_what_is_missing_is_named(store):
    with pytest.raises(MissingFile, match="0" * 64):
        store.rows(["0" * 64])


def test_a_failure_is_kept_until_the_cell_succeeds(store, result):
    key = "c" * 64
    store.fail(failure_of(key, ValueError("no such luck")))
    assert store.failure(key).error == "ValueError"
    (kept,) = store.failures()
    assert (kept.label, kept.error, kept.message) == (small_cell().label, "ValueError", "no such luck")
    store.write(key, rekeyed(result["KNN"].rows, key))
    assert store.failure(key) is None
    assert store.failures() == []


def test_a_failure_that_cannot_be_read_counts_as_none(store):
    store.fail(failure_of("b" * 64, ValueError("no")))
    (store.folder / "failures" / f"{'b' * 64}.json").write_text("{", encoding="utf-8")
    assert store.failure("b" * 64) is None
    assert store.failures() == []
