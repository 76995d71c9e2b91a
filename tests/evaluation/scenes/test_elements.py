"""Scores of pixels and points in voxels."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidScores, UnknownName
from offnominal.detectors.scenes.frame_scores import FrameScores
from offnominal.evaluation.scenes import VoxelMapping, voxel_elements
from offnominal.evaluation.scenes.elements import pixel_elements, point_elements, visible_area
from offnominal.evaluation.scenes.score_checks import check_scores
from offnominal.sensing import VoxelGrid
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.scenes import camera_points, lidar_points, voxel_truth


@pytest.fixture(scope="module")
def frame(scenes):
    return scenes[0].frames[3]


@pytest.fixture(scope="module")
def scores(frame):
    rng = np.random.default_rng(0)
    back = frame.sensors.lidars["top"].measured.returned
    return FrameScores(
        cameras={"top": rng.random((20, 32)).astype(np.float32)},
        lidars={"top": rng.random(int(back.sum())).astype(np.float32)},
    )


@pytest.mark.parametrize(("reduction", "reduce"), [("max", np.max), ("mean", np.mean)])
@pytest.mark.parametrize("truth", ["all", "scored"])
def test_voxel_scores_are_those_of_their_points(frame, scores, reduction, reduce, truth):
    grid = VoxelGrid()
    camera, lidar = camera_points(frame, "top"), lidar_points(frame, "top", measured=True)
    points = np.concatenate([camera.points, lidar.points]).astype(np.float64)
    values = np.concatenate([scores.cameras["top"].ravel()[camera.source], scores.lidars["top"][lidar.source]])
    cells = np.floor((points - grid.low) / 0.5).astype(int)
    inside = ((cells >= 0) & (cells < grid.shape)).all(axis=1)
    numbers = np.where(inside, cells @ (1, 200, 200 * 200), -1)
    labelled = voxel_truth(frame)
    found = voxel_elements(frame, scores, VoxelMapping(reduction=reduction, truth=truth))
    observed = sorted(set(numbers[inside]) & set(labelled.index))
    np.testing.assert_array_equal(found.index, observed)
    assert len(observed) < len(set(numbers[inside]))
    for number, score, positive in zip(found.index, found.scores, found.positive, strict=True):
        assert score == pytest.approx(reduce(values[numbers == number]), rel=1e-6)
        assert positive == (labelled.label[labelled.index == number][0] == Label.ANIMAL)


def test_given_truth_decides_which_voxels_count(frame, scores):
    whole = voxel_elements(frame, scores)
    again = voxel_elements(frame, scores, truth=voxel_truth(frame))
    np.testing.assert_array_equal(whole.scores, again.scores)
    front = voxel_elements(frame, scores, VoxelMapping(front_only=True))
    assert 0 < len(front) < len(whole)
    mixed = voxel_elements(frame, scores, VoxelMapping(any_anomaly=True))
    assert mixed.positive.sum() >= whole.positive.sum() > 0


def test_pixels_and_points_have_distances_and_labels(frame, scores):
    pixels, points = pixel_elements(frame, scores), point_elements(frame, scores)
    image = frame.sensors.cameras["top"].image
    assert len(pixels) == 640
    np.testing.assert_array_equal(pixels.positive, (image.label == Label.ANIMAL).ravel())
    camera = camera_points(frame, "top")
    away = np.linalg.norm(camera.points - (0.0, 0.0, 1.8), axis=1)
    np.testing.assert_allclose(pixels.distance[camera.source], away, rtol=1e-4)
    assert np.isinf(pixels.distance[np.ravel(image.label) == Label.SKY]).all()
    cloud = frame.sensors.lidars["top"].measured
    np.testing.assert_array_equal(points.distance, cloud.ranges[cloud.returned])
    assert points.positive.sum() > 0


def test_visible_area_is_that_of_the_object(frame, scenes):
    # The box is 1.6 m wide and 1.6 m high; its front and its side are visible.
    assert visible_area(frame) == pytest.approx(1.6 * 1.6, rel=0.5)
    assert visible_area(scenes[-1].frames[0]) == 0.0


def test_scores_are_compared_with_the_sensors(frame, scores):
    check_scores(scores, frame)
    image, cloud = scores.cameras["top"], scores.lidars["top"]
    for cameras, lidars, error, match in (
        ({}, {}, InvalidScores, "no scores"),
        ({"tpo": image}, {}, UnknownName, "Did you mean 'top'"),
        ({"top": image.T}, {}, InvalidScores, r"expected numbers with shape \(20, 32\)"),
        ({}, {"top": cloud[1:]}, InvalidScores, "lidar 'top'"),
        ({"top": np.full_like(image, np.nan)}, {}, InvalidScores, "not finite"),
        ({"top": image.astype(str)}, {}, InvalidScores, "expected numbers"),
    ):
        with pytest.raises(error, match=match):
            check_scores(FrameScores(cameras=cameras, lidars=lidars), frame)
