"""Kernels of the camera anomalies."""

import numpy as np
import pytest

from offnominal.anomalies.camera_kernel import add_noise, blur, fill_bits, gain_table, noise_table
from offnominal.core.philox import uniform_pair

KEY = np.uint64(0x9E3779B97F4A7C15)


def image(height=24, width=40, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def blurred(frame, sigma):
    out = np.empty_like(frame)
    blur(frame, sigma, out)
    return out


def reference_blur(frame, sigma):
    """The same convolution by numpy, in double precision."""
    radius = int(np.ceil(3 * sigma))
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    weights /= weights.sum()
    padded = np.pad(frame.astype(float), ((radius, radius), (radius, radius), (0, 0)), mode="edge")
    across = np.apply_along_axis(np.convolve, 1, padded, weights, mode="valid")
    return np.apply_along_axis(np.convolve, 0, across, weights, mode="valid")


@pytest.mark.parametrize("sigma", [0.3, 1.0, 2.7])
def test_blur_is_the_gaussian_convolution(sigma):
    frame = image()
    assert np.abs(blurred(frame, sigma) - reference_blur(frame, sigma)).max() <= 0.501


@pytest.mark.parametrize("sigma", [0.5, 3.0, 1000.0])
def test_blur_leaves_an_even_image_as_it_is(sigma):
    for grey in (0, 1, 128, 255):
        frame = np.full((9, 7, 3), grey, np.uint8)
        assert np.array_equal(blurred(frame, sigma), frame)


def test_a_wider_blur_leaves_less():
    frame = image(64, 64)
    spread = [blurred(frame, sigma).std() for sigma in (0.5, 1.0, 2.0, 4.0, 8.0)]
    assert spread == sorted(spread, reverse=True)


@pytest.mark.parametrize(("stops", "levels"), [(0.0, {0: 0, 7: 7, 255: 255}), (1.0, {0: 0, 7: 14, 127: 254, 128: 255})])
def test_a_stop_doubles_the_light(stops, levels):
    table = gain_table(stops)
    assert {level: table[level] for level in levels} == levels


def test_no_stop_is_the_identity_and_extremes_are_black_and_white():
    assert np.array_equal(gain_table(0.0), np.arange(256))
    assert not gain_table(-1e6).any()
    assert gain_table(1e6).tolist() == [0] + [255] * 255


def test_a_third_of_a_stop_is_its_cube_root():
    assert gain_table(1 / 3)[100] == round(100 * 2 ** (1 / 3))
    assert gain_table(-2.5)[200] == round(200 * 2**-2.5)


def test_the_noise_of_a_table_is_normal():
    table = noise_table(20.0).astype(float)
    assert abs(table.mean()) < 0.01
    assert table.std() == pytest.approx(20.0, rel=1e-3)
    assert ((np.abs(table) > 40.5).mean()) == pytest.approx(0.0428, abs=5e-4)
    assert not noise_table(0.0).any()
    assert np.abs(noise_table(1e9)).max() == 255


def test_random_bits_are_those_of_the_stream():
    bits = np.empty(16, np.uint16)
    fill_bits(KEY, 5, 2, bits)
    first, second = uniform_pair(KEY, 5, 2, 1)
    words = [bits[8 + 2 * k].item() | bits[9 + 2 * k].item() << 16 for k in range(4)]
    assert first == pytest.approx((words[0] << 32 | words[1]) / 2**64, abs=1e-15)
    assert second == pytest.approx((words[2] << 32 | words[3]) / 2**64, abs=1e-15)


def test_noisy_bytes_are_clipped():
    values = np.array([0, 0, 100, 255, 255], np.uint8)
    table = np.zeros(1 << 16, np.int16)
    table[:5] = -3, 3, 7, 9, -9
    out = np.empty_like(values)
    add_noise(values, table, np.arange(5, dtype=np.uint16), out)
    assert out.tolist() == [0, 3, 107, 255, 246]
