"""Models of sensors in scenes: truth stays right, other sensors keep their bytes, and files keep the model."""

from dataclasses import replace

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.datasets.scenes import open_scenes, record_scenes
from offnominal.sensing import CameraModel
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.lidar_materials import MATERIALS, SURFACES
from offnominal.worlds.road.rigs import LEVEL, Mount, Rig, rig, tilted
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario, Timing
from offnominal.worlds.road.scenes import ScenarioRun, camera_points

pytestmark = pytest.mark.long

RIG = Rig("small", (Mount("top", (0.0, 0.0, 1.8)),), width=120, height=80, channels=16, columns=256)
SCENARIO = Scenario(
    "short", "residential", "CLEAR_NOON", seed=3, vehicles=5, pedestrians=5, anomaly=ContentAnomaly("cow", 65.0),
    timing=Timing(15, 20, 10),
)  # fmt: skip


@pytest.fixture(scope="module")
def frames():
    return {name: list(ScenarioRun(SCENARIO, rig=RIG, camera=name)) for name in ("ideal", "dashcam")}


def image_of(frame):
    return frame.sensors.cameras["top"].image


def test_the_ideal_model_is_that_of_every_rig(frames):
    for one, other in zip(ScenarioRun(SCENARIO, rig=RIG), frames["ideal"], strict=True):
        assert all(
            np.array_equal(getattr(image_of(one), name), getattr(image_of(other), name)) for name in ("rgb", "depth")
        )


def test_a_camera_model_changes_no_other_sensor(frames):
    for one, other in zip(frames["ideal"], frames["dashcam"], strict=True):
        assert not np.array_equal(image_of(one).rgb, image_of(other).rgb)
        turns = [each.sensors.lidars["top"].measured for each in (one, other)]
        assert turns[0].points.tobytes() == turns[1].points.tobytes()
        assert np.array_equal(one.state.position, other.state.position)


def test_pixels_behind_a_lens_are_points_of_the_same_surfaces(frames):
    for frame in frames["dashcam"]:
        points = camera_points(frame, "top")
        road = points.points[points.label == Label.ROAD]
        assert len(road) > 500
        # Far away, where a pixel is metres long, the depth is that of the nearest ray.
        assert np.median(np.abs(road[:, 2])) < 0.001
        assert np.quantile(np.abs(road[:, 2]), 0.95) < 0.03
        straight = replace(frame.sensors.cameras["top"].camera, distortion=(0.0, 0.0))
        cameras = {"top": replace(frame.sensors.cameras["top"], camera=straight)}
        wrong = camera_points(replace(frame, sensors=replace(frame.sensors, cameras=cameras)), "top")
        assert np.quantile(np.abs(wrong.points[wrong.label == Label.ROAD][:, 2]), 0.95) > 0.05


def test_labels_without_colours_are_those_of_the_frames(frames):
    found = [
        label()[0] for number, _, label in ScenarioRun(SCENARIO, rig=RIG, camera="dashcam").labels() if number >= 0
    ]
    assert all(np.array_equal(one, image_of(other).label) for one, other in zip(found, frames["dashcam"], strict=True))


def test_recorded_scenes_keep_the_model(frames, tmp_path):
    lens = replace(RIG, camera_model="dashcam")
    record_scenes([SCENARIO], tmp_path / "set", rig=lens)
    scene = open_scenes(tmp_path / "set")[0]
    assert scene.rig == lens
    read = scene[0]
    assert read.sensors.cameras["top"].camera == frames["dashcam"][0].sensors.cameras["top"].camera
    assert np.array_equal(image_of(read).rgb, image_of(frames["dashcam"][0]).rgb)
    with pytest.raises(InvalidParameter, match="no entry for the distortion of the lens of camera model 'dashcam'"):
        record_scenes([SCENARIO], tmp_path / "published", layout="published", rig=lens)


def test_a_lidar_that_turns_changes_no_camera_and_keeps_its_points_on_the_road(tmp_path, frames):
    spinning = replace(RIG, lidar_model="spinning")
    turned = list(ScenarioRun(SCENARIO, rig=RIG, lidar="spinning"))
    for one, other in zip(frames["ideal"], turned, strict=True):
        assert np.array_equal(image_of(one).rgb, image_of(other).rgb)
        still, cloud = (each.sensors.lidars["top"].exact for each in (one, other))
        assert still.seconds is None
        assert -0.1 <= cloud.seconds.min() <= cloud.seconds.max() < 0.0
        road = cloud.points[cloud.label == Label.ROAD]
        assert len(road) > 100
        assert np.abs(road[:, 2]).max() < 1e-5
        # Rays to the flat road are as long from everywhere, those to what stands beside it are not.
        upright = (cloud.points[..., 2] > 0.5) & (cloud.label == still.label)
        assert (np.abs(cloud.ranges[upright] - still.ranges[upright]) > 0.01).mean() > 0.3
    record_scenes([SCENARIO], tmp_path / "set", rig=spinning)
    read = open_scenes(tmp_path / "set")[0][1].sensors.lidars["top"]
    for name in ("exact", "measured"):
        kept, written = getattr(read, name), getattr(turned[1].sensors.lidars["top"], name)
        assert np.array_equal(kept.points, written.points, equal_nan=True)
        assert np.array_equal(kept.seconds, written.seconds)


def test_intensities_do_not_tell_road_users_and_objects_apart():
    still = {int(label) for label in SURFACES}
    moving = [int(label) for label in Label if int(label) not in still]
    assert {Label.CAR, Label.AGENT_CAR, Label.PEDESTRIAN, Label.TEMPORAL_ANOMALY, Label.HOME, Label.STATIC} <= set(
        moving
    )
    assert len(np.unique(MATERIALS[moving], axis=0)) == 1
    assert not any(label.is_anomaly for label in SURFACES)


def test_models_of_a_rig_are_named_or_described():
    assert replace(RIG, camera_model="night").camera_model.name == "night"
    described = {"name": "own", "mounts": [{"name": "top", "position": [0, 0, 1.8]}]}
    own = Rig.from_dict({**described, "camera_model": {"name": "mine", "bayer": True}})
    assert own.camera_model == CameraModel("mine", bayer=True)
    with pytest.raises(UnknownName, match="no camera model named 'nigth'"):
        ScenarioRun(SCENARIO, rig=RIG, camera="nigth")
    with pytest.raises(InvalidParameter, match=r"CameraModel has no field 'bayr'\. Did you mean 'bayer'"):
        Rig.from_dict({**described, "camera_model": {"bayr": True}})
    with pytest.raises(UnknownName, match="no lidar model named 'spining'"):
        ScenarioRun(SCENARIO, rig=RIG, lidar="spining")
    with pytest.raises(InvalidParameter, match="nothing in the corners"):
        replace(RIG, camera_model=CameraModel("fish", distortion=(-0.5, 0.0)))


def test_sensors_tilt_with_the_vehicle():
    mono = rig("mono")
    mount, tilt = mono.mounts[0], tilted(30.0, (4.0, 0.0))
    level, nose_up = (mono.camera_at(mount, (1.0, 2.0, 0.0), 30.0, attitude=each) for each in (LEVEL, (4.0, 0.0)))
    ahead, up = (np.subtract(each.target, each.position) / 10.0 for each in (level, nose_up))
    assert np.isclose(np.degrees(np.arcsin(up[2])), 4.0)
    assert np.allclose(tilt @ ahead, up)
    lidar = mono.lidar_at(mount, (1.0, 2.0, 0.0), 30.0, attitude=(0.0, 3.0))
    left = np.asarray(lidar.rotation)[:, 1]
    assert np.isclose(np.degrees(np.arcsin(left[2])), 3.0)
