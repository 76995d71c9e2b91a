"""Shapes have the area, the place and the edges that geometry gives them."""

import math

import numpy as np
import pytest

from offnominal.core.types import FloatArray, Frame
from offnominal.sensing.canvas import RIM_SHADE, blank, paint_disc, paint_polygon, rgb

pytestmark = pytest.mark.long

BLACK, WHITE, RED = rgb("#000000"), rgb("#ffffff"), rgb("#ff0000")
SIZE = 100


def canvas() -> Frame:
    return blank(SIZE, SIZE, BLACK)


def disc(
    centre: tuple[float, float],
    radius: float,
    colour: tuple[float, float, float] = WHITE,
    *,
    rim: float = 0.0,
    on: Frame | None = None,
) -> Frame:
    frame = canvas() if on is None else on
    paint_disc(frame, *centre, radius, rim, *colour)
    return frame


def polygon(
    corners: list[tuple[float, float]], colour: tuple[float, float, float] = WHITE, *, rim: float = 0.0
) -> Frame:
    frame = canvas()
    paint_polygon(frame, np.array(corners, np.float64), rim, *colour)
    return frame


def covered(frame: Frame) -> FloatArray:
    return frame[:, :, 0] / 255.0


def area(frame: Frame) -> float:
    return float(covered(frame).sum())


@pytest.mark.parametrize("radius", [0.9, 4.0, 7.7, 20.0])
@pytest.mark.parametrize("centre", [(50.0, 50.0), (47.31, 52.84), (60.5, 39.5)])
def test_disc_has_its_area(centre: tuple[float, float], radius: float) -> None:
    assert area(disc(centre, radius)) == pytest.approx(math.pi * radius**2, rel=0.12 if radius < 1 else 0.01)


@pytest.mark.parametrize(
    ("corners", "expected"),
    [
        ([(10, 10), (90, 10), (50, 70)], 2400.0),
        ([(10.5, 50.5), (50.5, 90.5), (90.5, 50.5), (50.5, 10.5)], 3200.0),
        ([(20, 20), (80, 20), (80, 40), (40, 40), (40, 80), (20, 80)], 2000.0),
        ([(20, 80), (40, 80), (40, 40), (80, 40), (80, 20), (20, 20)], 2000.0),
    ],
    ids=["triangle", "corners on pixel centres", "not convex", "clockwise"],
)
def test_polygon_has_its_area(corners: list[tuple[float, float]], expected: float) -> None:
    assert area(polygon(corners)) == pytest.approx(expected, rel=0.01)


def test_coverage_agrees_with_supersampling() -> None:
    centre, radius, samples = (44.3, 57.9), 12.4, 8
    steps = (np.arange(SIZE * samples) + 0.5) / samples
    x, y = np.meshgrid(steps, steps)
    inside = np.hypot(x - centre[0], y - centre[1]) < radius
    expected = inside.reshape(SIZE, samples, SIZE, samples).mean(axis=(1, 3))
    np.testing.assert_allclose(covered(disc(centre, radius)), expected, atol=0.1)


def test_edge_is_one_pixel_soft() -> None:
    row = covered(disc((50.5, 50.5), 20.15))[50]
    assert row[30:71] == pytest.approx([0.65, *[1.0] * 39, 0.65], abs=0.003)
    assert not row[:30].any()
    assert not row[71:].any()


def test_shape_moves_by_less_than_a_pixel() -> None:
    centroids = []
    for x in (50.0, 50.1):
        weights = covered(disc((x, 50.0), 8.0)).sum(axis=0)
        centroids.append(weights @ (np.arange(SIZE) + 0.5) / weights.sum())
    assert centroids[1] - centroids[0] == pytest.approx(0.1, abs=0.01)


def test_later_shape_covers_earlier() -> None:
    frame = disc((50, 50), 5, RED, on=disc((50, 50), 10))
    assert frame[50, 50].tolist() == [255, 0, 0]
    assert frame[50, 58].tolist() == [255, 255, 255]


def test_rim_darkens_the_edge_and_keeps_the_area() -> None:
    plain, rimmed = disc((50, 50), 20), disc((50, 50), 20, rim=4)
    row = covered(rimmed)[50]
    assert row[50] == 1.0
    assert row[32] == pytest.approx(RIM_SHADE, abs=0.003)
    assert ((plain > 0) == (rimmed > 0)).all()


def test_disc_and_polygon_of_many_sides_agree() -> None:
    rotations = np.linspace(0.0, 2.0 * math.pi, 257)[:-1]
    corners = [(50.0 + 20.0 * math.cos(a), 50.0 + 20.0 * math.sin(a)) for a in rotations]
    difference = polygon(corners, RED, rim=2.0).astype(int) - disc((50.0, 50.0), 20.0, RED, rim=2.0)
    assert np.abs(difference).max() <= 1


def test_shape_across_the_border_is_cut() -> None:
    frame = disc((0, 50), 10)
    assert area(frame) == pytest.approx(0.5 * math.pi * 100, rel=0.01)
    assert not frame[:, 11:].any()


@pytest.mark.parametrize("place", [(-50.0, 50.0), (50.0, 200.0), (1e300, -1e300), (math.nan, 50.0), (50.0, math.inf)])
def test_shape_out_of_sight_leaves_the_background(place: tuple[float, float]) -> None:
    assert not disc(place, 10).any()
    assert not polygon([place, place, place]).any()


def test_shape_that_covers_everything_leaves_no_background() -> None:
    assert (polygon([(-1e6, -1e6), (1e6, -1e6), (1e6, 1e6), (-1e6, 1e6)], RED) == (255, 0, 0)).all()
    assert (disc((50, 50), 1e4, RED) == (255, 0, 0)).all()


def test_colours_survive_unchanged() -> None:
    for level in range(256):
        code = bytes((level, 255 - level, level // 2))
        colour = rgb(f"#{code.hex()}")
        assert (blank(2, 2, colour) == list(code)).all()
        assert disc((50, 50), 3, colour)[50, 50].tolist() == list(code)
