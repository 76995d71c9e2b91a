"""The index of a store, stored runs that share it, and damaged results."""

from pathlib import Path

import pytest

from offnominal.kinds.faults.study import Scale, Study
from offnominal.studies import Store
from offnominal.studies.damaged_results import DamagedResults
from offnominal.studies.detector_study import DetectorEntry
from offnominal.studies.generation import LostResult
from offnominal.studies.segments import DamagedResult
from offnominal.studies.stored_runs import StoreIndex, stored_run

from .cases import ALARM, DATA, WORLD

pytestmark = pytest.mark.long

STUDY = Study(
    "mine",
    worlds=(WORLD,),
    detectors=(DetectorEntry("KNN"), DetectorEntry("Time")),
    alarms=(ALARM,),
    data=DATA,
    replicates=10,
    scales={"clock": Scale(detectors=("Time",))},
)


@pytest.fixture
def store(tmp_path, result):
    filled = Store(tmp_path / "store")
    for name in ("KNN", "Time"):
        filled.write(result[name].key, result[name].rows)
    return filled


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[300:340] = b"\0" * 40
    path.write_bytes(content)


def test_runs_of_one_index_are_those_of_the_store(store):
    index = StoreIndex.read(store.folder)
    for scale in (None, "clock"):
        alone, shared = (stored_run(STUDY, scale, store=place) for place in (store.folder, index))
        assert alone.keys == shared.keys
        assert len(shared.keys) == shared.cells == shared.results.cells
        assert shared.results.manifest == alone.results.manifest


def test_an_index_is_read_once_for_all_studies(store, monkeypatch):
    index = StoreIndex.read(store.folder)
    monkeypatch.setattr(Store, "cells", lambda _: pytest.fail("the index was read again"))
    assert stored_run(STUDY, "clock", store=index).results.cells == 1


def test_cells_without_a_result_are_missing_in_the_order_of_the_study(store, result):
    index = StoreIndex.read(store.folder)
    store.path(result["Time"].key).unlink()
    with pytest.warns(LostResult, match="1 result is gone"):
        found = stored_run(STUDY, store=StoreIndex.read(store.folder))
    late = stored_run(STUDY, store=index)
    time = tuple(cell.label for cell in STUDY.at("clock").cells())
    assert found.results.missing == late.results.missing == time
    assert (found.cells, found.results.cells) == (2, 1)
    none = stored_run(STUDY.replace(replicates=11), store=store.folder)
    assert none.results.missing == tuple(cell.label for cell in STUDY.cells())


def test_damaged_results_are_counted_until_they_are_computed_again(store, result):
    assert not DamagedResults.of(store)
    key = result["KNN"].key
    damage(store.path(key))
    with pytest.warns(DamagedResult, match="moved to"):
        StoreIndex.read(store.folder)
    found = DamagedResults.of(store)
    assert [path.stem for path in found.moved] == [key]
    assert str(found) == f"1 damaged result counts as not run: 1 was moved to {store.folder / 'damaged'}. " + (
        "Run its study again."
    )
    store.write(key, result["KNN"].rows)
    assert not DamagedResults.of(store)


def test_results_that_were_cut_off_are_counted_where_they_are(store, result):
    for name in ("KNN", "Time"):
        path = store.path(result[name].key)
        path.write_bytes(path.read_bytes()[:-9])
    found = DamagedResults.of(store)
    assert found.cut_off == tuple(sorted(store.path(result[name].key) for name in ("KNN", "Time")))
    assert str(found).startswith("2 damaged results count as not run: 2 were cut off in ")


def test_a_folder_without_a_store_has_no_damaged_results(tmp_path):
    assert not DamagedResults.of(Store(tmp_path / "none"))
