"""The study of driving scenes: cells, published numbers and verdicts."""

from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pytest

from offnominal.core.errors import InvalidParameter, OffnominalError, UnknownName
from offnominal.detectors.scenes import scene_detectors
from offnominal.papers.anovox.published import published_numbers
from offnominal.papers.anovox.published_tables import table_1, table_2, table_4
from offnominal.papers.anovox.results import SceneResults
from offnominal.papers.anovox.scene_data import SceneData
from offnominal.papers.anovox.tables import leaderboard_rows
from offnominal.studies.catalogue import load_study
from offnominal.studies.kinds import study_from
from offnominal.studies.results import RunResults

from .made_scenes import scene_results

pytestmark = pytest.mark.long


def test_cells_are_all_scene_detectors():
    cells = load_study("anovox").at("smoke").cells()
    assert {cell.label for cell in cells} == {f"mono/{name}/0" for name in scene_detectors.ids()}
    assert len(cells) == len(scene_detectors.ids())
    assert len({cell.source for cell in cells}) == 1


@pytest.mark.parametrize("scale", ["smoke", "laptop", "paper"])
def test_parameters_of_every_scale_fit_the_detectors(scale):
    pytest.importorskip("torch", reason="torch is not installed")
    for cell in load_study("anovox").at(scale).cells():
        scene_detectors.build(cell.to_dict()["detector"], cell.to_dict()["parameters"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"detectors": [{"name": "Motoin"}]}, "Did you mean 'Motion'"),
        ({"detectors": [{"name": "Motion"}, {"name": "Motion", "parameters": {"quantile": 0.8}}]}, "the same name"),
        ({"detectors": []}, "no detectors"),
        ({"statistic": "median"}, "statistic"),
        ({"reduction": "sum"}, "reduction"),
        ({"units": ["metre"]}, "units"),
        ({"data": {"train": 0}}, "train"),
        ({"data": {"sizes": ["enormous"]}}, "enormous"),
        ({"data": {"temporal": ["flying"]}}, "flying"),
        ({"data": {"towns": ["Town99"]}}, "Town99"),
        ({"data": {"record_every": 7}}, "divisor"),
        ({"data": {"test": {"content": -1}}}, "content"),
    ],
)
def test_invalid_studies_are_named(change, message):
    given = {"kind": "scenes", "name": "mine", "detectors": [{"name": "Motion"}]}
    with pytest.raises(OffnominalError, match=message):
        study_from(given | change)


def test_a_scale_names_only_detectors_of_the_study():
    study = study_from(
        {
            "kind": "scenes",
            "name": "mine",
            "detectors": [{"name": "Motion"}],
            "scales": {"tiny": {"parameters": {"Motoin": {"quantile": 0.8}}}},
        }
    )
    with pytest.raises(UnknownName, match="Did you mean 'Motion'"):
        study.at("tiny")


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


def test_22_of_50_numbers_of_table_4_are_flawed():
    flaws = Counter(each.flaw for each in published_numbers())
    assert flaws == {"": 28, "artefact": 20, "impossible": 2}
    assert all(each.problem for each in published_numbers() if each.flaw)


def test_the_names_of_table_2_and_all_objects_of_table_1_are_here():
    objects, (rigs, towns, weathers) = table_1(RunResults.none())[1], table_2(RunResults.none())
    assert (objects.published, objects.outcome) == (178, "reproduced")
    assert [(line.published, line.outcome) for line in (rigs, towns, weathers)] == [
        (4, "reproduced"),
        (8, "reproduced"),
        (13, "reproduced"),
    ]


def test_what_the_public_code_makes_of_our_numbers_stands_beside_them_and_explains_nothing():
    results = scene_results()
    rows = [row | {"f1": 0.4, "as_published_f1": 0.03} for row in results.table.to_pylist()]
    lines = table_4(replace(results, table=pa.Table.from_pylist(rows)))
    line = next(line for line in lines if tuple(line.labels.values())[:3] == ("RbA", "default", "F1"))
    assert (line.labels["ours as published"], line.ours.value, line.cause) == ("0.030", pytest.approx(0.4), "")


def test_published_flaws_are_verdicts_beside_our_numbers():
    lines = {tuple(line.labels.values())[:3]: line for line in table_4(scene_results())}
    assert lines["RbA", "+norm", "F1"].verdict == "impossible"
    assert lines["RbA", "default", "FPR95"].verdict == "artefact"
    assert lines["RbA", "default", "FPR95"].labels["ours as published"] == "1.000"
    assert lines["RbA", "default", "AUROC"].verdict == "differs"
    assert lines["REAL", "default", "AUROC"].verdict == ""


def test_published_forms_stand_beside_the_published_numbers_if_a_run_has_them():
    results = scene_results()
    rows = results.table.to_pylist()
    forms = [row | {"name": "RbA-NoOutliers", "auroc": 0.5} for row in rows if row["name"] == "RbA"]
    lines = table_4(replace(results, table=pa.Table.from_pylist(rows + forms)))
    compared = next(line for line in lines if tuple(line.labels.values())[:3] == ("RbA", "default", "AUROC"))
    assert (compared.ours.value, compared.published) == (0.5, pytest.approx(0.573))
    others = [line for line in lines if line.published is None]
    assert {line.labels["method"] for line in others} >= {"RbA"}
    assert "RbA-NoOutliers" not in {line.labels["method"] for line in lines}


def test_the_leaderboard_has_content_and_temporal_anomalies():
    best = leaderboard_rows(SceneResults.of(scene_results().table))[0]
    assert best["detector"] == "RbA"
    assert best["content AUROC"].startswith("0.900")
    assert best["temporal AUROC"].startswith("0.600")
