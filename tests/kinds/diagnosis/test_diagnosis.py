"""Diagnosis studies: cells, rows, report, and invalid studies."""

import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.kinds import DiagnosisCell, DiagnosisStudy
from offnominal.kinds.diagnosis.data import open_episodes
from offnominal.reports.report import write_report
from offnominal.studies import DetectorEntry, load_study, open_run, run, verify_run
from offnominal.studies.execution import code_of
from offnominal.studies.kinds import cell_from, study_from

SPLITS = ["observation/offset@extreme", "action/noise@extreme", "observation", "all", "action", "nominal"]


@pytest.fixture(scope="module")
def smoke():
    return load_study("diagnosis").at("smoke")


def test_plain_data_give_the_study_and_its_cells_back(smoke):
    assert study_from(smoke.to_dict()) == smoke
    cells = smoke.cells()
    assert [cell.label for cell in cells] == [
        f"MJC-CartpoleSwingup-v0/expert/{name}/0" for name in ("Mahalanobis", "Random")
    ]
    assert isinstance(cell_from(cells[0].to_dict()), DiagnosisCell)
    assert cells[0].source == cells[1].source


def test_faults_are_in_one_channel_of_each_episode(smoke):
    data = open_episodes(smoke.cells()[0])
    channels = [episode.events[0].channels for episode in data.faulty["observation/offset", "extreme"]]
    assert all(len(each) == 1 for each in channels)
    assert len(set(channels)) > 1


@pytest.mark.long
@pytest.mark.usefixtures("in_process")
def test_a_run_is_stored_verified_and_reported(smoke, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    monkeypatch.chdir(tmp_path)
    folder, outcome = run(smoke, report=lambda line: None)
    assert (outcome.computed, outcome.complete) == (2, True)
    found = open_run(folder)
    rows = [row for row in found.table.to_pylist() if row["name"] == "Mahalanobis"]
    assert sorted(row["split"] for row in rows) == sorted(SPLITS)
    (everything,) = [row for row in rows if row["split"] == "all"]
    assert everything["onset_error"] <= 5
    assert everything["onset_covered_low"] <= everything["onset_covered"] <= everything["onset_covered_high"]
    assert everything["channel_random"] == pytest.approx(1 / 5)
    assert verify_run(folder, share=1.0)[0][1] == ""
    page = write_report(found, tmp_path / "report")
    text = page.read_text()
    assert "sensor found" in text
    assert "data:image/png" in text
    assert (page.parent / "tables" / "worlds.csv").exists()


def test_the_code_of_a_cell_includes_the_evaluation(smoke, sources):
    cell = smoke.cells()[0]
    edited = sources.edited("offnominal.kinds.diagnosis.cell_run", "def evaluate_diagnosis(): ...")
    assert code_of(cell, edited) != code_of(cell, sources)


def test_invalid_studies_are_named(smoke):
    base = {"worlds": ("SAP-Goal0-v0",), "detectors": (DetectorEntry("KNN"),)}
    with pytest.raises(InvalidParameter, match="frames"):
        DiagnosisStudy("mine", **base, data=smoke.data.replace(frames=True))
    (cell,) = DiagnosisStudy("mine", **base, data=smoke.data.replace(anomalies=("observation/ofset",))).cells()
    with pytest.raises(UnknownName, match="Did you mean 'observation/offset'"):
        open_episodes(cell)
