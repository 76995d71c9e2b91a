"""Voxel truth of frames: all sensors in one frame around the ego vehicle."""

from dataclasses import replace

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.sensing import InvalidPoints, VoxelGrid, voxelise_scores
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rig_frame import RigFrame
from offnominal.worlds.road.scenes import camera_points, ego_points, lidar_points, voxel_truth
from offnominal.worlds.road.scenes.voxel_view import scores_from_above, voxels_from_above, voxels_in_3d

COW = np.array([9.0, -1.0, 1.0])
HALF = np.array([1.0, 2.0, 2.0])


@pytest.fixture(scope="module")
def frame(stand_in):
    """A frame in which the ego vehicle has moved and turned."""
    return stand_in.Run(stand_in.SCENARIOS[2]).frame(2)


def to_world(frame, points):
    angle = np.deg2rad(frame.yaw)
    turn = np.array([(np.cos(angle), -np.sin(angle), 0.0), (np.sin(angle), np.cos(angle), 0.0), (0.0, 0.0, 1.0)])
    return points @ turn.T + frame.position


@pytest.mark.parametrize("name", ["top", "left", "right"])
def test_cameras_and_lidars_see_the_same_object_at_the_same_place(frame, name):
    for cloud in (camera_points(frame, name), lidar_points(frame, name)):
        cow = to_world(frame, cloud.points[cloud.label == Label.ANIMAL])
        assert len(cow)
        assert (np.abs(cow - COW) <= HALF + 1e-3).all()
        assert (np.abs(np.abs(cow - COW) - HALF).min(axis=1) < 1e-3).all()
        road = to_world(frame, cloud.points[cloud.label == Label.ROAD])
        np.testing.assert_allclose(road[:, 2], 0.0, atol=1e-3)
        assert set(cloud.instance[cloud.label == Label.ANIMAL]) == {70_000}


def test_sources_are_the_pixels_and_the_returns(frame):
    camera, lidar = camera_points(frame, "left"), lidar_points(frame, "left", measured=True)
    image, cloud = frame.sensors.cameras["left"].image, frame.sensors.lidars["left"].measured
    np.testing.assert_array_equal(image.label.ravel()[camera.source], camera.label)
    np.testing.assert_array_equal(cloud.label[cloud.returned][lidar.source], lidar.label)
    near = camera_points(frame, "left", max_distance=8.0)
    assert 0 < len(near) < len(camera)


def test_fused_voxels_contain_the_anomaly_where_it_is(frame):
    truth = voxel_truth(frame, label_sets=True)
    cow = to_world(frame, truth.centres[truth.has_label([Label.ANIMAL])])
    assert len(cow)
    assert (np.abs(cow - COW) <= HALF + 0.36).all()
    assert (truth.contains_label([Label.ANIMAL]) >= truth.has_label([Label.ANIMAL])).all()
    near = voxel_truth(frame, max_distance=29.0)
    assert near.count.sum() == len(ego_points(frame, max_distance=29.0))
    one = voxel_truth(frame, cameras=["top"], lidars=[])
    assert set(one.index) < set(truth.index)


def test_published_rule_lets_road_lines_erase_other_labels(frame):
    image = frame.sensors.cameras["top"].image
    label = image.label.copy()
    label[::2] = Label.ROAD_LINE
    lines = replace(image, label=label)
    camera = replace(frame.sensors.cameras["top"], image=lines)
    marked = replace(frame, sensors=RigFrame({"top": camera}, {}))
    grid = VoxelGrid((-50.0, -50.0, -32.0), (50.0, 50.0, 32.0), 1.0)
    corner, published = (voxel_truth(marked, grid=grid, rule=rule) for rule in ("corner", "published"))
    contained = voxel_truth(marked, grid=grid, label_sets=True).contains_label([Label.ROAD_LINE])
    np.testing.assert_array_equal(published.has_label([Label.ROAD_LINE]), contained)
    np.testing.assert_array_equal(published.label[~contained], corner.label[~contained])
    assert published.has_label([Label.ANIMAL]).sum() < corner.has_label([Label.ANIMAL]).sum()


def test_missing_sensors_and_unknown_labels_are_named(frame):
    with pytest.raises(UnknownName, match=r"no camera 'lfet'. Did you mean 'left'"):
        voxel_truth(frame, cameras=["lfet"])
    with pytest.raises(UnknownName, match="no lidar 'rear'"):
        voxel_truth(frame, lidars=["rear"])
    with pytest.raises(InvalidPoints, match="no sensor"):
        voxel_truth(frame, cameras=[], lidars=[])
    with pytest.raises(InvalidParameter, match="rule"):
        voxel_truth(frame, rule="center")
    image = frame.sensors.cameras["top"].image
    odd = replace(frame.sensors.cameras["top"], image=replace(image, label=np.full_like(image.label, 77)))
    with pytest.raises(UnknownName, match="no label has the id 77"):
        voxel_truth(replace(frame, sensors=RigFrame({"top": odd}, {})))
    without = replace(frame.sensors.cameras["top"], image=replace(image, depth=None))
    with pytest.raises(InvalidParameter, match="no depth"):
        voxel_truth(replace(frame, sensors=RigFrame({"top": without}, {})))


def test_images_show_the_anomaly_where_it_is(frame):
    truth = voxel_truth(frame)
    above = voxels_from_above(truth, pixels=1)
    assert above.shape == (200, 200, 3)
    red = np.argwhere((above == (235, 28, 36)).all(axis=-1))
    cow = truth.centres[truth.has_label([Label.ANIMAL])]
    ahead, left = 50.0 - 0.5 * (red + 0.5).T
    assert {*zip(ahead, left, strict=True)} == {(x, y) for x, y, _ in cow}
    cloud = ego_points(frame)
    heat = scores_from_above(voxelise_scores(cloud.points, cloud.points[:, 0]), pixels=2)
    assert heat.shape == (400, 400, 3)
    assert ((above == above[0, 0]).all(axis=-1) == (heat[::2, ::2] == heat[0, 0]).all(axis=-1)).all()
    solid = voxels_in_3d(truth, width=48, height=32)
    assert solid.shape == (32, 48, 3)
    assert (solid[..., 0].astype(int) - solid[..., 1] > 60).any()
