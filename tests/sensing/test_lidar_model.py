"""Lidar models: what moves during a turn, beams at edges, and intensities of materials."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.sensing import (
    Box,
    Instance,
    Lidar,
    LidarModel,
    Material,
    Motion,
    PointCloud,
    Scene,
    Sphere,
    lidar_model,
    sweep,
)
from offnominal.sensing.lidar_models import at_points, turn, widened

ROLLING = LidarModel("rolling", sectors=32)
WALLS = tuple(
    Instance(Box((0.5, 60.0, 5.0) if x else (60.0, 0.5, 5.0)), (20.5 * x, 20.5 * y, 1.0), label=1, identity=10 + k)
    for k, (x, y) in enumerate([(1, 0), (-1, 0), (0, 1), (0, -1)])
)


def driving(speed):
    return lambda seconds: Lidar((speed * seconds, 0.0, 1.8), channels=4, columns=256, fov=(-4.0, 4.0))


def test_the_ideal_model_is_a_sweep():
    at, scene = driving(0.0), Scene(WALLS)
    assert lidar_model("ideal") == LidarModel()
    one, other = turn(scene, at, LidarModel()), sweep(scene, at(0.0), intensity=True)
    assert one.seconds is None
    for name in ("ranges", "points", "label", "instance", "intensity"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
    assert at_points(one, at, LidarModel()) is one
    assert widened(one, at(0.0), LidarModel()) is one


def test_points_of_a_moving_lidar_are_where_they_were_hit():
    at, scene = driving(30.0), Scene(WALLS)
    cloud = turn(scene, at, ROLLING)
    ahead = cloud.instance == 10
    assert np.abs(cloud.points[ahead][:, 0] - 20.0).max() < 1e-4
    # In the first half of the turn the lidar was up to 3 m farther back, which the distances show.
    still = sweep(scene, at(0.0))
    difference = (cloud.ranges - still.ranges)[0]
    middle = len(difference) // 2
    assert difference[middle] == pytest.approx(30.0 * 0.05, abs=0.06)
    again = at_points(cloud, at, ROLLING)
    assert np.allclose(again.points, cloud.points, atol=1e-4)


def test_an_object_is_where_it_is_at_the_time_of_its_column():
    ball = Instance(Sphere(1.0), (0.0, 10.0, 1.8), label=2, identity=3)
    motion = Motion(instances=np.array([3]), velocities=np.array([(0.0, 40.0, 0.0)]))
    cloud = turn(Scene((ball, *WALLS)), driving(0.0), ROLLING, motion=motion)
    hit = cloud.instance == 3
    columns = np.flatnonzero(hit.any(axis=0))
    # It is to the left, at three quarters of the turn: 0.025 s before its end it is 1 m nearer.
    assert np.median(cloud.seconds[columns]) == pytest.approx(-0.025, abs=0.002)
    assert cloud.points[hit][:, 1].min() == pytest.approx(8.0, abs=0.1)


def fence(step):
    """Return a turn whose columns are at 10 m and farther in turn, four each."""
    ranges = np.where(np.arange(1024) // 4 % 2, 10.0, 10.0 + step).astype(np.float32)
    size = (1, 1024)
    points, bright = np.zeros((*size, 3), np.float32), np.full(size, 0.5, np.float32)
    labels = np.where(ranges > 10.0, 2, 1).astype(np.int32).reshape(size)
    return PointCloud(ranges.reshape(size), points, labels, labels, bright), Lidar(
        channels=1, columns=1024, fov=(0.0, 0.0)
    )


def changed(step, divergence):
    shares, between = [], []
    for number in range(20):
        cloud, lidar = fence(step)
        wide = widened(cloud, lidar, LidarModel("wide", divergence=divergence), seed=1, step=number)
        moved = wide.ranges != cloud.ranges
        shares.append(moved.mean())
        between += wide.ranges[moved].tolist()
    return float(np.mean(shares)), np.array(between)


@pytest.mark.parametrize("divergence", [2.0, 4.0])
def test_points_at_edges_are_between_near_surfaces(divergence):
    share, between = changed(0.5, divergence)
    # Half of the rays are at an edge; it is within half of the beam with this probability.
    expected = 0.5 * divergence / (2.0 * 2000.0 * np.pi / 1024)
    assert share == pytest.approx(expected, rel=0.08)
    assert between.min() > 10.0
    assert between.max() < 10.5


def test_of_far_surfaces_the_stronger_one_is_measured():
    share, _ = changed(5.0, 4.0)
    # Both are equally bright, and the own one has more than half of the beam.
    assert share == 0.0
    cloud, lidar = fence(5.0)
    cloud.intensity[cloud.label == 2] = 0.01
    wide = widened(cloud, lidar, LidarModel("wide", divergence=4.0), seed=1)
    taken = wide.ranges != cloud.ranges
    assert taken.any()
    assert set(wide.ranges[taken].tolist()) == {10.0}
    assert set(wide.label[taken].tolist()) == {1}
    assert set(cloud.label[taken].tolist()) == {2}


def test_materials_decide_the_intensity():
    paint = Material((0.5, 0.5, 0.5))
    scene = Scene((Instance(Box((0.5, 50.0, 5.0)), (10.0, 0.0, 0.0), label=1, material=paint),))
    lidar = Lidar(channels=1, columns=512, fov=(0.0, 0.0))
    plain = sweep(scene, lidar, intensity=True)
    back = plain.returned
    table = np.array([(0, 0, 0), (0.1, 0.4, 0.0)], np.float32)
    diffuse = sweep(scene, lidar, intensity=True, materials=table)
    assert np.allclose(diffuse.intensity[back], plain.intensity[back] * (0.1 + 0.4 * 0.5) / 0.5, atol=1e-6)
    reflector = sweep(scene, lidar, intensity=True, materials=np.array([(0, 0, 0), (0.8, 0.0, 1.0)], np.float32))
    assert np.allclose(reflector.intensity[back], 0.8)
    assert plain.intensity[back].min() < 0.3 * plain.intensity[back].max()


def test_invalid_models_are_named():
    with pytest.raises(UnknownName, match=r"no lidar model named 'spin'\. Did you mean 'spinning'"):
        lidar_model("spin")
    with pytest.raises(InvalidParameter, match="lidar model 'mine': sectors is 0"):
        LidarModel("mine", sectors=0)
    with pytest.raises(InvalidParameter, match="lidar model 'mine': divergence is -1"):
        LidarModel("mine", divergence=-1.0)
