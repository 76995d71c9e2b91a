"""Images of the cart-pole swing-up."""

import math

import mujoco
import numpy as np
import pytest

from offnominal.core.types import BoolArray, FloatArray, Frame
from offnominal.worlds.mujoco.cartpole import CartpoleSwingup
from offnominal.worlds.mujoco.cartpole_kernel import RAIL_END
from offnominal.worlds.mujoco.cartpole_render import PACE, _camera, _place, _scene, draw
from offnominal.worlds.mujoco.world import load_model

pytestmark = pytest.mark.long

SIZE = 256
CART, HINGE, POLE = -3, -2, -1


def image(x: float, angle: float = 0.0) -> Frame:
    frame: Frame = draw(np.array([(x, angle)]), size=SIZE)[0]
    return frame


def blue(frame: Frame) -> BoolArray:
    red, _, blue = np.moveaxis(frame.astype(int), -1, 0)
    return np.asarray(blue - red > 60)


def orange(frame: Frame) -> BoolArray:
    red, _, blue = np.moveaxis(frame.astype(int), -1, 0)
    return np.asarray(red - blue > 80)


def centroid(mask: BoolArray) -> FloatArray:
    """Mean column and row of the marked pixels."""
    rows, columns = np.nonzero(mask)
    return np.array((columns.mean(), rows.mean()))


@pytest.mark.parametrize("x", [-RAIL_END, -1.0, 0.0, 0.3, RAIL_END])
def test_cart_is_drawn_where_it_is(x: float) -> None:
    camera = _camera(SIZE)
    per_metre = 0.5 * SIZE / (math.dist(camera.position, camera.target) * math.tan(math.radians(0.5 * camera.fov)))
    shift = centroid(blue(image(x, math.pi)))[0] - centroid(blue(image(0.0, math.pi)))[0]
    assert shift == pytest.approx((1.0 - PACE) * x * per_metre, abs=4.0)


@pytest.mark.parametrize("x", [-RAIL_END, RAIL_END])
def test_cart_is_wholly_in_view_at_the_ends_of_its_rail(x: float) -> None:
    seen = blue(image(x, math.pi))
    assert seen.sum() > 0.95 * blue(image(0.0, math.pi)).sum()
    assert not seen[:, [0, -1]].any()


@pytest.mark.parametrize(("angle", "right", "up"), [(0, 0, -1), (math.pi, 0, 1), (0.5 * math.pi, -1, 0), (-1.57, 1, 0)])
def test_pole_points_where_its_angle_says(angle: float, right: int, up: int) -> None:
    frame = image(0.0, angle)
    (column, row), middle = centroid(orange(frame)), centroid(blue(image(0.0, math.pi)))
    assert np.sign(np.round((column - middle[0]) / 25)) == right
    assert np.sign(np.round((middle[1] - row) / 25)) == up


@pytest.mark.parametrize(("x", "angle"), [(0.0, 0.0), (1.2, 2.3), (-2.4, -7.0)])
def test_pole_stands_as_in_the_model(x: float, angle: float) -> None:
    model = load_model(CartpoleSwingup.model_file)
    data = mujoco.MjData(model)
    data.qpos[:] = x, angle
    mujoco.mj_kinematics(model, data)
    positions, rotations = _scene().poses.positions[None].copy(), _scene().poses.rotations[None].copy()
    _place(np.array([(x, angle)]), positions, rotations, np.zeros((1, 3)))
    expected = data.geom("pole").xpos
    np.testing.assert_allclose(positions[0, POLE, [0, 2]], expected[[0, 2]], atol=1e-3)
    # The model's pole leans by a sixtieth of a degree, and a capsule looks the same from either end.
    assert abs(rotations[0, POLE, :, 2] @ data.geom("pole").xmat.reshape(3, 3)[:, 2]) == pytest.approx(1.0, abs=1e-5)
    np.testing.assert_allclose(positions[0, CART, 0], x)
    np.testing.assert_allclose(positions[0, HINGE, 0], x)


@pytest.mark.parametrize("state", [(math.nan, 0.0), (0.0, math.inf), (1e300, 0.0)])
def test_state_that_is_nowhere_leaves_an_empty_rail(state: tuple[float, float]) -> None:
    frame = image(*state)
    assert not blue(frame).any()
    assert not orange(frame).any()
    assert frame.std() > 5


def test_pole_is_drawn_the_same_after_a_full_turn() -> None:
    first, second = (image(0.4, angle).astype(int) for angle in (0.7, 0.7 + 2 * math.pi))
    assert np.abs(first - second).max() <= 3
