"""A store whose parts were restored from backups of different times is found, and is not asked without a word."""

import shutil

import pytest

from offnominal.core.errors import DamagedFile
from offnominal.studies import Store
from offnominal.studies.generation import FILE, Generation, LostResult, read_generation

from .cases import rekeyed

pytestmark = pytest.mark.long


def key_number(number):
    return f"{number:02x}" * 32


@pytest.fixture
def fill(result):
    """Return a function that writes some cells and asks, so that each call is a generation."""

    def write(folder, numbers):
        for number in numbers:
            Store(folder).write(key_number(number), rekeyed(result["Time"].rows, key_number(number)))
        return Store(folder).cells().num_rows

    return write


@pytest.fixture
def store(tmp_path, fill):
    """A store of six results at its third generation, with a backup of its first two results."""
    folder = tmp_path / "store"
    assert fill(folder, range(2)) == 2
    shutil.copytree(folder, tmp_path / "backup")
    assert fill(folder, range(2, 4)) == 4
    assert fill(folder, range(4, 6)) == 6
    return folder


def restore(store, *parts):
    """Replace parts of the store by those of the backup."""
    for part in parts:
        source, target = store.parent / "backup" / part, store / part
        if source.is_dir():
            shutil.rmtree(target)
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)


def test_each_change_of_the_results_raises_the_generation(store):
    before = read_generation(store)
    assert (before.number, before.cells) == (3, 6)
    assert Store(store).cells().num_rows == 6
    assert read_generation(store) == before


@pytest.mark.parametrize("parts", [("cells",), ("cells", "segments")], ids=" and ".join)
def test_older_cells_beside_a_newer_generation_are_named_once(store, parts):
    restore(store, *parts)
    with pytest.warns(LostResult, match="4 results are gone from .* since its generation 3.*restore all of it"):
        assert Store(store).cells().num_rows == 2
    assert Store(store).cells().num_rows == 2
    assert read_generation(store).cells == 2


def test_older_cells_with_newer_segments_are_named(store):
    restore(store, "cells", FILE)
    with pytest.warns(LostResult, match="4 results are gone"):
        assert Store(store).cells().num_rows == 2


def test_an_older_generation_beside_newer_segments_is_named(store):
    restore(store, FILE)
    with pytest.warns(LostResult, match=r"generation\.json is of generation 1, but the segments are of generation 3"):
        assert Store(store).cells().num_rows == 6
    assert read_generation(store).number == 4


def test_older_segments_alone_are_brought_up_to_date(store):
    restore(store, "segments")
    assert Store(store).cells().num_rows == 6


def test_a_whole_backup_is_a_store(store):
    assert Store(store.parent / "backup").cells().num_rows == 2


def test_stores_that_are_copied_together_lose_nothing(store, tmp_path, fill):
    other = tmp_path / "other"
    for number in range(10, 15):
        fill(other, [number])
    assert read_generation(other).number > read_generation(store).number
    shutil.copytree(other, store, dirs_exist_ok=True)
    assert Store(store).cells().num_rows == 11
    shutil.copytree(store / "cells", tmp_path / "new" / "cells")
    shutil.copytree(store / "segments", tmp_path / "new" / "segments")
    assert Store(tmp_path / "new").cells().num_rows == 11


def test_a_store_without_a_generation_gets_one(store):
    (store / FILE).unlink()
    assert Store(store).cells().num_rows == 6
    assert read_generation(store).cells == 6


def test_a_result_that_was_moved_away_as_damaged_is_not_lost(store):
    path = Store(store).path(key_number(1))
    (store / "damaged").mkdir()
    path.rename(store / "damaged" / path.name)
    assert Store(store).cells().num_rows == 5


def test_every_flipped_bit_of_the_file_is_found(store):
    content = (store / FILE).read_bytes()
    before = read_generation(store)
    for place in range(len(content)):
        for bit in range(8):
            changed = bytearray(content)
            changed[place] ^= 1 << bit
            (store / FILE).write_bytes(changed)
            try:
                assert read_generation(store) == before
            except DamagedFile:
                continue


def test_a_damaged_file_is_named_and_written_again(store):
    (store / FILE).write_text("{", encoding="utf-8")
    with pytest.warns(LostResult, match="whether results were lost is not known"):
        assert Store(store).cells().num_rows == 6
    assert read_generation(store).cells == 6


def test_no_segment_is_newer_than_the_file_when_a_process_is_killed(store, fill, monkeypatch):
    class Killed(BaseException):
        pass

    def die(*arguments):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("offnominal.studies.segments.Segments._write", die)
        with pytest.raises(Killed):
            fill(store, [7])
    assert Store(store).cells().num_rows == 7


def test_the_number_goes_on_after_one_that_is_known():
    assert Generation(number=2).following(3, after=8).number == 9
