"""The contract of scene detectors: what they accept, what they return, and how they are saved."""

from dataclasses import replace

import numpy as np
import pytest

from offnominal.core.errors import DamagedFile, InvalidParameter, NotFitted
from offnominal.detectors.scenes import (
    FrameScores,
    HeightAboveRoad,
    SceneObservation,
    load_scene_detector,
    save_scene_detector,
)
from offnominal.worlds.road.rig_frame import RigFrame


def test_there_is_a_score_for_each_pixel_and_each_point(streets, cow):
    (scores,) = HeightAboveRoad().fit(streets).score(cow[:1])
    cloud = cow[0].sensors.lidars["top"].measured
    assert repr(scores) == f"FrameScores(camera top (32, 48), lidar top ({cloud.returned.sum()},))"
    assert scores.cameras["top"].dtype == scores.lidars["top"].dtype == np.float32


def test_a_scene_can_be_scored_frame_by_frame_without_reading_it_all(streets, cow):
    read = []

    def frames():
        for frame in cow:
            read.append(frame.number)
            yield frame

    scores = HeightAboveRoad().fit(streets).iter_scores(frames())
    next(scores)
    assert read == [0]


def test_an_empty_cloud_has_no_scores_and_missing_sensors_are_left_out(streets, cow):
    detector = HeightAboveRoad().fit(streets)
    lidar = cow[0].sensors.lidars["top"]
    nowhere = np.full_like(lidar.measured.points, np.nan)
    silent = replace(lidar.measured, ranges=np.full_like(lidar.measured.ranges, np.inf), points=nowhere)
    (scores,) = detector.score([replace(cow[0], sensors=RigFrame({}, {"top": replace(lidar, measured=silent)}))])
    assert scores.cameras == {}
    assert scores.lidars["top"].shape == (0,)


def test_what_a_detector_gets_has_no_labels_and_no_other_road_users(cow):
    seen = SceneObservation.of(cow[0])
    assert {*vars(seen)} == {"seconds", "cameras", "lidars", "position", "yaw", "speed", "controls"}
    assert {*vars(seen.cameras["top"])} == {"camera", "rgb", "depth", "invalid"}
    assert {*vars(seen.lidars["top"])} == {"lidar", "points", "intensity", "row", "column", "valid"}


def test_points_of_the_depth_image_lie_on_the_surfaces_that_the_lidar_measures(cow):
    seen = SceneObservation.of(cow[0])
    heights = seen.from_ego(seen.cameras["top"].points())[..., 2]
    road = cow[0].sensors.cameras["top"].image.label == 1
    assert np.abs(heights[road]).max() < 1e-3


def test_training_needs_normal_scenes(streets, cow):
    with pytest.raises(InvalidParameter, match="an anomaly is active in frame 0 of scene 1; fit HeightAboveRoad to"):
        HeightAboveRoad().fit([streets[0], cow])
    with pytest.raises(InvalidParameter, match="the scenes are frames; expected a list of scenes"):
        HeightAboveRoad().fit(streets[0])
    with pytest.raises(InvalidParameter, match="have no frames"):
        HeightAboveRoad().fit([[], []])


def test_a_failed_training_leaves_the_detector_as_it_was(streets, cow):
    detector = HeightAboveRoad().fit(streets)
    before = detector.score(cow[:1])[0].flat()
    with pytest.raises(InvalidParameter):
        detector.fit([cow])
    assert np.array_equal(detector.score(cow[:1])[0].flat(), before)


def test_errors_name_what_is_wrong(streets, cow):
    with pytest.raises(NotFitted, match="HeightAboveRoad is not fitted; call fit first"):
        HeightAboveRoad().score(cow)
    with pytest.raises(InvalidParameter, match="n_bins is 0; expected an integer"):
        HeightAboveRoad(n_bins=0)
    detector = HeightAboveRoad().fit(streets)
    with pytest.raises(InvalidParameter, match="a frame has no camera and no lidar; HeightAboveRoad needs one"):
        detector.score([replace(cow[0], sensors=RigFrame({}, {}))])
    dark = replace(cow[0].sensors.cameras["top"], image=replace(cow[0].sensors.cameras["top"].image, depth=None))
    with pytest.raises(InvalidParameter, match="camera 'top' has no colours or no depth"):
        detector.score([replace(cow[0], sensors=RigFrame({"top": dark}, {}))])


def test_a_damaged_file_is_named(streets, tmp_path):
    card = save_scene_detector(tmp_path / "height", HeightAboveRoad().fit(streets))
    assert card.detector == "HeightAboveRoad"
    detector = load_scene_detector(tmp_path / "height")
    state = detector.state_dict()
    with pytest.raises(DamagedFile, match="lidar has shape"):
        detector.load_state_dict(state | {"lidar": state["lidar"][:-1]})
    (tmp_path / "height.safetensors").write_bytes(b"0")
    with pytest.raises(DamagedFile, match="its card says"):
        load_scene_detector(tmp_path / "height")


def test_flat_scores_of_nothing_are_empty():
    assert FrameScores().flat().shape == (0,)
