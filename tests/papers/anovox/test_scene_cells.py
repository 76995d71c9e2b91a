"""A run on tiny recorded scenes: rows, report, comparison with published numbers, weights in the package."""

import numpy as np
import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.detectors.scenes import Segmenter, save_scene_detector, trained_networks
from offnominal.evaluation.scenes import ScoredFrame
from offnominal.evaluation.scenes.scored_scenes import ElementScores
from offnominal.laws import street_scene
from offnominal.papers.anovox.cell import SceneCell
from offnominal.papers.anovox.cell_run import fitted_detector, has_weights
from offnominal.papers.anovox.example_frames import choose_examples
from offnominal.papers.anovox.kind import SceneKind
from offnominal.papers.anovox.published import PUBLISHED_FORMS
from offnominal.papers.anovox.published_tables import table_3, table_4
from offnominal.papers.anovox.results import SceneResults
from offnominal.reports.report import leading_rows, write_report
from offnominal.studies import runner
from offnominal.studies.execution import code_of
from offnominal.studies.kinds import study_from
from offnominal.studies.runs import open_run

from ...studies.cases import PoolHere

pytestmark = pytest.mark.long

STUDY = {
    "kind": "scenes",
    "name": "anovox",
    "title": "Tiny scenes",
    "detectors": [{"name": "HeightAboveRoad"}, {"name": "Random"}],
    "data": {
        "train": 1,
        "validation": {"content": 1, "temporal": 1},
        "test": {"content": 1, "temporal": 1},
        "twins": False,
        "sizes": ["big"],
        "placing": "always-visible",
        "record_every": 10,
        "content_every": 20,
        "ticks": [131, 180],
        "resolution": {"width": 48, "height": 32, "channels": 8, "columns": 128},
        "traffic": 0.0,
        "towns": ["Town05"],
    },
    "replicates": 20,
}


def run_twice(study, folder, sources):
    """Run a study, run it once more, and return both outcomes and the results."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_VARIABLE, str(folder / "data"))
        patch.setattr(runner, "Sources", lambda: sources)
        patch.setattr(runner, "LocalPool", lambda workers, peak_mb: PoolHere(sources))
        outcomes = [
            runner.run_study(
                study.cells(),
                folder / "store",
                folder=folder / "run",
                about={"study": study.name, "title": study.title, "config": study.to_dict()},
                report=lambda line: None,
            )
            for _ in range(2)
        ]
    return *outcomes, open_run(folder / "run")


@pytest.fixture(scope="module")
def run(tmp_path_factory, sources):
    """A run of the tiny study: its outcome, the same run once more, and its results."""
    return run_twice(study_from(STUDY), tmp_path_factory.mktemp("anovox"), sources)


def test_a_run_computes_its_cells_once(run):
    first, second, _ = run
    assert (first.computed, second.computed, second.reused) == (2, 0, 2)
    assert first.complete


def test_rows_have_metrics_with_intervals_by_scenario(run):
    found = SceneResults.of(run[2].table)
    rows = {(group, row) for unit, group, row in found.splits if unit == "voxel"}
    assert {("published", "default"), ("published", "+norm"), ("published", "big")} <= rows
    assert {("noticed", "frame"), ("noticed", "object")} <= rows
    assert found.estimate("HeightAboveRoad", "voxel", "default", "auroc").value > 0.8
    assert abs(found.estimate("Random", "voxel", "default", "auroc").value - 0.5) < 0.2
    assert found.estimate("Random", "voxel", "default", "auroc").low is not None
    assert found.estimate("HeightAboveRoad", "voxel", "big", "f1").value > 0.0


def test_the_leaderboard_and_the_page_have_all_detectors(run, tmp_path):
    assert [row["detector"] for row in leading_rows(run[2])] == ["HeightAboveRoad", "Random"]
    page = write_report(run[2], tmp_path).read_text(encoding="utf-8")
    assert page.count("HeightAboveRoad") > 4
    assert (tmp_path / "figures" / "examples-1.png").is_file()


def test_detectors_without_published_numbers_follow_those_with_them(run):
    lines = table_4(run[2])
    assert [line.verdict for line in lines[:50]].count("impossible") == 2
    ours = [line for line in lines[50:] if line.labels["method"] == "HeightAboveRoad"]
    assert {line.labels["frames"] for line in ours} == {"default", "+norm", "big"}
    assert all(line.published is None for line in lines[50:])


def test_metrics_as_published_replace_the_exact_ones(run):
    exact, published = table_4(run[2])[50:], table_4(run[2], as_published=True)[50:]
    pairs = zip(exact, published, strict=True)
    fpr95 = [(one, two) for one, two in pairs if one.labels["metric"] == "FPR95" and one.labels["frames"] == "default"]
    for one, two in fpr95:
        assert two.labels["exact"] == f"{one.ours.value:.3f}"
        assert one.labels["ours as published"] == f"{two.ours.value:.3f}"
    auroc = {line.labels["method"]: line.ours.value for line in published if line.labels["metric"] == "AUROC"}
    assert auroc["HeightAboveRoad"] > 0.8


def test_table_3_lists_the_published_methods(run):
    lines = table_3(run[2])
    assert len(lines) == 14
    assert {line.labels["sensor"] for line in lines} == {"camera", "lidar"}


def test_published_forms_and_uncertainties_run_to_the_end(run, tmp_path, sources):
    pytest.importorskip("torch", reason="torch is not installed")
    tiny = {"width": 8, "n_steps": 2, "batch_size": 2, "device": "cpu"}
    forms = {
        "RbA-NoOutliers": tiny | {"n_queries": 6},
        "REAL-NoObjects": tiny | {"cells": [8, 16, 4], "lovasz": 1.0},
        "EAM": tiny | {"n_queries": 6},
        "Mahalanobis": tiny,
    }
    detectors = [{"name": name, "parameters": parameters} for name, parameters in forms.items()]
    study = study_from(STUDY | {"detectors": detectors, "shipped_weights": False})
    first, second, results = run_twice(study, tmp_path, sources)
    assert (first.computed, second.reused, first.complete) == (4, 4, True)
    found = SceneResults.of(results.table)
    for name in forms:
        assert 0.0 <= found.estimate(name, "voxel", "default", "auroc").value <= 1.0
        assert found.estimate(name, "voxel", "frame", "auroc").value is not None
    lines = {tuple(line.labels.values())[:3]: line for line in table_4(results)[:50]}
    for method, form in PUBLISHED_FORMS.items():
        ours = found.estimate(form, "voxel", "default", "auroc")
        assert lines[method, "default", "AUROC"].ours.value == ours.value
    assert write_report(results, tmp_path / "page").is_file()


def test_examples_are_frames_of_different_scenarios_with_their_outcomes(run):
    (stored,) = (row for row in run[2].examples.to_pylist() if row["name"] == "HeightAboveRoad")
    assert stored["png"].startswith(b"\x89PNG")


def scored(scenario, positives, negatives):
    none = np.empty(0, np.uint8)
    scores = ElementScores(np.float32(positives), np.float32(negatives), none, none, {}, np.nan)
    return ScoredFrame(scenario, scenario, 0, "content", "big", "grid", "CLEAR_NOON", True, 1.0, {"voxel": scores})


def test_a_hit_a_miss_and_a_false_alarm_are_chosen_by_their_counts():
    frames = [
        scored("found", [5, 5, 5, 1], [0, 0]),
        scored("missed", [0, 0, 0, 5], [0, 0]),
        scored("alarmed", [0, 0, 5], [5, 5, 5]),
        scored("quiet", [0, 0], [0]),
    ]
    chosen = [(each.outcome, each.scene) for each in choose_examples(frames, "voxel", 2.0)]
    assert chosen == [("hit", "found"), ("miss", "missed"), ("false alarm", "alarmed")]
    assert choose_examples(frames[3:], "voxel", 2.0) == []


def test_networks_have_the_weights_of_the_package_and_are_not_trained(tmp_path, monkeypatch, sources):
    pytest.importorskip("torch", reason="torch is not installed")
    cell = SceneCell("Entropy", "Entropy")
    assert SceneKind().uses_gpu(cell)
    assert not SceneKind().uses_gpu(SceneCell("Random", "Random"))
    monkeypatch.setattr(trained_networks, "FOLDER", tmp_path)
    assert not has_weights(cell)
    before = code_of(cell, sources)
    scene = street_scene(2, seed=0)
    trained = Segmenter(width=8, n_steps=2, batch_size=2, device="cpu").fit([scene])
    save_scene_detector(tmp_path / "MaxSoftmax", trained)
    loaded = fitted_detector(cell, [])
    expected = trained.with_confidence("entropy").score(scene)[0].flat()
    np.testing.assert_allclose(loaded.score(scene)[0].flat(), expected, atol=1e-4)
    assert code_of(cell, sources) != before
    assert has_weights(cell)
    assert not has_weights(cell.replace(shipped_weights=False))
