"""A picture of a MuJoCo world shows every geom where its camera sees it."""

import math

import mujoco
import numpy as np
import pytest

from offnominal.core.errors import UnsupportedEnvironment
from offnominal.core.types import BoolArray, FloatArray, Frame
from offnominal.worlds.cartpole.world import CartpoleSwingup
from offnominal.worlds.mujoco.cheetah import HalfCheetah
from offnominal.worlds.mujoco.picture import BACKGROUND, CAMERAS, SHADOW, draw
from offnominal.worlds.mujoco.reacher import Reacher3D
from offnominal.worlds.mujoco.world import MujocoWorld, load_model

Drawn = CartpoleSwingup | MujocoWorld

SIZE = 128
WORLDS = (CartpoleSwingup, Reacher3D, HalfCheetah)
each_world = pytest.mark.parametrize("world_class", WORLDS)


def started(world_class: type[Drawn], n: int = 1) -> Drawn:
    world = world_class(n)
    world.reset(np.arange(n), np.arange(n), np.zeros(n, np.int64))
    return world


def picture(world_class: type[Drawn], qpos: list[float], *, size: int = SIZE) -> Frame:
    model = load_model(world_class.model_file)
    data = mujoco.MjData(model)
    data.qpos[: len(qpos)] = qpos
    return draw(model, data, world_class.world_id, size=size)


def shown(frame: Frame, model: mujoco.MjModel, geom: str) -> BoolArray:
    colour = np.rint(255 * model.geom(geom).rgba[:3])
    return np.asarray((np.abs(frame - colour) <= 1).all(axis=2))


def centroid(mask: BoolArray, world_class: type[Drawn]) -> FloatArray:
    """Mean place of the marked pixels, in metres from the middle of the picture."""
    rows, columns = np.nonzero(mask)
    half = CAMERAS[world_class.world_id].half
    size = mask.shape[0]
    return np.array((2 * (columns.mean() + 0.5) / size - 1, 1 - 2 * (rows.mean() + 0.5) / size)) * half


@each_world
def test_picture_is_bytes_and_the_same_for_the_same_state(world_class: type[Drawn]) -> None:
    world = started(world_class)
    frame = world.render()
    assert frame.shape == (128, 128, 3)
    assert frame.dtype == np.uint8
    assert frame.tobytes() == started(world_class).render().tobytes()


@each_world
def test_picture_changes_as_time_passes(world_class: type[Drawn]) -> None:
    world = started(world_class)
    before = world.render()
    for _ in range(10):
        world.step(np.ones((1, *world.action_space.shape)))
    assert (world.render() != before).any(axis=2).sum() > 20


@each_world
def test_looking_does_not_disturb_the_physics(world_class: type[Drawn]) -> None:
    watched, alone = started(world_class), started(world_class)
    for t in range(20):
        action = np.full((1, *watched.action_space.shape), math.sin(t))
        watched.step(action)
        watched.render()
        alone.step(action)
    assert watched.observations.tobytes() == alone.observations.tobytes()


@each_world
def test_each_row_has_its_own_picture(world_class: type[Drawn]) -> None:
    world = started(world_class, n=2)
    assert world.render(0).tobytes() != world.render(1).tobytes()


@pytest.mark.parametrize("x", [-2.0, 0.0, 1.3])
def test_cart_is_drawn_where_it_is(x: float) -> None:
    frame = picture(CartpoleSwingup, [x, 0.5 * math.pi], size=512)
    mask = shown(frame, load_model(CartpoleSwingup.model_file), "cart")
    left = np.nonzero(mask.any(axis=0))[0].min() / 512 * 2 * 2.6 - 2.6
    assert left == pytest.approx(x - 0.2, abs=0.05)


@pytest.mark.parametrize(("angle", "height"), [(0.0, -0.35), (math.pi, 0.35)])
def test_pole_hangs_at_zero_and_stands_at_pi(angle: float, height: float) -> None:
    frame = picture(CartpoleSwingup, [0.0, angle], size=512)
    mask = shown(frame, load_model(CartpoleSwingup.model_file), "pole")
    np.testing.assert_allclose(centroid(mask, CartpoleSwingup), (0.0, height), atol=0.06)


def test_cartpole_picture_holds_nothing_but_cart_rail_and_pole() -> None:
    frame = picture(CartpoleSwingup, [0.5, 2.0])
    reach = math.ceil(0.7 / 2.6 * SIZE / 2)
    rest = np.delete(frame, slice(SIZE // 2 - reach, SIZE // 2 + reach), axis=0)
    assert (rest == np.rint(255 * np.array(BACKGROUND))).all()


@pytest.mark.parametrize("x", [0.0, 7.3, -1200.0])
def test_camera_stays_with_the_cheetah(x: float) -> None:
    model = load_model(HalfCheetah.model_file)
    here, there = (shown(picture(HalfCheetah, [at], size=256), model, "torso") for at in (0.0, x))
    np.testing.assert_allclose(centroid(here, HalfCheetah), centroid(there, HalfCheetah), atol=0.005)


def test_ground_passes_under_the_cheetah() -> None:
    pixels = 15
    step = pixels * 2 * CAMERAS[HalfCheetah.world_id].half / SIZE
    start, later, odd, even = (picture(HalfCheetah, [x, 0.3])[-1].astype(int) for x in (0.0, step, 1.0, 2.0))
    assert np.abs(start[pixels:] - later[:-pixels]).max() <= 1
    assert np.abs(start - even).max() <= 1
    assert np.abs(start - odd).max() > 10


def test_feet_touch_the_ground_at_height_zero() -> None:
    camera = CAMERAS[HalfCheetah.world_id]
    frame = picture(HalfCheetah, [0.0, 0.5])
    sky = (frame[:, 0] == np.rint(255 * np.array(BACKGROUND))).all(axis=1)
    level = camera.centre[1] + camera.half - sky.sum() / SIZE * 2 * camera.half
    assert level == pytest.approx(0.0, abs=0.02)


def test_goal_is_drawn_where_the_camera_sees_it() -> None:
    camera = CAMERAS[Reacher3D.world_id]
    model = load_model(Reacher3D.model_file)
    for goal in ((0.0, 0.35, 0.1), (-0.2, 0.5, -0.2)):
        frame = picture(Reacher3D, [0.0] * 7 + list(goal), size=512)
        expected = camera.axes()[:2] @ goal - camera.centre
        np.testing.assert_allclose(centroid(shown(frame, model, "target"), Reacher3D), expected, atol=0.006)


def test_camera_axes_are_right_handed_and_of_unit_length() -> None:
    axes = CAMERAS[Reacher3D.world_id].axes()
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(np.cross(axes[0], axes[1]), -axes[2], atol=1e-15)


@pytest.mark.parametrize(("nearer", "visible"), [(0.6, True), (-0.6, False)])
def test_near_things_cover_far_ones(nearer: float, visible: bool) -> None:
    model = load_model(Reacher3D.model_file)
    trunk = np.array((0.0, -0.188, -0.1))
    goal = trunk - nearer * CAMERAS[Reacher3D.world_id].axes()[2]
    frame = picture(Reacher3D, [-1.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, *goal], size=256)
    assert shown(frame, model, "target").any() == visible


@pytest.mark.parametrize("height", [-0.2, 0.0, 0.3])
def test_shadow_of_the_goal_lies_on_the_floor_below_it(height: float) -> None:
    camera = CAMERAS[Reacher3D.world_id]
    frame = picture(Reacher3D, [0.0] * 7 + [0.0, 0.4, height], size=256)
    place = (camera.axes()[:2] @ (0.0, 0.4, -0.5) - camera.centre) / camera.half
    row, column = int((1 - place[1]) * 128), int((1 + place[0]) * 128)
    assert frame[row, column].tolist() == [round(255 * c) for c in SHADOW]


def test_shadow_tells_how_near_the_goal_is() -> None:
    away = CAMERAS[Reacher3D.world_id].axes()[2]
    goal = np.array((0.0, 0.4, 0.0))
    model = load_model(Reacher3D.model_file)
    near, far = (picture(Reacher3D, [0.0] * 7 + list(goal + d * away), size=256) for d in (-0.1, 0.1))
    balls = [shown(frame, model, "target") for frame in (near, far)]
    assert balls[0].sum() == pytest.approx(balls[1].sum(), abs=1)
    shadows = [(frame == np.rint(255 * np.array(SHADOW))).all(axis=2) for frame in (near, far)]
    assert (shadows[0] != shadows[1]).sum() > 10


GEOMS = {
    "sphere": ('type="sphere" size="0.5"', math.pi * 0.25),
    "box": ('type="box" size="0.5 0.1 0.3"', 0.6),
    "box turned in the picture": ('type="box" size="0.5 0.1 0.3" euler="0 30 0"', 0.6),
    "box turned out of it": ('type="box" size="0.5 0.5 0.5" euler="0 0 45"', math.sqrt(2)),
    "cylinder from the side": ('type="cylinder" size="0.3 0.5"', 0.6),
    "cylinder from its end": ('type="cylinder" size="0.3 0.5" euler="90 0 0"', math.pi * 0.09),
    "ellipsoid": ('type="ellipsoid" size="0.6 0.1 0.3"', math.pi * 0.18),
    "capsule": ('type="capsule" size="0.2 0.5"', 0.4 + math.pi * 0.04),
    "capsule from its end": ('type="capsule" size="0.2 0.5" euler="90 0 0"', math.pi * 0.04),
    "invisible sphere": ('type="sphere" size="0.5" rgba="0 0 0 0"', 0.0),
}


def single_geom(attributes: str, assets: str = "") -> Frame:
    text = (
        f'<mujoco>{assets}<default><geom rgba="0 0 0 1"/></default><worldbody><geom {attributes}/></worldbody></mujoco>'
    )
    model = mujoco.MjModel.from_xml_string(text)
    return draw(model, mujoco.MjData(model), CartpoleSwingup.world_id, size=512)


@pytest.mark.parametrize("name", GEOMS)
def test_geom_of_any_kind_has_the_area_of_its_silhouette(name: str) -> None:
    attributes, expected = GEOMS[name]
    frame = single_geom(attributes)
    area = (1.0 - frame[:, :, 0] / round(255 * BACKGROUND[0])).sum() * (5.2 / 512) ** 2
    assert area == pytest.approx(expected, rel=0.02)


def test_mesh_is_refused_by_name() -> None:
    assets = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'
    with pytest.raises(UnsupportedEnvironment, match="MESH"):
        single_geom('type="mesh" mesh="m"', assets)
