"""Driving scenes in the compact layout."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from offnominal.core.errors import DamagedFile, MissingFile, UnknownName
from offnominal.datasets.scenes import open_scenes
from offnominal.datasets.scenes.array_codec import DEPTH_ERROR, RANGE_STEP
from offnominal.datasets.scenes.compact_layout import CompactReader, CompactWriter
from offnominal.datasets.scenes.scene_recorder import entry_of
from offnominal.datasets.scenes.scene_run import RunSource
from offnominal.worlds.road.carla import CarlaRun
from offnominal.worlds.road.rig_frame import RigFrame
from offnominal.worlds.road.scenes import ScenarioRun

SOURCES: list[RunSource] = [ScenarioRun, CarlaRun]
"""The type checker tests that both simulators can be recorded."""


def test_metadata_is_that_of_the_scenarios(recorded, stand_in):
    assert recorded.ids == [
        "CLEAR_NOON-0",
        "HARD_RAIN_NOON-1",
        "HARD_RAIN_NOON-1-twin",
        "CLEAR_NOON-2",
        "CLEAR_NOON-2-twin",
    ]
    for scene in recorded:
        assert scene.scenario == stand_in.SCENARIOS[int(scene.scenario.id[-1])]
        assert (scene.rig, scene.town, len(scene)) == (stand_in.RIG, "grid", 3)
        assert scene.ticks.tolist() == [3, 4, 5]
        faulty = scene.scenario.anomaly is not None and not scene.twin
        assert scene.anomalous.tolist() == scene.visible.tolist() == [faulty] * 3
        assert scene.route.shape == (110, 2)
        assert scene.truth == stand_in.Run(scene.scenario, twin=scene.twin).anomaly_truth()
    assert recorded.twin_of(recorded[1]).twin
    assert "HARD_RAIN_NOON" in repr(recorded[1])


@pytest.mark.parametrize("id", ["CLEAR_NOON-0", "HARD_RAIN_NOON-1", "HARD_RAIN_NOON-1-twin"])
def test_frames_are_read_as_they_were_written(recorded, stand_in, id):
    scene = recorded[id]
    for read, frame in zip(scene, stand_in.Run(scene.scenario, twin=scene.twin).frames(), strict=True):
        assert (read.number, read.tick, read.position, read.yaw) == (
            frame.number,
            frame.tick,
            frame.position,
            frame.yaw,
        )
        assert_same_state(read.state, frame.state)
        for name, camera in frame.sensors.cameras.items():
            found = read.sensors.cameras[name]
            assert found.camera == camera.camera
            assert_same_image(found.image, camera.image)
        for name, lidar in frame.sensors.lidars.items():
            found = read.sensors.lidars[name]
            assert (found.lidar.position, found.lidar.noise) == (lidar.lidar.position, lidar.lidar.noise)
            assert_same_cloud(found.measured, lidar.measured)
            assert_same_cloud(found.exact, lidar.exact)


def assert_same_state(found, state):
    for name in type(state).__dataclass_fields__:
        a, b = getattr(found, name), getattr(state, name)
        np.testing.assert_array_equal(a, b)
        assert np.asarray(a).dtype == np.asarray(b).dtype, name


def assert_same_image(found, image):
    for name in ("rgb", "label", "instance"):
        np.testing.assert_array_equal(getattr(found, name), getattr(image, name))
        assert getattr(found, name).dtype == getattr(image, name).dtype
    finite = np.isfinite(image.depth)
    np.testing.assert_array_equal(np.isfinite(found.depth), finite)
    np.testing.assert_allclose(found.depth[finite], image.depth[finite], rtol=DEPTH_ERROR)


def assert_same_cloud(found, cloud):
    np.testing.assert_array_equal(found.returned, cloud.returned)
    for name in ("label", "instance"):
        np.testing.assert_array_equal(getattr(found, name), getattr(cloud, name))
    back = cloud.returned
    np.testing.assert_allclose(found.ranges[back], cloud.ranges[back], atol=RANGE_STEP / 2 + 1e-5)
    np.testing.assert_allclose(found.points[back], cloud.points[back], atol=RANGE_STEP / 2 + 1e-5)
    assert np.isnan(found.points[~back]).all()
    np.testing.assert_allclose(found.intensity, cloud.intensity, atol=0.5 / 255 + 1e-6)


def test_any_pose_and_points_beside_the_rays_are_stored(stand_in, tmp_path):
    """Sensors of another simulator can be tilted, and its points are not exactly on the rays."""
    frame = stand_in.Run(stand_in.SCENARIOS[1]).frame(1)
    camera, lidar = frame.sensors.cameras["top"], frame.sensors.lidars["top"]
    tilted = replace(camera, camera=replace(camera.camera, up=(0.0, 0.1, 1.0)))
    lean = np.array(((1.0, 0.0, 0.0), (0.0, 0.8, -0.6), (0.0, 0.6, 0.8)))
    moved = replace(lidar.measured, points=lidar.measured.points + np.float32(0.25))
    beside = replace(lidar, lidar=replace(lidar.lidar, rotation=lean), measured=moved)
    sensors = RigFrame({**frame.sensors.cameras, "top": tilted}, {**frame.sensors.lidars, "top": beside})
    writer = CompactWriter(tmp_path, stand_in.RIG)
    entry = entry_of(frame, writer.add(replace(frame, sensors=sensors)))
    writer.close()
    found = CompactReader(tmp_path, stand_in.RIG).frame(entry).sensors
    assert found.cameras["top"].camera == tilted.camera
    np.testing.assert_array_equal(found.lidars["top"].lidar.rotation, lean)
    np.testing.assert_array_equal(found.lidars["top"].measured.points, moved.points)
    np.testing.assert_array_equal(found.lidars["top"].exact.points, lidar.exact.points)


def test_states_are_read_without_sensors(recorded, stand_in):
    scene = recorded[1]
    run = stand_in.Run(scene.scenario)
    for found, frame in zip(scene.states(), run.frames(), strict=True):
        assert_same_state(found, frame.state)


def test_any_arrow_reader_reads_the_state(recorded):
    with pa.ipc.open_stream(recorded[1].folder / "frames.arrow") as stream:
        table = stream.read_all()
    assert table["tick"].to_pylist() == [3, 4, 5]
    assert table["actors.kind"].to_pylist()[0] == ["sedan", "pedestrian", "cow"]
    assert table["ego.throttle"].to_pylist() == [0.4] * 3


def test_unknown_scene_is_an_error_with_the_nearest_name(recorded):
    with pytest.raises(UnknownName, match="CLEAR_NOON-0"):
        recorded["CLEAR_NOON-00"]
    with pytest.raises(IndexError):
        recorded[9]


def test_folder_without_scenes_is_an_error(tmp_path):
    with pytest.raises(MissingFile, match=r"scenes\.json"):
        open_scenes(tmp_path)
    (tmp_path / "scenes.json").write_text("{}")
    with pytest.raises(DamagedFile, match="not the manifest of a set of driving scenes"):
        open_scenes(tmp_path)
