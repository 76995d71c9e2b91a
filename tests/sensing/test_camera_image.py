"""Pictures: their parts agree, nothing depends on the batch, and bytes are the same everywhere."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.sensing import (
    Box,
    Camera,
    Instance,
    Light,
    Material,
    Plane,
    Poses,
    Scene,
    Sky,
    Sphere,
    cast_rays,
    render,
    render_batch,
)
from offnominal.sensing.camera_image import OUTPUTS
from offnominal.sensing.example_scenes import arm, arm_camera, street_camera, town

pytestmark = pytest.mark.long

GREY = Material((0.5, 0.5, 0.5))


@pytest.fixture(scope="module")
def street():
    return town()


def unit_rays(camera):
    """The rays through the pixels' middles; their length is such that t is depth."""
    right, up, forward = (np.array(axis) for axis in camera.axes())
    half = np.tan(np.radians(camera.fov) / 2.0)
    x = (2.0 * np.arange(camera.width) + 1.0) / camera.width - 1.0
    y = 1.0 - (2.0 * np.arange(camera.height) + 1.0) / camera.height
    x, y = np.meshgrid(x * half * camera.width / camera.height, y * half)
    return (forward + x[..., None] * right + y[..., None] * up).reshape(-1, 3)


def moved(scene, n):
    random = np.random.default_rng(3)
    positions = scene.poses.positions + random.normal(size=(n, len(scene.instances), 3)) * 0.05
    return Poses(positions, np.broadcast_to(scene.poses.rotations, (n, len(scene.instances), 3, 3)))


def test_parts_of_a_image_agree(street):
    picture = render(street, street_camera(96, 64), OUTPUTS)
    seen = np.isfinite(picture.depth)
    assert 0.2 < seen.mean() < 0.95
    assert ((picture.instance > 0) == seen).all()
    assert ((picture.label > 0) == seen).all()
    np.testing.assert_allclose(np.linalg.norm(picture.normal, axis=-1), seen, atol=1e-5)
    labels = {i.identity or k + 1: i.label for k, i in enumerate(street.instances)}
    assert (picture.label[seen] == [labels[identity] for identity in picture.instance[seen].tolist()]).all()


@pytest.mark.parametrize(
    "camera",
    [street_camera(96, 64), Camera((-95, -60, 60), (0, 0, 0), 80, 80), Camera((0, 0, 9), (1, 0, 1), 50, 30, 100)],
)
def test_tiles_find_what_the_tree_finds(street, camera):
    picture = render(street, camera, ("depth", "instance"))
    rays = unit_rays(camera)
    hits = cast_rays(street, np.array(camera.position, float), rays)
    depth = hits.distance / np.linalg.norm(rays, axis=1)
    agree = hits.instance == picture.instance.ravel()
    assert agree.mean() > 0.999
    both = agree & np.isfinite(depth)
    np.testing.assert_allclose(picture.depth.ravel()[both], depth[both], rtol=1e-4)


def test_outputs_do_not_depend_on_which_others_are_requested():
    scene, camera = arm(), arm_camera(48)
    everything = render(scene, camera, OUTPUTS)
    for name in OUTPUTS:
        alone = render(scene, camera, (name,))
        assert np.array_equal(getattr(alone, name), getattr(everything, name))
        assert sum(getattr(alone, other) is not None for other in OUTPUTS) == 1


@pytest.mark.parametrize("samples", [1, 2])
def test_a_batch_is_its_frames_one_by_one(samples):
    scene, camera = arm(), arm_camera(40, samples)
    poses, offsets = moved(scene, 4), np.random.default_rng(0).normal(size=(4, 3)) * 0.1
    batch = render_batch(scene, camera, poses, offsets=offsets, outputs=OUTPUTS)
    for k in range(4):
        own = Poses(poses.positions[k], poses.rotations[k])
        single = render(scene, camera.moved(tuple(offsets[k])), OUTPUTS, poses=own)
        shifted = render_batch(scene, camera, own, offsets=offsets[k : k + 1], outputs=OUTPUTS)
        for name in OUTPUTS:
            assert np.array_equal(getattr(batch, name)[k], getattr(shifted, name)[0]), name
        assert (np.abs(batch.rgb[k].astype(int) - single.rgb) > 8).mean() < 0.01
    again = render_batch(scene, camera, poses, offsets=offsets, outputs=OUTPUTS)
    assert all(np.array_equal(getattr(batch, name), getattr(again, name)) for name in OUTPUTS)


def test_many_cameras_see_one_pose():
    scene, camera = arm(), arm_camera(32)
    cameras = [camera, camera.moved((0.1, 0.0, 0.0))]
    batch = render_batch(scene, cameras)
    assert all(np.array_equal(batch.rgb[k], render(scene, cameras[k]).rgb) for k in range(2))


def test_depth_is_along_the_direction_of_view():
    wall = Scene((Instance(Box((0.5, 9.0, 9.0)), (5.5, 0, 0)),))
    for camera in (Camera((0, 0, 0), (1, 0, 0), 33, 33, 60), Camera((0, 0, 0), (1, 0, 0), 33, 33, view_height=4.0)):
        np.testing.assert_allclose(render(wall, camera, ("depth",)).depth, 5.0, atol=1e-5)


def test_parallel_lines_of_sight_keep_sizes():
    balls = Scene((Instance(Sphere(0.5), (4, 1, 0)), Instance(Sphere(0.5), (40, -1, 0))))
    picture = render(balls, Camera((0, 0, 0), (1, 0, 0), 128, 128, view_height=4.0), ("instance",))
    areas = [(picture.instance == k).sum() / 32**2 for k in (1, 2)]
    assert areas == pytest.approx([np.pi / 4] * 2, rel=0.02)


def test_shadows_fall_away_from_the_sun():
    scene = Scene((Instance(Plane(), material=GREY), Instance(Box((0.5, 0.5, 1.0)), (0, 0, 1))), Light((1.0, 0.0, 1.0)))
    above = Camera((0, 0, 10), (0, 0, 0), 64, 64, 60, up=(0, 1, 0))
    lit = render(scene, above).rgb[32]
    dark = render(Scene(scene.instances, replace(scene.light, shadows=False)), above).rgb[32]
    # The box is 2 m high and the sun at 45 degrees: the shadow reaches from -0.5 to -2.5 m.
    x = (np.arange(64) + 0.5) / 64 * 2 - 1
    x *= 10.0 * np.tan(np.radians(30))
    shade = lit[:, 0] < dark[:, 0]
    assert (shade == ((x > -2.5) & (x < -0.5 * 10 / 8) | (x > -2.5) & (x < -0.5) & shade)).all()
    assert shade[(x > -2.3) & (x < -0.8)].all()
    assert not shade[(x > 0.7) | (x < -2.6)].any()


def test_samples_smooth_edges_towards_the_true_coverage():
    ball = Scene(
        (Instance(Sphere(1.0), material=Material((1.0, 1.0, 1.0))),), Light(shadows=False), Sky((0, 0, 0), (0, 0, 0))
    )
    camera = Camera((0, -5, 0), (0, 0, 0), 24, 24, view_height=3.0)
    fine = render(ball, replace(camera, width=240, height=240)).rgb.reshape(24, 10, 24, 10, 3).mean(axis=(1, 3))
    errors = [np.abs(render(ball, replace(camera, samples=n)).rgb - fine).max() for n in (1, 4)]
    assert errors[1] < 0.4 * errors[0]


def test_fog_hides_what_is_far():
    near, far = (Instance(Sphere(1.0), (x, 0, 0), material=Material((1.0, 0.0, 0.0))) for x in (5.0, 5000.0))
    sky = Sky((0.5, 0.5, 0.5), (0.5, 0.5, 0.5), visibility=100.0)
    colours = []
    for ball, fov in ((near, 10.0), (far, 0.01)):
        picture = render(Scene((ball,), sky=sky), Camera((0, 0, 0), (1, 0, 0), 3, 3, fov))
        colours.append(picture.rgb[1, 1].astype(int))
    assert colours[0][0] - colours[0][1] > 60
    assert abs(colours[1] - 128).max() <= 2


def test_bytes_are_the_same_on_every_machine():
    scene, camera = town(3), street_camera(64, 48, 2)
    picture = render(scene, camera, ("rgb", "label"))
    assert hashlib.sha256(picture.rgb.tobytes()).hexdigest()[:16] == "439ad6c8a39f379e"
    assert hashlib.sha256(picture.label.tobytes()).hexdigest()[:16] == "f7f42485aaf90b73"


def test_wrong_requests_are_named():
    scene, camera = arm(), arm_camera(8)
    with pytest.raises(UnknownName, match="Did you mean 'depth'"):
        render(scene, camera, ("dept",))
    with pytest.raises(InvalidParameter, match="one frame"):
        render(scene, camera, poses=moved(scene, 2))
    with pytest.raises(InvalidParameter, match="cannot be matched"):
        render_batch(scene, [camera] * 3, moved(scene, 2))
    with pytest.raises(InvalidParameter, match="in common"):
        render_batch(scene, [camera, arm_camera(9)])
    with pytest.raises(InvalidParameter, match="offsets"):
        render_batch(scene, camera, offsets=np.zeros((2, 2)))
    with pytest.raises(InvalidParameter, match="a scene of 20"):
        render(scene, camera, poses=Poses(np.zeros((3, 3)), np.zeros((3, 3, 3))))


def test_a_highway_has_full_lines_at_its_edges_and_dashes_between_its_lanes():
    road = Material((0.3, 0.3, 0.3), (1.0, 1.0, 1.0), "highway", 3.5)
    scene = Scene((Instance(Plane((30.0, 7.0)), material=road),), Light(shadows=False))
    image = render(scene, Camera((0.0, 0.0, 50.0), (0.0, 0.0, 0.0), 240, 160, up=(0.0, 1.0, 0.0), view_height=16.0))
    painted = image.rgb[..., 0] > 160
    height = {y: round(80 - 10 * y) for y in (5.25, 1.75, 0.0, -1.75, -5.25)}
    share = {y: painted[row - 1 : row + 1].any(axis=0).mean() for y, row in height.items()}
    assert share[5.25] == share[-5.25] == 1.0
    assert share[1.75] == share[-1.75] == pytest.approx(1 / 3, abs=0.02)
    assert share[0.0] == 0.0
    # A dash of 4 m every 12 m, one in the middle.
    assert painted[height[1.75] - 1 : height[1.75] + 1, 105:135].any(axis=0).all()
