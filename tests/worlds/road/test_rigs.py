"""Rigs are data, and all sensors of a frame agree."""

from dataclasses import replace

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.worlds.road.example_block import example_block
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rig_frame import record
from offnominal.worlds.road.rigs import RIGS, Mount, Rig, rig

pytestmark = pytest.mark.long

POSE = ((-60.0, -1.75, 0.0), 12.0)


@pytest.fixture(scope="module")
def block():
    return example_block()


@pytest.mark.parametrize(
    ("name", "cameras", "lidars"),
    [("mono", 1, 1), ("stereo", 3, 3), ("stereo-one-lidar", 2, 1), ("multi", 7, 7), ("surround", 10, 1)],
)
def test_published_rigs_have_their_sensors(name, cameras, lidars):
    assert (len(rig(name).cameras), len(rig(name).lidars)) == (cameras, lidars)
    assert len(RIGS) == 5


def test_cameras_have_the_published_intrinsics():
    mono = rig("mono")
    assert (mono.width, mono.height, mono.focal) == (768, 512, pytest.approx(384.0, abs=1e-9))
    camera = mono.camera_at(mono.mounts[0], (0.0, 0.0, 0.0), 0.0)
    column, row, depth = camera.project(np.array([(10.0, 10.0, 1.8), (10.0, 0.0, 1.8), (3.0, 0.0, 0.8)]))
    np.testing.assert_allclose(column, (0.0, 384.0, 384.0), atol=1e-9)
    np.testing.assert_allclose(row, (256.0, 256.0, 256.0 + 384.0 / 3.0), atol=1e-9)
    np.testing.assert_allclose(depth, (10.0, 10.0, 3.0), atol=1e-9)


def test_published_poses_have_y_and_yaw_to_the_right():
    right = next(mount for mount in rig("stereo").mounts if mount.name == "right")
    assert right.published() == {
        "location": {"x": 0.0, "y": 1.0, "z": 1.8},
        "rotation": {"roll": 0.0, "pitch": 0.0, "yaw": 15.0},
    }
    yaws = sorted(mount.published()["rotation"]["yaw"] for mount in rig("surround").mounts)
    assert yaws == [-180, -160, -120, -80, -40, 0, 40, 80, 120, 160]


@pytest.mark.parametrize("name", ["multi", "surround"])
def test_lidar_points_agree_with_the_images(block, name):
    small = replace(rig(name), width=240, height=160, channels=24, columns=360, lidar_noise=0.0)
    frame = record(block, small, *POSE, outputs=("depth", "label", "instance"))
    compared = 0
    for lidar in frame.lidars.values():
        for each in frame.cameras.values():
            # Only sensors at the same place see the same surfaces.
            if each.camera.position != lidar.lidar.position:
                continue
            back = lidar.exact.returned
            column, row, depth = each.camera.project(lidar.exact.points[back])
            inside = (depth > 0.5) & (column >= 1) & (column < 239) & (row >= 1) & (row < 159)
            rows, columns = row[inside].astype(int), column[inside].astype(int)
            labels, instances, depths = (
                lidar.exact.label[back][inside],
                lidar.exact.instance[back][inside],
                depth[inside],
            )
            around = np.stack([each.image.instance[rows + a, columns + b] for a in (-1, 0, 1) for b in (-1, 0, 1)])
            edge = (around != around[4]).any(axis=0)
            compared += (~edge).sum()
            assert (each.image.instance[rows, columns] == instances)[~edge].mean() > 0.998
            assert (each.image.label[rows, columns] == labels)[~edge].mean() > 0.998
            seen = each.image.depth[rows, columns][~edge]
            assert (np.abs(seen - depths[~edge]) < 0.03 * depths[~edge] + 0.05).mean() > 0.93
    assert compared > 2000


def test_frames_repeat_to_the_byte(block):
    small = replace(rig("stereo"), width=64, height=48, channels=8, columns=90)
    one, again = (record(block, small, *POSE, seed=3, step=7) for _ in range(2))
    for name in one.cameras:
        assert np.array_equal(one.cameras[name].image.rgb, again.cameras[name].image.rgb)
    for name in one.lidars:
        assert one.lidars[name].measured.points.tobytes() == again.lidars[name].measured.points.tobytes()
        assert one.lidars[name].exact.intensity.max() <= 1.0


def test_cameras_see_where_they_look(block):
    small = replace(rig("surround"), width=60, height=40)
    frame = record(block, small, (-60.0, -1.75, 0.0), 0.0, outputs=("label",))
    labels = {name: each.image.label for name, each in frame.cameras.items()}
    for name in ("front", "yaw +180"):
        assert (labels[name] == Label.ROAD).mean() > 0.2
    assert (labels["yaw +80"] == Label.BUILDING).mean() > 0.2


def test_own_rigs_come_from_plain_data():
    own = Rig.from_dict({
        "name": "roof", "width": 320, "height": 200, "lidar_fov": [-30, 10],
        "mounts": [{"name": "a", "position": [1, 0, 2], "yaw": 9, "lidar": False}, {"name": "b", "position": [0, 0, 2]}]
    })  # fmt: skip
    assert own.cameras[0].yaw == 9
    assert [mount.name for mount in own.lidars] == ["b"]


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: rig("mono2"), UnknownName, "Did you mean 'mono'"),
        (lambda: Rig("x", ()), InvalidParameter, "no mounts"),
        (lambda: Rig("x", (Mount("a", (0, 0, 1)), Mount("a", (0, 0, 2)))), InvalidParameter, "one name"),
        (lambda: Mount("a", (0, 0, 1), camera=False, lidar=False), InvalidParameter, "neither"),
        (lambda: Mount("a", (0, 0, float("nan"))), InvalidParameter, "position"),
        (lambda: Mount("a", (0, 0, 1), pitch=95.0), InvalidParameter, "pitch"),
        (lambda: Rig("x", (Mount("a", (0, 0, 1)),), fov=0.0), InvalidParameter, "fov"),
        (lambda: Rig("x", (Mount("a", (0, 0, 1)),), lidar_fov=(20.0, -20.0)), InvalidParameter, "fov"),
        (lambda: Rig("x", (Mount("a", (0, 0, 1)),), width=0), InvalidParameter, "width"),
        (lambda: Rig.from_dict({"name": "x"}), InvalidParameter, "lacks mounts"),
        (lambda: Rig.from_dict({"name": "x", "mounts": "top"}), InvalidParameter, "expected a list"),
        (lambda: Rig.from_dict({"name": "x", "mounts": [], "widht": 3}), UnknownName, "Did you mean 'width'"),
        (
            lambda: Rig.from_dict({"name": "x", "mounts": [{"name": "a", "position": [1, 2]}]}),
            InvalidParameter,
            "finite",
        ),
    ],
)
def test_bad_rigs_are_named(make, error, words):
    with pytest.raises(error, match=words):
        make()
