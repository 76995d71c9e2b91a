"""Runs of a study in folders of their own."""

import shutil
from pathlib import Path

import pytest

from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile
from offnominal.kinds.faults.study import Scale, Study
from offnominal.studies import Store
from offnominal.studies.detector_study import DetectorEntry
from offnominal.studies.runs import open_run, run

from .cases import ALARM, DATA, SPLIT, WORLD

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("in_process", "result")]

STUDY = Study(
    "mine",
    title="My study",
    summary="Who notices?",
    worlds=(WORLD,),
    detectors=(DetectorEntry("KNN"), DetectorEntry("Time")),
    alarms=(ALARM,),
    data=DATA,
    replicates=10,
    scales={"clock": Scale(detectors=("Time",))},
)


def silent(line):
    pass


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_run_is_found_under_the_name_of_its_study_and_scale(here):
    folder, outcome = run(STUDY, "clock", report=silent)
    assert folder == Path("runs/mine-clock")
    assert outcome.computed == 1
    found = open_run(folder)
    assert (found.name, found.title, found.summary, found.scale) == ("mine", "My study", "Who notices?", "clock")
    assert set(found.table["name"].to_pylist()) == {"Time"}
    assert set(found.examples["split"].to_pylist()) == {SPLIT}
    assert Study.from_dict(found.manifest["config"]) == STUDY.at("clock")


def test_scales_share_cells_but_not_tables(here):
    run(STUDY, "clock", report=silent)
    folder, outcome = run(STUDY, report=silent)
    assert folder == Path("runs/mine-full")
    assert (outcome.computed, outcome.reused) == (1, 1)
    assert open_run(folder).cells == 2
    assert open_run("runs/mine-clock").cells == 1


def test_a_run_that_is_not_finished_shows_what_it_has_and_what_failed(here, package):
    broken = STUDY.replace(detectors=(*STUDY.detectors, DetectorEntry("Bad", f"{package.name}.trouble:Raises")))
    folder, outcome = run(broken, folder=here / "elsewhere", report=silent)
    found = open_run(folder)
    assert not outcome.complete
    assert found.cells == 2
    assert [failure["label"] for failure in found.failures] == [f"{WORLD}/expert/Bad/0"]
    assert "ZeroDivisionError" in found.failures[0]["traceback"]


def test_a_store_that_was_moved_can_be_named(here):
    folder, _ = run(STUDY, "clock", report=silent)
    shutil.move("runs/store", "moved")
    with pytest.raises(InvalidParameter, match="none of the 1 cells"):
        open_run(folder)
    assert open_run(folder, Path("moved")).cells == 1


def test_cells_without_a_result_are_named(here):
    folder, outcome = run(STUDY, report=silent)
    assert open_run(folder).missing == ()
    Store("runs/store").path(outcome.keys[0]).unlink()
    found = open_run(folder)
    assert (found.cells, found.missing) == (1, (f"{WORLD}/expert/KNN/0",))


def test_a_damaged_cell_is_set_aside_and_named(here):
    folder, outcome = run(STUDY, report=silent)
    path = Store("runs/store").path(outcome.keys[0])
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.warns(UserWarning, match="does not have the SHA-256 that it carries"):
        found = open_run(folder)
    assert found.missing == (f"{WORLD}/expert/KNN/0",)
    assert (here / "runs/store/damaged" / path.name).exists()
    assert run(STUDY, report=silent)[1].computed == 1


@pytest.mark.parametrize("text", ["{}", '{"keys": 3, "store": "x"}', '{"keys": ["a"]}', "[]", "nonsense"])
@pytest.mark.filterwarnings("ignore::offnominal.core.checksum.NoChecksum")
def test_a_manifest_that_says_too_little_is_named(here, text):
    (here / "run.json").write_text(text, encoding="utf-8")
    with pytest.raises(DamagedFile, match=r"run\.json"):
        open_run(here)


def test_a_folder_without_a_run_is_named(here):
    with pytest.raises(MissingFile, match="is no run"):
        open_run(here)
