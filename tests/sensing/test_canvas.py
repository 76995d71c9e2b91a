"""Shapes have the area, the place and the edges that geometry gives them."""

import math

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray, Frame
from offnominal.sensing.canvas import RIM_SHADE, Canvas, rgb

BLACK, WHITE, RED = rgb("#000000"), rgb("#ffffff"), rgb("#ff0000")
SIZE = 100


def canvas() -> Canvas:
    """One metre is one pixel; (0, 0) is the lower left corner."""
    return Canvas(SIZE, SIZE, BLACK, view=(0.0, SIZE, 0.0, SIZE))


def area(frame: Frame) -> float:
    return float(frame[:, :, 0].sum() / 255.0)


def covered(frame: Frame) -> FloatArray:
    """Coverage with y upwards."""
    return frame[::-1, :, 0] / 255.0


@pytest.mark.parametrize("radius", [4.0, 7.7, 20.0])
@pytest.mark.parametrize("centre", [(50.0, 50.0), (47.31, 52.84), (60.5, 39.5)])
def test_disc_has_its_area(centre: tuple[float, float], radius: float) -> None:
    picture = canvas()
    picture.disc(centre, radius, WHITE)
    assert area(picture.frame()) == pytest.approx(math.pi * radius**2, rel=0.01)


@pytest.mark.parametrize("end", [(80.0, 30.0), (71.7, 66.1), (30.0, 30.0), (12.2, 90.9)])
def test_capsule_has_its_area(end: tuple[float, float]) -> None:
    start, radius = (30.0, 30.0), 5.0
    picture = canvas()
    picture.capsule(start, end, radius, WHITE)
    expected = 2.0 * radius * math.dist(start, end) + math.pi * radius**2
    assert area(picture.frame()) == pytest.approx(expected, rel=0.01)


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
    picture = canvas()
    picture.polygon(corners, WHITE)
    assert area(picture.frame()) == pytest.approx(expected, rel=0.01)


def test_coverage_agrees_with_supersampling() -> None:
    start, end, radius, samples = np.array((22.3, 31.9)), np.array((77.1, 58.2)), 6.4, 8
    picture = canvas()
    picture.capsule(start, end, radius, WHITE)
    steps = (np.arange(SIZE * samples) + 0.5) / samples
    x, y = np.meshgrid(steps, steps)
    line = end - start
    along = np.clip(((x - start[0]) * line[0] + (y - start[1]) * line[1]) / (line @ line), 0.0, 1.0)
    inside = np.hypot(x - start[0] - along * line[0], y - start[1] - along * line[1]) < radius
    expected = inside.reshape(SIZE, samples, SIZE, samples).mean(axis=(1, 3))
    np.testing.assert_allclose(covered(picture.frame()), expected, atol=0.1)


def test_edge_is_one_pixel_soft() -> None:
    picture = canvas()
    picture.disc((50.5, 50.5), 20.15, WHITE)
    row = covered(picture.frame())[50]
    assert row[30:71] == pytest.approx([0.65, *[1.0] * 39, 0.65], abs=0.002)
    assert not row[:30].any()
    assert not row[71:].any()


def test_shape_moves_by_less_than_a_pixel() -> None:
    centroids = []
    for x in (50.0, 50.1):
        picture = canvas()
        picture.disc((x, 50.0), 8.0, WHITE)
        weights = covered(picture.frame()).sum(axis=0)
        centroids.append(weights @ (np.arange(SIZE) + 0.5) / weights.sum())
    assert centroids[1] - centroids[0] == pytest.approx(0.1, abs=0.01)


def test_x_points_right_and_y_points_up() -> None:
    picture = Canvas(40, 20, BLACK, view=(-2.0, 2.0, -1.0, 1.0))
    picture.disc((1.5, 0.75), 0.2, WHITE)
    rows, columns = np.nonzero(picture.frame()[:, :, 0])
    assert rows.max() < 5
    assert columns.min() >= 32


def test_later_shape_covers_earlier() -> None:
    picture = canvas()
    picture.disc((50, 50), 10, WHITE)
    picture.disc((50, 50), 5, RED)
    frame = picture.frame()
    assert frame[50, 50].tolist() == [255, 0, 0]
    assert frame[50, 58].tolist() == [255, 255, 255]


def test_rim_darkens_the_edge_and_keeps_the_area() -> None:
    plain, rimmed = canvas(), canvas()
    plain.disc((50, 50), 20, WHITE)
    rimmed.disc((50, 50), 20, WHITE, rim=4)
    row = covered(rimmed.frame())[50]
    assert row[50] == 1.0
    assert row[32] == pytest.approx(RIM_SHADE, abs=0.003)
    assert ((plain.frame() > 0) == (rimmed.frame() > 0)).all()


def test_shape_across_the_border_is_cut() -> None:
    picture = canvas()
    picture.disc((0, 50), 10, WHITE)
    frame = picture.frame()
    assert area(frame) == pytest.approx(0.5 * math.pi * 100, rel=0.01)
    assert not frame[:, 11:].any()


@pytest.mark.parametrize("place", [(-50.0, 50.0), (50.0, 200.0), (1e300, -1e300), (math.nan, 50.0), (50.0, math.inf)])
def test_shape_out_of_sight_leaves_the_background(place: tuple[float, float]) -> None:
    picture = canvas()
    picture.disc(place, 10, WHITE)
    picture.polygon([place, place, place], WHITE)
    assert not picture.frame().any()


def test_shape_that_covers_everything_leaves_no_background() -> None:
    picture = canvas()
    picture.polygon([(-1e6, -1e6), (1e6, -1e6), (1e6, 1e6), (-1e6, 1e6)], RED)
    assert (picture.frame() == (255, 0, 0)).all()


def test_same_shapes_give_the_same_bytes() -> None:
    frames = []
    for _ in range(2):
        picture = canvas()
        picture.capsule((10.2, 20.7), (80.1, 60.3), 7.3, RED, rim=1.5)
        picture.polygon([(5, 5), (60, 20), (20, 70)], rgb("#47BBC8"), rim=0.7)
        frames.append(picture.frame().tobytes())
    assert frames[0] == frames[1]


def test_frame_is_a_copy() -> None:
    picture = canvas()
    before = picture.frame()
    picture.disc((50, 50), 10, WHITE)
    assert not before.any()
    assert before.shape == (SIZE, SIZE, 3)
    assert before.dtype == np.uint8


def test_colours_survive_unchanged() -> None:
    for level in range(256):
        code = bytes((level, 255 - level, level // 2))
        frame = Canvas(2, 2, rgb(f"#{code.hex()}"), view=(0, 1, 0, 1)).frame()
        assert (frame == list(code)).all()


@pytest.mark.parametrize(
    ("width", "height", "view"),
    [(0, 10, (0, 1, 0, 1)), (10, 10, (1, 0, 0, 1)), (10, 10, (0, 1, 0, 2)), (20, 10, (0, 1, 0, 1))],
)
def test_view_without_extent_or_of_another_aspect_is_refused(
    width: int, height: int, view: tuple[float, float, float, float]
) -> None:
    with pytest.raises(InvalidParameter, match="view"):
        Canvas(width, height, BLACK, view=view)
