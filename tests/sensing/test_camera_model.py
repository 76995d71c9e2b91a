"""Camera models: the ideal one changes nothing, truth follows the lens, and noise is what it says."""

from dataclasses import replace

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.sensing import (
    CAMERA_MODELS,
    Camera,
    CameraImage,
    CameraModel,
    Instance,
    Light,
    Material,
    Motion,
    Plane,
    Scene,
    Sphere,
    camera_model,
    photograph,
    render,
    render_batch,
)
from offnominal.sensing.lens import distorted, undistorted

pytestmark = pytest.mark.long

BARREL = (-0.08, 0.01)
CAMERA = Camera((0.0, 0.0, 1.5), (10.0, 0.0, 1.5), 96, 64, 68.0)
BALLS = tuple(
    Instance(Sphere(1.0), (8.0, y, z), label=k, identity=k, material=Material((0.9, 0.1, 0.1)))
    for k, (y, z) in enumerate([(6.5, 4.2), (-6.5, 4.2), (6.0, -1.0), (0.0, 1.5)], 1)
)
SCENE = Scene(BALLS, light=Light(shadows=False))


def flat(value, *, size=(200, 300)):
    return CameraImage(np.full((*size, 3), value, np.uint8), np.full(size, 5.0, np.float32))


def camera_of(image):
    height, width = image.rgb.shape[:2]
    return replace(CAMERA, width=width, height=height)


def light_of(image):
    return (image.rgb.astype(np.float64) / 255.0) ** 2


def test_the_ideal_model_gives_the_same_bytes():
    image = render(SCENE, CAMERA, ("rgb", "depth", "label", "instance"))
    motion = Motion((20.0, 0.0, 0.0), 1.0)
    taken = photograph(image, CAMERA, camera_model("ideal"), motion=motion, seed=3, step=4)
    assert all(np.array_equal(getattr(taken, name), getattr(image, name)) for name in ("rgb", "depth", "label"))
    assert [name for name, model in CAMERA_MODELS.items() if model.is_ideal] == ["ideal"]


@pytest.mark.parametrize("name", ["dashcam", "night", "cheap"])
def test_the_same_seed_and_step_give_the_same_bytes(name):
    camera = replace(CAMERA, distortion=camera_model(name).distortion)
    image = render(SCENE, camera.source(), ("rgb", "depth", "label"))

    def taken(seed, step):
        return photograph(image, camera, camera_model(name), seed=seed, step=step).rgb.tobytes()

    assert taken(1, 2) == taken(1, 2)
    assert len({taken(1, 2), taken(1, 3), taken(2, 2)}) == 3


def test_distortion_is_undone():
    radius = np.linspace(0.0, 1.3, 50)
    assert np.allclose(
        radius * distorted(radius, BARREL) * undistorted(radius * distorted(radius, BARREL), BARREL), radius
    )
    source = replace(CAMERA, distortion=BARREL).source()
    assert source.width > CAMERA.width
    assert np.isclose(source.packed()[12] / source.width, CAMERA.packed()[12] / CAMERA.width)


def test_colour_and_label_move_together_to_where_the_lens_shows_them():
    lens = replace(CAMERA, distortion=BARREL)
    straight, bent = (render(SCENE, camera, ("rgb", "label", "depth", "instance")) for camera in (CAMERA, lens))
    for ball in BALLS:
        column, row, _ = lens.project(np.array([ball.position]))
        for image, shown in ((bent, True), (straight, ball.identity == 4)):
            there = np.argwhere(image.label == ball.label)
            middle = there.mean(axis=0) + 0.5
            near = np.abs(middle - (row[0], column[0])).max() < 1.0
            assert near == shown, (ball.identity, middle, row, column)
    red = (bent.rgb[..., 0] > 1.5 * bent.rgb[..., 2]) & (bent.rgb[..., 0] > 60)
    # Colours are interpolated, so that some pixels along the outlines differ.
    assert 2 * (red != (bent.label > 0)).sum() < (red != (straight.label > 0)).sum()
    assert np.array_equal(bent.instance > 0, bent.label > 0)
    assert np.array_equal(np.isfinite(bent.depth), bent.label > 0)


def test_rays_and_projection_of_a_lens_agree():
    lens = replace(CAMERA, distortion=BARREL)
    right, up = lens.image_plane()
    view = lens.packed()
    points = view[:3] + 7.0 * (view[9:12] + right[..., None] * view[3:6] + up[..., None] * view[6:9])
    column, row, depth = lens.project(points.reshape(-1, 3))
    rows, columns = np.mgrid[: lens.height, : lens.width]
    assert np.allclose(column, columns.ravel() + 0.5)
    assert np.allclose(row, rows.ravel() + 0.5)
    assert np.allclose(depth, 7.0)


@pytest.mark.parametrize(("value", "read", "shot"), [(128, 0.02, 0.0), (200, 0.0, 0.05), (90, 0.01, 0.08)])
def test_measured_noise_is_the_stated_one(value, read, shot):
    model = CameraModel("noisy", read_noise=read, shot_noise=shot)
    image = flat(value)
    measured = light_of(photograph(image, camera_of(image), model, seed=1))
    light = (value / 255.0) ** 2
    assert np.isclose(measured.mean(), light, atol=0.002)
    stated = np.sqrt(read**2 + shot**2 * light)
    assert np.isclose(measured.std(), stated, rtol=0.02)
    # Neighbours and colours are independent.
    assert abs(np.corrcoef(measured[:, 1:, 0].ravel(), measured[:, :-1, 0].ravel())[0, 1]) < 0.02
    assert abs(np.corrcoef(measured[..., 0].ravel(), measured[..., 1].ravel())[0, 1]) < 0.02


@pytest.mark.parametrize("stops", [-2.0, 1.0])
def test_a_stop_doubles_the_light(stops):
    image = flat(100)
    measured = light_of(photograph(image, camera_of(image), CameraModel("exposed", exposure=stops)))
    assert np.allclose(measured.mean(), (100 / 255.0) ** 2 * 2.0**stops, rtol=0.02)


def test_a_mosaic_keeps_a_plain_colour_and_mixes_those_of_fine_lines():
    image = flat(140)
    image.rgb[...] = (200, 120, 40)
    seen = photograph(image, camera_of(image), CameraModel("mosaic", bayer=True)).rgb
    assert np.abs(seen.astype(int) - (200, 120, 40)).max() <= 1
    image.rgb[:, ::2] = 0
    image.rgb[:, 1::2] = 255
    seen = photograph(image, camera_of(image), CameraModel("mosaic", bayer=True)).rgb
    assert (seen[10:-10, 10:-10].max(axis=2) > 200).all()
    assert (seen[10:-10, 10:-10].min(axis=2) < 60).any()


def test_a_camera_that_turns_blurs_upright_edges_and_one_that_drives_blurs_what_is_near():
    image = flat(0, size=(64, 96))
    image.rgb[:, 48:] = 255
    camera = camera_of(image)
    model = CameraModel("slow", shutter=0.05)

    def edge(motion):
        return int(((light_of(photograph(image, camera, model, motion=motion))[32, :, 0] * 1.001) % 1.0 > 0.01).sum())

    assert edge(Motion()) == 0
    # Half a radian per second for 0.05 s is 0.025 focal lengths of 96 / (2 * 1.01) pixels.
    focal = 48.0 / camera.packed()[12]
    assert abs(edge(Motion(turning=0.5)) - 0.025 * focal) <= 2.0
    sideways = Motion((0.0, 10.0, 0.0))
    assert abs(edge(sideways) - 10.0 * 0.05 / 5.0 * focal) <= 2.0
    image.depth[...] = 500.0
    assert edge(sideways) == 0
    # What moves with the camera stays sharp.
    image.depth[...] = 5.0
    along = CameraImage(image.rgb, image.depth, instance=np.full(image.depth.shape, 7, np.int32))
    moving = replace(sideways, instances=np.array([7]), velocities=np.array([(0.0, 10.0, 0.0)]))
    assert np.array_equal(photograph(along, camera, model, motion=moving).rgb, image.rgb)


def test_invalid_models_and_lenses_are_named():
    with pytest.raises(UnknownName, match=r"no camera model named 'dashcm'\. Did you mean 'dashcam'"):
        camera_model("dashcm")
    with pytest.raises(InvalidParameter, match="camera model 'mine': shutter is 3"):
        CameraModel("mine", shutter=3.0)
    with pytest.raises(InvalidParameter, match="nothing in the corners"):
        replace(CAMERA, fov=100.0, distortion=(-0.3, 0.0))
    with pytest.raises(InvalidParameter, match="render_batch takes cameras without distortion"):
        render_batch(Scene((Instance(Plane()),)), replace(CAMERA, distortion=BARREL))
    with pytest.raises(InvalidParameter, match="needs depth"):
        photograph(CameraImage(flat(9).rgb), camera_of(flat(9)), CameraModel("slow", shutter=0.01))
