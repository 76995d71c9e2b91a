"""Corruptions against other people's code and against sums done by hand."""

import math

import numpy as np
import pytest
from PIL import Image

from offnominal.anomalies.corruption_kernel import WEIGHT_BITS, half_gaussian, motion_blur, pixelated


def image(height, width, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


@pytest.mark.parametrize("share", [0.6, 0.5, 0.4, 0.3, 0.25])
@pytest.mark.parametrize("shape", [(210, 160), (128, 128), (32, 32), (33, 47), (97, 101), (250, 333)])
def test_pixelated_images_are_those_of_pillow(shape, share):
    frame = image(*shape)
    height, width = shape
    small = Image.fromarray(frame).resize((int(width * share), int(height * share)), Image.Resampling.BOX)
    large = np.asarray(small.resize((width, height), Image.Resampling.NEAREST))
    assert np.array_equal(pixelated(frame, share), large)


def by_hand(frame, weights, angle):
    """Every pixel on its own, as the formula says: shifted by (dx, dy), whatever is missing taken from the edge."""
    height, width = frame.shape[:2]
    total = np.zeros(frame.shape)
    for i, weight in enumerate(weights):
        dx, dy = -math.ceil(i * math.cos(angle) - 0.5), -math.ceil(i * math.sin(angle) - 0.5)
        if abs(dx) >= width or abs(dy) >= height:
            break
        for y in range(height):
            for x in range(width):
                total[y, x] += weight * frame[min(max(y - dy, 0), height - 1), min(max(x - dx, 0), width - 1)]
    return np.floor(total / 2**WEIGHT_BITS).astype(np.uint8)


@pytest.mark.parametrize("angle", [-math.pi / 4, -0.3, 0.0, 0.5, math.pi / 4])
@pytest.mark.parametrize("length", [7, 41])
def test_a_smear_is_the_sum_of_shifted_images(angle, length):
    frame, weights = image(20, 34), half_gaussian(length, 5.0)
    out = np.empty_like(frame)
    motion_blur(frame, weights, angle, out)
    assert np.array_equal(out, by_hand(frame.astype(float), weights.tolist(), angle))


def test_a_smear_along_a_line():
    frame = np.zeros((1, 6, 3), np.uint8)
    frame[0, 4] = 200
    weights = np.array([3, 1], np.int64) << (WEIGHT_BITS - 2)
    out = np.empty_like(frame)
    motion_blur(frame, weights, 0.0, out)
    assert out[0, :, 0].tolist() == [0, 0, 0, 50, 150, 0]


@pytest.mark.parametrize(("radius", "sigma"), [(10, 3.0), (15, 12.0), (20, 15.0)])
def test_a_trail_is_half_a_gaussian_and_adds_up_exactly(radius, sigma):
    weights = half_gaussian(2 * radius + 1, sigma)
    exact = np.exp(-(np.arange(2 * radius + 1) ** 2) / (2 * sigma**2))
    assert weights.sum() == 1 << WEIGHT_BITS
    assert np.allclose(weights / weights.sum(), exact / exact.sum(), atol=1e-6)
