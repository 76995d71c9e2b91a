"""Driving scenes in the published layout, and their reader."""

import json
import struct
import zlib

import numpy as np
import pytest

from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, UnsupportedFormat
from offnominal.datasets.png import SIGNATURE, _chunk, decode_png, encode_png
from offnominal.datasets.scenes import open_published, open_scenes, record_scenes, verify_scenes
from offnominal.datasets.scenes.published_encodings import decode_label
from offnominal.datasets.scenes.published_names import sensor_setup
from offnominal.worlds.road.labels import colour_table
from offnominal.worlds.road.rigs import RIGS

TOP = "(0, 0, 1.8)(0, 0, 0)"


@pytest.fixture(scope="module")
def folder(stand_in, tmp_path_factory):
    place = tmp_path_factory.mktemp("scenes") / "published"
    record_scenes(stand_in.SCENARIOS, place, layout="published", source=stand_in.Run)
    return place


def test_folders_and_files_have_the_published_names(folder):
    scene = folder / "Scenario_HARD_RAIN_NOON-1"
    sensors = json.loads((scene / "sensor_setup.json").read_text())
    assert len(sensors) == 3 * 6
    assert {each["sensor_type"] for each in sensors.values()} == {
        "RGB-CAM", "DEPTH_CAM", "SEMANTIC-CAM", "INSTANCE-CAM", "LIDAR", "SEMANTIC-LIDAR",
    }  # fmt: skip
    folders = {path.name for path in scene.iterdir() if path.is_dir()}
    assert folders == {*sensors, "ACTION", "ANOMALY", "ROUTE_MAP"}
    for name in folders:
        endings = {path.suffix for path in (scene / name).iterdir()}
        assert sorted(path.stem for path in (scene / name).iterdir()) == [f"{name}_{tick}" for tick in (3, 4, 5)]
        assert endings <= {".png", ".npy", ".csv"}
    assert (folder / "Scenario_Configuration_Files" / "scenario_config_map_Town05.json").exists()
    assert not (folder / "Scenario_CLEAR_NOON-0" / "ANOMALY").exists()


def test_sensors_are_named_after_type_place_and_settings():
    names = [name.rsplit("_", 1) for name in sensor_setup(RIGS["multi"])]
    assert names[0][0] == "RGB-CAM(0, 0, 1.8)(0, 0, 0)"
    assert ["LIDAR(-1.5, 0.9, 1)(0, 0, 170)", names[4][1]] in names
    assert all(digits.isdecimal() for _, digits in names)


def test_frames_are_read_as_they_were_written(folder, stand_in):
    scenes = open_published(folder)
    assert [scene.id for scene in scenes] == sorted(each.id for each in stand_in.SCENARIOS)
    for scene in scenes:
        assert scene.scenario in stand_in.SCENARIOS
        for read, frame in zip(scene, stand_in.Run(scene.scenario).frames(), strict=True):
            assert read.id == frame.tick
            assert len(read.cameras) == len(read.lidars) == 3
            camera, image = frame.sensors.cameras["top"].image, read.cameras[TOP]
            np.testing.assert_array_equal(image.rgb, camera.rgb)
            np.testing.assert_array_equal(image.label, camera.label)
            np.testing.assert_array_equal(image.instance, camera.instance % 2**16)
            np.testing.assert_allclose(image.depth, camera.depth, atol=3.1e-5, rtol=1e-6)
            check_lidar(read.lidars[TOP], frame.sensors.lidars["top"])


def check_lidar(found, lidar):
    for cloud, points in ((lidar.measured, found.points), (lidar.exact, found.exact)):
        back = cloud.returned
        np.testing.assert_allclose(np.sqrt((points.astype(float) ** 2).sum(axis=1)), cloud.ranges[back], rtol=1e-5)
        world = points @ np.asarray(lidar.lidar.rotation).T + np.asarray(lidar.lidar.position)
        np.testing.assert_allclose(world, cloud.points[back], atol=1e-4)
    np.testing.assert_array_equal(found.intensity, lidar.measured.intensity[lidar.measured.returned])
    np.testing.assert_array_equal(found.label, lidar.exact.label[lidar.exact.returned])


def test_matrices_of_the_sensors_are_in_the_published_frame(folder):
    frame = open_published(folder)[0][2]
    matrix = np.array(json.loads(frame.action["camera transformation matrix"]))
    inverse = np.array(json.loads(frame.action["camera inverse transformation matrix"]))
    np.testing.assert_allclose(matrix @ inverse, np.eye(4), atol=1e-12)
    yaw = np.deg2rad(5.0)
    np.testing.assert_allclose(matrix[:3, 0], (np.cos(yaw), -np.sin(yaw), 0.0), atol=1e-9)
    np.testing.assert_allclose(matrix[:3, 1], (np.sin(yaw), np.cos(yaw), 0.0), atol=1e-9)
    np.testing.assert_allclose(matrix[:3, 3], (3.0, -0.6, 1.8), atol=1e-9)
    np.testing.assert_allclose(json.loads(frame.action["lidar transformation matrix"]), matrix, atol=1e-9)


def test_action_and_anomaly_are_described(folder):
    scene = next(each for each in open_published(folder) if each.id == "HARD_RAIN_NOON-1")
    action, anomaly = scene[0].action, scene[0].anomaly
    assert (action["throttle"], action["steer"], action["speed"]) == ("0.4", "0.1", "54.0")
    assert (anomaly["anomaly_type_id"], anomaly["size"]) == ("static.prop.o_cow_animal", "big")
    assert (anomaly["semantic_tags"], anomaly["location"]) == ("[30]", "(9.0, 1.0, 0.0)")
    assert open_published(folder / "Scenario_CLEAR_NOON-0")[0][0].anomaly is None


def test_route_map_shows_the_route_ahead(folder):
    mask = open_published(folder)[0][0].route_map
    assert mask.shape == (192, 192)
    assert set(np.unique(mask)) == {0, 255}
    # The route is half a metre to the left of the vehicle and begins below it.
    assert np.flatnonzero(mask[10]).tolist() == list(range(85, 102))
    assert not mask[170:].any()


def test_scenes_are_verified_and_damage_is_named(folder, tmp_path):
    assert set(verify_scenes(folder).values()) == {""}
    with pytest.raises(InvalidParameter, match="open_published"):
        open_scenes(folder)
    path = next(folder.glob("Scenario_CLEAR_NOON-2/RGB*/*_4.png"))
    content = path.read_bytes()
    try:
        path.write_bytes(content[:60] + b"?" + content[61:])
        assert verify_scenes(folder)["CLEAR_NOON-2"].startswith("frame 1: ")
        scene = next(each for each in open_published(folder) if each.id == "CLEAR_NOON-2")
        with pytest.raises(DamagedFile, match="PNG"):
            scene[1]
    finally:
        path.write_bytes(content)
    with pytest.raises(MissingFile, match="no folders Scenario_"):
        open_published(tmp_path)


def test_older_releases_are_read(folder, tmp_path):
    """Older releases have one folder per type of sensor, and colours for labels."""
    source = open_published(folder)[0]
    label = source[0].cameras[TOP].label
    for name, image in (("RGB_IMG", source[0].cameras[TOP].rgb), ("SEMANTIC_IMG", colour_table()[label])):
        (tmp_path / "Scenario_old" / name).mkdir(parents=True)
        (tmp_path / "Scenario_old" / name / f"{name}_77.png").write_bytes(encode_png(image))
    (scene,) = open_published(tmp_path)
    assert scene.frame_ids == (77,)
    np.testing.assert_array_equal(scene[0].cameras[TOP].label, label)
    assert scene[0].lidars == {}


def test_labels_of_colours_are_those_of_the_table():
    ids = np.array([0, 1, 14, 29, 100, 114, 214])
    assert decode_label(colour_table()[ids][None]).tolist() == [ids.tolist()]


@pytest.mark.parametrize("kind", range(5))
def test_all_filters_of_png_are_read(kind):
    image = np.random.default_rng(kind).integers(0, 256, (5, 7, 3), np.uint8)
    padded = np.zeros((6, 8, 3), int)
    padded[1:, 1:] = image
    left, up, corner = padded[1:, :-1], padded[:-1, 1:], padded[:-1, :-1]
    base = left + up - corner
    near = np.stack([abs(base - left), abs(base - up), abs(base - corner)]).argmin(axis=0)
    guess = [0 * left, left, up, (left + up) // 2, np.choose(near, [left, up, corner])][kind]
    rows = np.concatenate([np.full((5, 1), kind), (image - guess).reshape(5, -1)], axis=1).astype(np.uint8)
    head = struct.pack(">IIBBBBB", 7, 5, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    content = SIGNATURE + b"".join(_chunk(*part) for part in parts)
    np.testing.assert_array_equal(decode_png(content), image)


def test_png_of_other_kinds_is_a_named_error():
    content = bytearray(encode_png(np.zeros((2, 2), np.uint8)))
    head = struct.pack(">IIBBBBB", 2, 2, 16, 0, 0, 0, 0)
    content[len(SIGNATURE) : len(SIGNATURE) + 25] = _chunk(b"IHDR", head)
    with pytest.raises(UnsupportedFormat, match="16 bits"):
        decode_png(bytes(content))
