"""Images of the MuJoCo worlds."""

import math

import numpy as np
import pytest

from offnominal.core.types import BoolArray, FloatArray, Frame
from offnominal.sensing import Camera
from offnominal.worlds.mujoco.cartpole import CartpoleSwingup
from offnominal.worlds.mujoco.cheetah import HalfCheetah
from offnominal.worlds.mujoco.reacher import Reacher3D
from offnominal.worlds.mujoco.render import SUN, Renderer
from offnominal.worlds.mujoco.world import MujocoWorld

pytestmark = pytest.mark.long

Drawn = CartpoleSwingup | MujocoWorld

WORLDS = (CartpoleSwingup, Reacher3D, HalfCheetah)
each_world = pytest.mark.parametrize("world_class", WORLDS)


def started(world_class: type[Drawn], n: int = 1) -> Drawn:
    world = world_class(n)
    world.reset(np.arange(n), np.arange(n), np.zeros(n, np.int64))
    return world


def image(world_class: type[MujocoWorld], qpos: list[float], *, size: int = 256) -> Frame:
    world = world_class(1)
    positions = np.zeros((1, world.model.nq))
    positions[0, : len(qpos)] = qpos
    frame: Frame = Renderer(world.model, world._view()).draw(positions, size=size)[0]
    return frame


def coloured(frame: Frame, above: int, below: int, by: int) -> BoolArray:
    return np.asarray(frame[..., above].astype(int) - frame[..., below] > by)


def goal_seen(frame: Frame) -> BoolArray:
    """Red and neither yellow nor orange."""
    return coloured(frame, 0, 1, 70) & ~coloured(frame, 1, 2, 20)


def centroid(mask: BoolArray) -> FloatArray:
    """Mean column and row of the marked pixels."""
    rows, columns = np.nonzero(mask)
    return np.array((columns.mean(), rows.mean()))


def projected(camera: Camera, point: FloatArray, size: int = 256) -> FloatArray:
    """Column and row at which a pinhole sees a point."""
    right, up, forward = np.array(camera.axes())
    away = point - np.array(camera.position)
    half = math.tan(math.radians(0.5 * camera.fov)) * (forward @ away)
    return np.array(((1 + right @ away / half), (1 - up @ away / half))) * 0.5 * size - 0.5


def reacher_camera() -> Camera:
    return Reacher3D(1)._view().camera


@each_world
def test_image_is_bytes_and_the_same_for_the_same_state(world_class: type[Drawn]) -> None:
    world = started(world_class)
    frame = world.frames()[0]
    assert frame.shape == (128, 128, 3)
    assert frame.dtype == np.uint8
    assert frame.tobytes() == started(world_class).frames()[0].tobytes()


@each_world
def test_image_changes_as_time_passes(world_class: type[Drawn]) -> None:
    world = started(world_class)
    before = world.frames()[0]
    for _ in range(10):
        world.step(np.ones((1, *world.action_space.shape)))
    assert (world.frames()[0] != before).any(axis=2).sum() > 20


@each_world
def test_rendering_does_not_change_the_physics(world_class: type[Drawn]) -> None:
    watched, alone = started(world_class), started(world_class)
    for t in range(20):
        action = np.full((1, *watched.action_space.shape), math.sin(t))
        watched.step(action)
        watched.frames()
        alone.step(action)
    assert watched.observations.tobytes() == alone.observations.tobytes()


@each_world
def test_each_row_has_its_own_image(world_class: type[Drawn]) -> None:
    world = started(world_class, n=2)
    assert world.frames()[0].tobytes() != world.frames()[1].tobytes()


@pytest.mark.parametrize("x", [0.4, 7.3, -1200.0])
def test_camera_stays_with_the_cheetah(x: float) -> None:
    here, there = (coloured(image(HalfCheetah, [at]), 0, 2, 60) for at in (0.0, x))
    np.testing.assert_allclose(centroid(here), centroid(there), atol=0.2)


def test_tiles_pass_under_the_cheetah() -> None:
    start, odd, even = (image(HalfCheetah, [x, 0.3])[-1].astype(int) for x in (0.0, 1.0, 2.0))
    assert np.abs(start - even).max() <= 2
    assert np.abs(start - odd).max() > 20


def test_whole_cheetah_is_in_view_as_it_jumps() -> None:
    sizes = [coloured(image(HalfCheetah, [0.0, height]), 0, 2, 60).sum() for height in (0.0, 0.3, 0.6)]
    assert min(sizes) > 0.85 * max(sizes)


@pytest.mark.parametrize("goal", [(0.0, 0.35, 0.1), (-0.2, 0.5, -0.2), (0.3, 0.3, 0.3)])
def test_goal_is_drawn_at_its_position(goal: tuple[float, float, float]) -> None:
    frame = image(Reacher3D, [0.0] * 7 + list(goal))
    expected = projected(reacher_camera(), np.array(goal))
    np.testing.assert_allclose(centroid(goal_seen(frame)), expected, atol=1.5)


@pytest.mark.parametrize(("nearer", "visible"), [(0.6, True), (-0.6, False)])
def test_near_things_cover_far_ones(nearer: float, visible: bool) -> None:
    camera = reacher_camera()
    trunk = np.array((0.0, -0.188, 0.1))
    towards = np.array(camera.position) - trunk
    goal = trunk + nearer * towards / np.linalg.norm(towards)
    frame = image(Reacher3D, [1.7, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, *goal])
    assert goal_seen(frame).any() == visible


@pytest.mark.parametrize("height", [-0.2, 0.0, 0.3])
def test_shadow_of_the_goal_lies_where_the_sun_throws_it(height: float) -> None:
    goal = np.array((0.3, 0.4, height))
    sun = np.array(SUN)
    floor = goal - sun * (height - Reacher3D(1)._view().floor) / sun[2]
    column, row = np.rint(projected(reacher_camera(), floor)).astype(int)
    with_goal, without = (image(Reacher3D, [-1.5, *[0.0] * 6, *at]) for at in (goal, (9.0, 9.0, 9.0)))
    assert with_goal[row, column].sum() < 0.85 * without[row, column].sum()


def test_joint_without_a_place_takes_the_arm_away_and_leaves_the_goal() -> None:
    frame = image(Reacher3D, [math.nan, *[0.0] * 6, 0.0, 0.4, 0.0])
    assert not coloured(frame, 2, 0, 60).any()
    assert goal_seen(frame).any()
