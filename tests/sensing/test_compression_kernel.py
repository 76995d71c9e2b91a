"""Lossy compression against another encoder and against sums done by hand."""

import hashlib
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from offnominal.sensing import compression_kernel
from offnominal.sensing.compression_kernel import CHROMINANCE, LUMINANCE, compressed, steps

QUALITIES = {90: 0.2, 75: 0.5, 50: 1.0, 25: 2.0, 10: 5.0}


def scene(height, width):
    """A coloured image with smooth areas and edges."""
    y, x = np.mgrid[:height, :width]
    image = np.stack([128 + 90 * np.sin(x / 11), 128 + 90 * np.sin(y / 7), 40.0 + 2 * ((x + y) % 90)], axis=-1)
    image[height // 3 : height // 2, width // 4 : width // 2] = (200, 30, 60)
    return image.astype(np.uint8)


def difference(frame, quality, factor):
    """Mean difference to another encoder, in grey levels."""
    file = BytesIO()
    Image.fromarray(frame).save(file, "JPEG", quality=quality, subsampling="4:2:0")
    other = np.asarray(Image.open(file).convert("RGB")).astype(int)
    return np.abs(compressed(frame, factor).astype(int) - other).mean()


@pytest.mark.parametrize("shape", [(128, 128), (97, 101), (210, 160)])
@pytest.mark.parametrize("quality", QUALITIES)
def test_an_image_is_within_a_grey_level_of_that_of_another_encoder(shape, quality):
    assert difference(scene(*shape), quality, QUALITIES[quality]) < 1.0


@pytest.mark.parametrize("table", ["LUMINANCE", "CHROMINANCE"])
def test_a_wrong_table_is_noticed(table, monkeypatch):
    monkeypatch.setattr(compression_kernel, table, getattr(compression_kernel, table)[::-1])
    assert difference(scene(128, 128), 25, 2.0) > 1.0


def test_steps_are_whole_numbers_of_a_byte():
    assert steps(LUMINANCE, 1.0).tolist() == LUMINANCE.tolist()
    assert steps(CHROMINANCE, 1e-9).max() == 1.0
    assert steps(LUMINANCE, 50.0).max() == 255.0


@pytest.mark.parametrize("grey", [0, 1, 127, 128, 255])
def test_an_even_grey_moves_by_at_most_half_a_step(grey):
    frame = np.full((9, 23, 3), grey, np.uint8)
    for factor in (0.1, 1.0, 5.0):
        out = compressed(frame, factor).astype(int)
        assert np.ptp(out) == 0
        assert abs(out[0, 0, 0] - grey) <= steps(LUMINANCE, factor)[0, 0] / 16 + 0.5


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (17, 2), (16, 16)])
def test_any_size_keeps_its_shape(shape):
    frame = np.random.default_rng(0).integers(0, 256, (*shape, 3), dtype=np.uint8)
    assert compressed(frame, 2.0).shape == frame.shape


def test_the_bytes_are_the_same_on_every_cpu():
    frame = np.random.default_rng(5).integers(0, 256, (50, 70, 3), dtype=np.uint8)
    found = hashlib.sha256(
        b"".join(compressed(frame, factor).tobytes() for factor in (0.1, 1.0, 5.0, 50.0))
    ).hexdigest()
    assert found == "62b671d07c80fc47b125e5ef9f2efc199f2c66cb00fa14d934cbab0cc6f91cea"
