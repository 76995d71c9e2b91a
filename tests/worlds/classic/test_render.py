"""Images of the classic worlds."""

import numpy as np
import pytest

from offnominal.worlds.classic.render import CART, POLE, STOP, draw_cartpoles, draw_pendulums
from offnominal.worlds.classic.world import CartPole


def where(frame, colour):
    """Return row and column of the middle of all pixels of about this colour, and how many there are."""
    near = np.abs(frame.astype(float) - 255 * np.array(colour)).max(axis=-1) < 12
    places = np.argwhere(near)
    return (*places.mean(axis=0), len(places)) if len(places) else (np.nan, np.nan, 0)


def cartpole(x=0.0, angle=0.0, length=1.0, size=128):
    return draw_cartpoles(np.array([x]), np.array([angle]), np.array([length]), size=size)[0]


def pendulum(angle, length=1.0):
    return draw_pendulums(np.array([[np.cos(angle), np.sin(angle)]]), np.array([length]))[0]


def test_a_cart_to_the_right_is_drawn_to_the_right_and_stays_in_sight():
    columns = [where(cartpole(x), CART)[1] for x in (-2.4, -1.0, 0.0, 1.0, 2.4)]
    assert np.all(np.diff(columns) > 10)
    assert columns[2] == pytest.approx(63.5, abs=0.5)


def test_a_pole_leans_to_the_side_of_its_angle():
    left, upright, right = (where(cartpole(angle=angle), POLE)[1] for angle in (-0.2, 0.0, 0.2))
    assert left < upright - 1 < right - 2


def test_a_longer_pole_is_longer():
    short, long = (where(cartpole(length=length), POLE)[2] for length in (0.5, 1.5))
    assert long > 2.5 * short


def test_the_end_of_the_track_comes_into_sight():
    assert where(cartpole(0.0), STOP)[2] == 0
    assert where(cartpole(2.4), STOP)[2] > 15


def test_a_pendulum_points_where_it_stands():
    rows = {angle: where(pendulum(angle), CART)[:2] for angle in (0.0, np.pi / 2, np.pi)}
    assert rows[0.0][0] < 30
    assert rows[np.pi][0] > 98
    assert rows[np.pi / 2][1] < 30
    assert rows[np.pi / 2][0] == pytest.approx(63.5, abs=1)


def test_what_is_not_finite_or_far_away_shows_no_body():
    empty = cartpole(np.nan)
    assert where(empty, CART)[2] == where(empty, POLE)[2] == 0
    assert where(cartpole(1e9), CART)[2] == 0
    assert where(pendulum(np.nan), CART)[2] == 0


def test_a_report_is_drawn_in_place_of_the_truth():
    world = CartPole(1)
    row = np.zeros(1, np.int64)
    world.reset(row, row, row)
    reported = world.observations.copy()
    reported[0, 0] = 1.5
    assert where(world.frames(observations=reported)[0], CART)[1] > where(world.frames()[0], CART)[1] + 20


def test_sizes_other_than_the_usual_show_the_same():
    assert where(cartpole(1.0, size=256), CART)[1] == pytest.approx(2 * where(cartpole(1.0), CART)[1], abs=1)
