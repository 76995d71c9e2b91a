"""The study of the gap between simulated scenes and photographs."""

import pytest

from offnominal.core.errors import UnknownName
from offnominal.papers.anovox.gap_study import NOTHING, GapCell, GapKind, GapStudy
from offnominal.reports.report import write_report
from offnominal.studies.catalogue import load_study
from offnominal.studies.code import Sources
from offnominal.studies.detector_study import DetectorEntry
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.studies.result_rows import table_of

from .made_gap import gap_results


def test_the_study_has_a_cell_per_detector_and_seed():
    study = load_study("anovox-gap")
    assert [cell.label for cell in study.cells()] == [*(f"gap/PatchKNN/{seed}" for seed in range(3)), "gap/Random/0"]
    assert study.at("smoke").data.resolution["width"] == 96  # type: ignore[attr-defined]
    with pytest.raises(UnknownName, match="fishyscapes"):
        GapStudy("mine", detectors=(DetectorEntry("PatchKNN"),), sets=("fishyscape",))


def test_the_leaderboard_has_means_over_seeds(tmp_path):
    rows = GapKind().leaderboard(gap_results())
    assert [(row["trained on"], row["tested on"], row["auroc"]) for row in rows] == [
        ("simulated", "simulated", 0.91),
        ("simulated", "fishyscapes", 0.61),
        ("fishyscapes", "simulated", 0.56),
    ]
    write_report(gap_results(), tmp_path)
    page = (tmp_path / "page.html").read_text()
    assert "fishyscapes" in page
    assert NOTHING not in page


@pytest.mark.long
def test_without_photographs_the_simulated_scenes_are_tested(tmp_path, monkeypatch):
    monkeypatch.setenv("OFFNOMINAL_DATA", str(tmp_path))
    cell = load_study("anovox-gap").at("smoke").cells()[0]
    kind = GapKind()
    data = kind.open_data(cell)
    assert data.present == ()
    found = kind.run(cell, data, ResourceMeter(), sources=Sources())
    assert [row["split"] for row in found.rows] == ["simulated/simulated"]
    assert 0.0 <= found.rows[0]["auroc"] <= 1.0
    stored = table_of(found.rows).to_pylist()
    assert (stored[0]["trained_on_name"], stored[0]["tested_on_name"]) == ("simulated", "simulated")
    assert GapCell.from_dict(cell.to_dict()) == cell
