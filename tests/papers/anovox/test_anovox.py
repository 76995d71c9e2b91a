"""The study of driving scenes: cells, published numbers and verdicts."""

import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.papers.anovox.published import published_numbers
from offnominal.papers.anovox.published_tables import table_4
from offnominal.papers.anovox.results import SceneResults
from offnominal.papers.anovox.scene_data import SceneData
from offnominal.papers.anovox.tables import leaderboard_rows
from offnominal.studies.catalogue import load_study

from .made_scenes import scene_results


def test_cells_are_detectors_and_seeds():
    labels = [cell.label for cell in load_study("anovox").at("smoke").cells()]
    assert labels == ["mono/HeightAboveRoad/0", "mono/Motion/0"]


def test_splits_share_no_scenario_and_only_test_scenes_have_held_out_towns():
    data = SceneData.from_dict({"train": 8, "held_out": {"towns": ["Town05"]}})
    found = {split: data.scenarios(split) for split in ("train", "validation", "test")}
    ids = [scenario.id for scenarios in found.values() for scenario in scenarios]
    assert len(set(ids)) == len(ids)
    assert "grid" not in {scenario.town for scenario in found["train"] + found["validation"]}
    assert "grid" in {scenario.town for scenario in found["test"]}


def test_invalid_data_are_named():
    with pytest.raises(UnknownName, match="Did you mean 'width'"):
        SceneData(resolution={"widht": 3})
    with pytest.raises(InvalidParameter, match="held out"):
        SceneData.from_dict({"towns": ["Town05"], "held_out": {"towns": ["Town05"]}})


def test_an_f1_above_twice_the_ppv_is_impossible():
    numbers = {(each.method, each.subset, each.metric): each for each in published_numbers()}
    pair = {key[:2] for key, each in numbers.items() if each.flaw == "impossible"}
    assert pair == {("RbA", "+norm")}
    for method, subset in {key[:2] for key in numbers}:
        f1, ppv = numbers[method, subset, "F1"].value, numbers[method, subset, "PPV"].value
        assert (f1 > 2 * (ppv + 0.0005)) == ((method, subset) in pair)


def test_published_flaws_are_verdicts_beside_our_numbers():
    lines = {tuple(line.labels.values())[:3]: line for line in table_4(scene_results())}
    assert lines["RbA", "+norm", "F1"].verdict == "impossible"
    assert lines["RbA", "default", "FPR95"].verdict == "artefact"
    assert lines["RbA", "default", "FPR95"].labels["ours as published"] == "1.000"
    assert lines["RbA", "default", "AUROC"].verdict == "differs"
    assert lines["REAL", "default", "AUROC"].verdict == ""


def test_the_leaderboard_has_content_and_temporal_anomalies():
    best = leaderboard_rows(SceneResults.of(scene_results().table))[0]
    assert best["detector"] == "RbA"
    assert best["content AUROC"].startswith("0.900")
    assert best["temporal AUROC"].startswith("0.600")
