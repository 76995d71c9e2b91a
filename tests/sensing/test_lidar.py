"""Lidars measure what is there, with noise that belongs to seed and step alone."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.sensing import Cylinder, Instance, Lidar, Plane, Scene, cast_rays, sweep
from offnominal.sensing.example_scenes import town
from offnominal.sensing.vectors import rotation_about_z

pytestmark = pytest.mark.long

TOWER = Scene((Instance(Cylinder(10.0, 50.0)),))
POSE = (-40.0, -1.75, 1.9)


@pytest.fixture(scope="module")
def street():
    return town()


@pytest.mark.parametrize("columns", [180, 97])
@pytest.mark.parametrize("rotation", [None, rotation_about_z(130.0), (0.98, 0.1, -0.15, 0.05)])
def test_patches_find_what_the_tree_finds(street, rotation, columns):
    lidar = Lidar(POSE, rotation, channels=24, columns=columns, fov=(-30.0, 15.0))
    cloud = sweep(street, lidar)
    low, high = np.radians(lidar.fov)
    up = np.linspace(high, low, 24)[:, None]
    around = (np.arange(columns) + 0.5) / columns * 2 * np.pi - np.pi
    own = np.stack(np.broadcast_arrays(np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)), axis=-1)
    directions = own.reshape(-1, 3) @ np.asarray(lidar.rotation).T
    hits = cast_rays(street, np.array(POSE), directions, max_range=lidar.max_range)
    agree = hits.instance == cloud.instance.ravel()
    assert agree.mean() > 0.998
    both = agree & (hits.instance > 0)
    np.testing.assert_allclose(cloud.ranges.ravel()[both], hits.distance[both], atol=2e-3)
    expected = np.array(POSE) + hits.distance[both, None] * directions[both]
    np.testing.assert_allclose(cloud.points.reshape(-1, 3)[both], expected, atol=2e-3)


def test_parts_of_a_cloud_agree(street):
    cloud = sweep(street, Lidar(POSE, channels=16, columns=128, dropout=0.2, noise=0.05))
    assert (np.isfinite(cloud.ranges) == cloud.returned).all()
    assert (np.isfinite(cloud.points).all(axis=-1) == cloud.returned).all()
    assert ((cloud.label > 0) == cloud.returned).all()
    apart = np.linalg.norm(cloud.points[cloud.returned] - np.array(POSE), axis=1)
    np.testing.assert_allclose(apart, cloud.ranges[cloud.returned], rtol=1e-4)


def test_noise_has_its_size_and_belongs_to_seed_and_step():
    lidar = Lidar(channels=32, columns=512, fov=(-10, 10), noise=0.03)
    clean, noisy = sweep(TOWER, Lidar(channels=32, columns=512, fov=(-10, 10))), sweep(TOWER, lidar, seed=4, step=7)
    error = (noisy.ranges - clean.ranges).ravel()
    assert error.std() == pytest.approx(0.03, rel=0.03)
    assert abs(error.mean()) < 0.001
    assert np.array_equal(noisy.ranges, sweep(TOWER, lidar, seed=4, step=7).ranges)
    assert not np.array_equal(noisy.ranges, sweep(TOWER, lidar, seed=4, step=8).ranges)
    assert not np.array_equal(noisy.ranges, sweep(TOWER, lidar, seed=5, step=7).ranges)


def test_dropout_loses_its_share_and_leaves_the_noise_alone():
    sizes = {"channels": 32, "columns": 512, "fov": (-10, 10), "noise": 0.03}
    floor_to_int, lossy = sweep(TOWER, Lidar(**sizes), seed=1), sweep(TOWER, Lidar(**sizes, dropout=0.25), seed=1)
    assert 1.0 - lossy.returned.mean() == pytest.approx(0.25, abs=0.015)
    assert np.array_equal(lossy.ranges[lossy.returned], floor_to_int.ranges[lossy.returned])


def test_nothing_comes_back_from_beyond_its_reach():
    ground = Scene((Instance(Plane()),))
    cloud = sweep(ground, Lidar((0, 0, 2.0), channels=40, columns=16, fov=(-60, 20), max_range=10.0))
    assert cloud.ranges[cloud.returned].max() <= 10.0
    slant = 2.0 / np.sin(-np.radians(np.linspace(20, -60, 40)))
    assert (cloud.returned.all(axis=1) == ((slant > 0) & (slant <= 10.0))).all()


@pytest.mark.parametrize(
    "wrong",
    [{"channels": 0}, {"columns": -3}, {"fov": (10, -10)}, {"max_range": 0.0}, {"noise": -1.0}, {"dropout": 1.5}],
)
def test_wrong_settings_are_named(wrong):
    with pytest.raises(InvalidParameter):
        Lidar(**wrong)
