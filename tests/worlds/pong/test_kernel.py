"""From screens to what an agent sees."""

import numpy as np
import pytest

from offnominal.worlds.pong.kernel import (
    HEIGHT,
    SIDE,
    WIDTH,
    agent_view,
    all_known,
    luma,
    merge_screens,
    overlap_weights,
    paint,
    resized,
    to_grey,
)

pytestmark = pytest.mark.long


@pytest.mark.parametrize(("size", "wanted"), [(210, 84), (160, 84), (160, 128), (5, 2), (4, 4), (3, 7), (84, 1)])
def test_shares_cover_every_pixel_equally(size, wanted):
    first, parts = overlap_weights(size, wanted)
    covered = np.zeros(size, int)
    for begin, window in zip(first, parts, strict=True):
        assert begin >= 0
        assert begin + len(window) <= size
        covered[begin : begin + len(window)] += window
    assert len(set(parts.sum(axis=1).tolist())) == 1
    assert len(set(covered.tolist())) == 1


def by_hand(picture, height, width):
    """The mean of what each pixel covers, in exact fractions of a pixel."""

    def overlaps(size, wanted):
        edges = np.arange(wanted + 1) * size / wanted
        pixels = np.arange(size)
        return np.clip(np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels), 0, None)

    down, across = overlaps(picture.shape[0], height), overlaps(picture.shape[1], width)
    return down @ picture @ across.T / (down[0].sum() * across[0].sum())


def test_a_pixel_of_an_observation_is_the_mean_of_its_area():
    picture = np.random.default_rng(0).integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)
    out = np.empty((SIDE, SIDE), np.uint8)
    agent_view(picture, out)
    assert np.abs(out - by_hand(picture.astype(float), SIDE, SIDE)).max() <= 0.5 + 1e-9


@pytest.mark.parametrize("size", [64, 128, 300])
def test_images_are_stretched_to_squares(size):
    frames = np.random.default_rng(0).integers(0, 256, (2, HEIGHT, WIDTH, 3), dtype=np.uint8)
    squares = resized(frames, size)
    exact = by_hand(frames[1, :, :, 2].astype(float), size, size)
    assert squares.shape == (2, size, size, 3)
    assert np.abs(squares[1, :, :, 2] - exact).max() <= 0.5 + 1e-9


def test_grey_levels_are_those_of_pillow():
    image = pytest.importorskip("PIL.Image")
    picture = np.random.default_rng(0).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    out = np.empty((20, 30), np.uint8)
    to_grey(picture, out)
    assert np.abs(out.astype(int) - np.asarray(image.fromarray(picture).convert("L"))).max() <= 1
    assert [luma(255, 255, 255), luma(0, 0, 0), luma(236, 236, 236)] == [255, 0, 236]


def test_of_two_pixels_the_brighter_is_kept_and_of_equals_the_later():
    greys = np.zeros(256, np.uint8)
    greys[[1, 2, 3]] = 10, 20, 20
    screens = np.array([[[1, 2, 2]], [[2, 1, 3]]], np.uint8)
    picture, grey = np.empty((1, 3), np.uint8), np.empty((1, 3), np.uint8)
    merge_screens(screens, greys, picture, grey)
    assert picture.tolist() == [[2, 2, 3]]
    assert grey.tolist() == [[20, 20, 20]]


def test_an_unknown_colour_is_noticed_where_the_screens_differ():
    known = np.zeros(256, np.bool_)
    known[5] = True
    old, new = np.full((2, 4), 5, np.uint8), np.full((2, 4), 5, np.uint8)
    assert all_known(new, old, known)
    new[1, 3] = 6
    assert not all_known(new, old, known)


def test_numbers_are_painted_in_their_colours():
    colours = np.arange(768).reshape(256, 3).astype(np.uint8)
    picture = np.array([[0, 5], [200, 255]], np.uint8)
    out = np.empty((2, 2, 3), np.uint8)
    paint(picture, colours, out)
    assert np.array_equal(out, colours[picture])
