"""Runs of a study in folders of their own."""

import shutil
from pathlib import Path

import pytest

from offnominal.core.errors import InvalidParameter, MissingFile
from offnominal.studies.runs import open_run, run
from offnominal.studies.study import DetectorEntry, Scale, Study

from .cases import ALARM, DATA, SPLIT, WORLD

pytestmark = pytest.mark.usefixtures("in_process", "finished")

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
    assert [failure["label"] for failure in found.failures] == [f"{WORLD}/tqc/Bad/0"]
    assert "ZeroDivisionError" in found.failures[0]["traceback"]


def test_a_store_that_was_moved_can_be_named(here):
    folder, _ = run(STUDY, "clock", report=silent)
    shutil.move("runs/store", "moved")
    with pytest.raises(InvalidParameter, match="none of the 1 cells"):
        open_run(folder)
    assert open_run(folder, Path("moved")).cells == 1


def test_a_folder_without_a_run_is_named(here):
    with pytest.raises(MissingFile, match="is no run"):
        open_run(here)
