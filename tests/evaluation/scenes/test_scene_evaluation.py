"""Evaluation of whole scenes: rows, thresholds, components and temporal anomalies."""

from dataclasses import replace
from functools import partial

import pytest

from offnominal.core.errors import InvalidParameter, InvalidScores, UnknownName
from offnominal.datasets.scenes import HeldOut, VoxelSettings
from offnominal.evaluation.scenes import SceneSettings, collect_scores, evaluate_scenes

SETTINGS = SceneSettings(units=("pixel", "point", "voxel"), range_edges=(6.0, 12.0))


@pytest.fixture(scope="module")
def report(scenes, perfect):
    return evaluate_scenes(
        perfect,
        scenes,
        validation=scenes,
        settings=SETTINGS,
        held_out=HeldOut(towns=("rural",), weathers=("HardRainNoon",)),
        as_published=True,
        replicates=50,
    )


@pytest.mark.parametrize("unit", ["pixel", "point", "voxel"])
def test_scores_that_know_the_truth_are_nearly_perfect_in_every_unit(report, unit):
    row = report.row("default", unit)
    # Carried into voxels, scores of noisy lidar points reach voxels of other labels.
    assert row.ranking.auroc.value > (0.9 if unit == "voxel" else 0.999)
    assert row.operating.f1.value > (0.5 if unit == "voxel" else 0.999)
    assert row.as_published.auroc == row.ranking.auroc.value
    assert row.scenarios == 3
    low, high = row.ranking.auroc.low, row.ranking.auroc.high
    assert low <= row.ranking.auroc.value <= high


@pytest.mark.parametrize("unit", ["pixel", "point", "voxel"])
def test_rows_divide_the_frames_and_elements(report, unit):
    rows = {(row.group, row.name): row for row in report.rows if row.unit == unit}
    default, everything = rows["published", "default"], rows["published", "+norm"]
    assert everything.frames == 4 * 8
    assert default.frames == (3 * 6 if unit == "pixel" else 3 * 8)
    assert default.positives == everything.positives
    assert default.frames == rows["published", "big"].frames + rows["published", "small"].frames
    for group in ("visible", "town", "weather", "domain"):
        chosen = [row for (each, name), row in rows.items() if each == group and name != "held-out weather"]
        assert sum(row.frames for row in chosen) == default.frames
    ranges = [row for (group, _), row in rows.items() if group == "range"]
    assert sum(row.positives for row in ranges) == default.positives
    sky = default.negatives - sum(row.negatives for row in ranges)
    assert (sky > 0) == (unit == "pixel")
    assert rows["temporal", "temporal"].frames == 2 * 3
    assert rows["domain", "held-out town"].frames == rows["domain", "held-out weather"].frames
    assert len({row.name for row in report.rows if row.unit == unit}) == len(rows)


def test_components_are_found_where_the_scores_are_perfect(scenes, perfect, report):
    settings = replace(SETTINGS, components=replace(SETTINGS.components, detected_pixels=1, true_pixels=1))
    found = evaluate_scenes(perfect, scenes, validation=scenes, settings=settings, replicates=0)
    assert found.row("default", "pixel").components.f1.value == 1.0
    assert found.row("default", "point").components is None
    voxels = found.row("default").components
    assert 0.0 < voxels.ppv.value <= 1.0
    assert voxels.true >= 3


def test_report_is_a_table(report):
    table = report.table()
    assert len(table) == len(report.rows)
    assert {"unit", "name", "auroc", "auroc_low", "aupr", "fpr95", "f1", "ppv", "f1_star"} <= set(table[0])
    assert "voxel default" in str(report)
    with pytest.raises(UnknownName, match="Did you mean 'default'"):
        report.row("defalt")


@pytest.mark.parametrize("unit", ["pixel", "point", "voxel"])
def test_braking_is_noticed_in_frames_and_inside_the_car(report, unit):
    found = report.temporal[unit]
    assert found.scenes == 2
    assert found.frame.local.auroc.value == 1.0
    assert found.object.local.auroc.value == 1.0
    assert found.frame_timing.median_delay.value == 0.0
    assert found.object_timing.median_delay.value == 0.0
    assert found.object_timing.early_rate.value <= 0.5


def test_late_scores_have_delays(scenes, perfect):
    def late(frames):
        for frame in frames:
            scores = next(iter(perfect([frame])))
            if frame.number < 6:
                scores.cameras["top"] %= 1.0
            yield scores

    camera = [scene for scene in scenes if scene.scenario.type == "temporal"]
    settings = SceneSettings(units=("pixel",))
    found = evaluate_scenes(late, camera, validation=scenes[-1:] + camera, settings=settings, replicates=0)
    assert found.temporal["pixel"].object_timing.median_delay.value == 2.0
    assert found.temporal["pixel"].frame_timing.median_delay.value == 2.0
    assert found.thresholds == {}


def test_camera_and_lidar_detectors_stand_in_one_table(scenes, perfect):
    rows = {}
    for sensors in (("camera",), ("lidar",)):
        found = evaluate_scenes(partial(perfect, sensors=sensors), scenes[:3], replicates=0)
        rows[sensors] = found.row("default")
        assert rows[sensors].ranking.auroc.value > 0.9
        assert found.row("default").operating is None
    assert rows["camera",].negatives != rows["lidar",].negatives


def test_recorded_voxels_give_the_same_report(scenes, perfect):
    recorded = [replace(scene, voxel_settings=VoxelSettings()) for scene in scenes[:1]]
    one, two = (evaluate_scenes(perfect, each, replicates=0).table() for each in (scenes[:1], recorded))
    assert one == two


def test_missing_and_additional_scores_are_errors(scenes, perfect):
    with pytest.raises(InvalidScores, match="1 frames of scene cow have no scores"):
        collect_scores(lambda frames: list(perfect(frames))[:-1], scenes[:1])
    with pytest.raises(InvalidScores, match="more scores than frames of scene cow"):
        collect_scores(lambda frames: list(perfect(frames)) * 2, scenes[:1])
    with pytest.raises(InvalidParameter, match="at least one scene"):
        evaluate_scenes(perfect, [])
    for settings in ({"units": "voxel"}, {"units": ("voxels",)}, {"range_edges": (3.0, 2.0)}):
        with pytest.raises(InvalidParameter):
            SceneSettings(**settings)


def test_held_out_domains_divide_scenes(scenes):
    known, held = HeldOut(towns=("rural",)).split(scenes)
    assert [scene.id for scene in held] == ["cow2", "braking2"]
    assert len(known) == 4
    with pytest.raises(UnknownName):
        HeldOut(weathers=("HardRian",))
    with pytest.raises(InvalidParameter):
        HeldOut(towns="rural")
