"""Scenes in the published layout, current and older, that scene detectors score."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.datasets.png import encode_png, read_png
from offnominal.datasets.scenes import VoxelSettings, open_published, open_recording, open_scenes, record_scenes
from offnominal.datasets.scenes.pcd_files import read_pcd
from offnominal.datasets.scenes.published_encodings import decode_label
from offnominal.datasets.scenes.turn_grid import TurnGrid, measured_labels
from offnominal.detectors.scenes import HeightAboveRoad, LidarKNN, PatchKNN
from offnominal.evaluation.scenes import SceneSettings, evaluate_scenes
from offnominal.sensing import Lidar
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rigs import RIGS

MONO = replace(RIGS["mono"], width=48, height=32, channels=16, columns=128)
COW = "HARD_RAIN_NOON-1"


@pytest.fixture(scope="module")
def export(stand_in, tmp_path_factory):
    """Our own export, with a content anomaly in the rain, beside the frames that it was made of."""
    place = tmp_path_factory.mktemp("own") / "published"
    record_scenes(stand_in.SCENARIOS, place, layout="published", source=stand_in.Run, voxels=VoxelSettings())
    return place


@pytest.fixture(scope="module")
def mono(stand_in, tmp_path_factory):
    place = tmp_path_factory.mktemp("mono") / "published"
    record_scenes(stand_in.SCENARIOS, place, layout="published", source=stand_in.Run, rig=MONO)
    return place


@pytest.fixture(scope="module")
def legacy(mono, older, tmp_path_factory):
    place = tmp_path_factory.mktemp("older")
    for scene in open_published(mono):
        older.write_legacy(scene, place)
    return place


def simulated(stand_in, id, rig=None):
    return list(stand_in.Run(next(each for each in stand_in.SCENARIOS if each.id == id), rig=rig).frames())


def test_own_export_becomes_the_frames_that_it_was_made_of(export, stand_in):
    recording = open_recording(export)
    assert recording.left_out == recording.notes == {}
    assert set(recording.ids) == {each.id for each in stand_in.SCENARIOS}
    for scene in recording:
        for read, frame in zip(scene, simulated(stand_in, scene.id), strict=True):
            check_frame(read, frame)


def check_frame(read, frame):
    np.testing.assert_allclose((*read.position, read.yaw), (*frame.position, frame.yaw), atol=1e-9)
    assert (read.number, read.tick) == (frame.number, frame.tick)
    assert read.state.is_anomalous == frame.state.is_anomalous
    np.testing.assert_allclose(read.state.speed[0], frame.state.speed[0])
    assert read.state.controls == frame.state.controls
    assert list(read.sensors.cameras) == list(frame.sensors.cameras) == ["top", "left", "right"]
    for name, camera in frame.sensors.cameras.items():
        found = read.sensors.cameras[name]
        np.testing.assert_allclose(found.camera.packed(), replace(camera.camera, samples=1).packed(), atol=1e-9)
        np.testing.assert_array_equal(found.image.rgb, camera.image.rgb)
        np.testing.assert_array_equal(found.image.label, camera.image.label)
        np.testing.assert_allclose(found.image.depth, camera.image.depth, atol=3.1e-5, rtol=1e-6)
    for name, lidar in frame.sensors.lidars.items():
        found = read.sensors.lidars[name]
        for ours, theirs in ((found.measured, lidar.measured), (found.exact, lidar.exact)):
            np.testing.assert_array_equal(ours.returned, theirs.returned)
            np.testing.assert_allclose(ours.points, theirs.points, atol=1e-4)
            np.testing.assert_allclose(ours.ranges, theirs.ranges, rtol=1e-5)
        np.testing.assert_array_equal(found.exact.label, lidar.exact.label)
        np.testing.assert_array_equal(found.measured.intensity, lidar.measured.intensity)
        assert (found.measured.label == lidar.measured.label).mean() > 0.99


def test_all_kinds_of_detectors_give_the_same_scores_before_and_after_the_export(export, stand_in):
    normal, cow = (simulated(stand_in, id) for id in ("CLEAR_NOON-0", COW))
    recording = open_recording(export)
    for detector in (HeightAboveRoad(), PatchKNN(), LidarKNN()):
        detector.fit([normal])
        for read, frame in zip(detector.score(recording[COW]), detector.score(cow), strict=True):
            assert read.cameras.keys() == frame.cameras.keys()
            assert read.lidars.keys() == frame.lidars.keys()
            for name, scores in read.lidars.items():
                np.testing.assert_allclose(scores, frame.lidars[name], rtol=1e-4)
            for name, scores in read.cameras.items():
                # Depths are rounded to 0.06 mm, so that a pixel at the side of a cell can be in the next one.
                least = 0.8 if isinstance(detector, HeightAboveRoad) else 1.0
                assert np.isclose(scores, frame.cameras[name], rtol=1e-4).mean() >= least


def test_own_export_has_the_metrics_of_the_compact_layout(export, stand_in, tmp_path):
    record_scenes(stand_in.SCENARIOS, tmp_path / "compact", source=stand_in.Run, voxels=VoxelSettings())
    detector = HeightAboveRoad().fit([simulated(stand_in, "CLEAR_NOON-0")])
    settings = SceneSettings(units=("pixel", "point", "voxel"))
    one, two = (
        evaluate_scenes(detector.iter_scores, scenes, settings=settings, replicates=0)
        for scenes in (open_recording(export), open_scenes(tmp_path / "compact"))
    )
    assert len(one.rows) == len(two.rows) > 10
    for ours, theirs in zip(one.rows, two.rows, strict=True):
        assert (ours.unit, ours.name, ours.frames) == (theirs.unit, theirs.name, theirs.frames)
        if theirs.ranking.auroc.value is not None:
            assert ours.ranking.auroc.value == pytest.approx(theirs.ranking.auroc.value, abs=0.02)


def test_older_release_has_the_frames_of_the_current_one(mono, legacy):
    new, old = open_recording(mono), open_recording(legacy)
    assert old.left_out == {}
    assert all("no scenario file" in note for note in old.notes.values())
    assert (new[COW].weather, old[COW].weather) == ("HARD_RAIN_NOON", "unknown")
    for id in new.ids:
        assert (old[id].kind, old[id].size) == (new[id].kind, new[id].size)
        assert old[id].anomalous.tolist() == new[id].anomalous.tolist()
        # Without a setup of sensors the rig is the published one; here the lidar has fewer lasers.
        for before, after in zip(new[id], old[id], strict=True):
            image, again = (each.sensors.cameras["top"].image for each in (before, after))
            np.testing.assert_array_equal(again.rgb, image.rgb)
            np.testing.assert_array_equal(again.label, image.label)
            cloud, points = (each.sensors.lidars["top"].measured for each in (before, after))
            assert points.returned.sum() == cloud.returned.sum()
            assert (
                np.bincount(points.label[points.returned], minlength=256).tolist()
                == np.bincount(cloud.label[cloud.returned], minlength=256).tolist()
            )


def test_content_anomaly_of_the_one_colour_gets_its_class(legacy):
    labels = np.unique(
        np.concatenate([each.sensors.cameras["top"].image.label.ravel() for each in open_recording(legacy)[COW]])
    )
    assert int(Label.ANIMAL) in labels
    assert int(Label.TEMPORAL_ANOMALY) not in labels


def damaged(source, tmp_path):
    shutil.copytree(source, tmp_path / "copy")
    return tmp_path / "copy"


def test_colours_that_are_not_in_the_palette_are_named_and_the_rest_goes_on(legacy, tmp_path):
    place = damaged(legacy, tmp_path)
    path = place / f"Scenario_{COW}" / "SEMANTIC_IMG" / "SEMANTIC_IMG_4.png"
    image = read_png(path)
    image[3, 5] = (1, 2, 3)
    path.write_bytes(encode_png(image))
    recording = open_recording(place)
    reason = recording.left_out[f"Scenario_{COW}, frame 4"]
    assert str(path) in reason
    assert "colour (1, 2, 3)" in reason
    assert [len(scene) for scene in recording] == [3, 3, 2]
    assert [frame.tick for frame in recording[COW]] == [3, 5]


@pytest.mark.parametrize(
    "words", ["no line DATA", "ends after 3 of 5 points", "colour (9, 9, 9)", "binary_compressed", "not finite"]
)
def test_wrong_point_files_are_named_and_the_rest_goes_on(legacy, older, tmp_path, words):
    black, points = np.zeros((5, 3)), np.ones((5, 3))
    content = {
        "no line DATA": b"not a cloud",
        "ends after 3 of 5 points": older.encode_pcd(points, black)[:-20],
        "colour (9, 9, 9)": older.encode_pcd(points, black + 9),
        "binary_compressed": older.encode_pcd(points, black).replace(b"DATA binary", b"DATA binary_compressed"),
        "not finite": older.encode_pcd(points * np.nan, black),
    }[words]
    place = damaged(legacy, tmp_path)
    path = place / f"Scenario_{COW}" / "SEMANTIC_PCD" / "SEMANTIC_PCD_5.pcd"
    path.write_bytes(content)
    recording = open_recording(place)
    assert len(recording[COW]) == 2
    assert words in recording.left_out[f"Scenario_{COW}, frame 5"]


def test_half_a_folder_is_read_as_far_as_it_goes(mono, tmp_path):
    place = damaged(mono, tmp_path)
    for path in place.glob("Scenario_CLEAR_NOON-0/LIDAR*"):
        shutil.rmtree(path)
    next(place.glob("Scenario_CLEAR_NOON-2/DEPTH*/*_4.png")).unlink()
    (odd,) = place.glob(f"Scenario_{COW}/LIDAR*")
    (odd / f"{odd.name}_9.pcd").write_bytes(b"")
    (place / "Scenario_empty").mkdir()
    recording = open_recording(place)
    assert list(recording["CLEAR_NOON-0"][0].sensors.lidars) == []
    assert list(recording["CLEAR_NOON-0"][0].sensors.cameras) == ["top"]
    assert [frame.tick for frame in recording["CLEAR_NOON-2"]] == [3, 5]
    assert len(recording[COW]) == 3
    reasons = recording.left_out
    assert "no files of LIDAR" in reasons["Scenario_CLEAR_NOON-0, lidar at (0, 0, 1.8)(0, 0, 0)"]
    assert "does not exist" in reasons["Scenario_CLEAR_NOON-2, frame 4"]
    assert "does not end in .npy" in reasons[f"Scenario_{COW}/{odd.name}/{odd.name}_9.pcd"]
    assert "no complete camera" in reasons["Scenario_empty"]


def test_a_folder_without_scenes_is_an_error(tmp_path):
    with pytest.raises(MissingFile, match="no folders Scenario_"):
        open_recording(tmp_path)


def test_a_scenario_with_an_unknown_object_keeps_town_and_weather(mono, tmp_path):
    place = damaged(mono, tmp_path)
    path = place / "Scenario_Configuration_Files" / "scenario_config_map_Town05.json"
    data = json.loads(path.read_text())
    data.pop("checksum")
    for entry in data["scenario_definition"]["scenarios"]:
        if entry["id"] == COW:
            entry["anomaly_config"] |= {"anomaly_bp_name": "static.prop.o_trebuchet_special"}
            del entry["anomaly_config"]["size"]
        if entry["id"] == "CLEAR_NOON-2":
            entry["weather_preset"] = "SNOW"
    path.write_text(json.dumps(data))
    recording = open_recording(place)
    assert (recording[COW].town, recording[COW].weather) == ("grid", "HARD_RAIN_NOON")
    assert recording["CLEAR_NOON-2"].town == "unknown"
    assert "SNOW" in next(reason for at, reason in recording.left_out.items() if "CLEAR_NOON-2" in at)


def test_points_of_one_direction_are_not_lost():
    lidar = Lidar(channels=2, columns=8, fov=(0.0, 10.0))
    points = np.array([(1.0, 0.0, 0.0)] * 5 + [(2.0, 0.1, 0.0)] * 3)
    grid = TurnGrid.of(points, lidar)
    assert set(grid.row) == {1}
    assert sorted(grid.column) == list(range(8))
    with pytest.raises(DamagedFile, match="laser 1 has 9 points"):
        TurnGrid.of(np.vstack([points, points[:1]]), lidar)


def test_measured_points_get_the_labels_of_their_rays():
    lidar = Lidar(channels=1, columns=8, fov=(0.0, 0.0), noise=0.1)
    exact = np.array([(10.0, 0.0, 0.0), (0.0, 10.0, 0.0), (-10.0, 0.0, 0.0)])
    labels = np.array([1, 30, 14])
    near = exact * [[1.02], [0.98], [1.01]]
    assert measured_labels(near, exact, labels, lidar).tolist() == [1, 30, 14]
    # The last return is lost; a drop of rain is in front of the second point.
    assert measured_labels(near[:2] * [[1.0], [0.2]], exact, labels, lidar).tolist() == [1, 0]


@pytest.mark.parametrize("data", ["ascii", "binary"])
def test_pcd_files_are_read(older, tmp_path, data):
    points, colours = np.arange(12.0).reshape(4, 3) / 8, np.array([(1, 2, 3), (245, 0, 0), (128, 64, 128), (0, 0, 142)])
    path = tmp_path / "a.pcd"
    path.write_bytes(older.encode_pcd(points, colours, data))
    found, seen = read_pcd(path)
    np.testing.assert_array_equal(found, points.astype(np.float32))
    np.testing.assert_array_equal(seen, colours)


def test_ids_without_a_label_are_a_named_error(older):
    with pytest.raises(DamagedFile, match="id 77"):
        decode_label(np.array([[1, 77]], np.uint8))
    assert decode_label(older.colours_of(np.array([[30, 1]])), Label.ANIMAL).tolist() == [[30, 1]]
