"""Images with labels."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.datasets.image_sets import ImageSet

PICTURES = np.arange(24, dtype=np.uint8).reshape(2, 2, 2, 3)


def test_pixels_go_from_0_to_1_with_channels_first():
    images = ImageSet("mine", PICTURES * 10, [0, 1], ("a", "b"))
    pixels = images.pixels(np.array([1]))
    assert pixels.dtype == np.float32
    assert pixels.shape == (1, 3, 2, 2)
    assert pixels[0, 2, 0, 1] == np.float32(int(PICTURES[1, 0, 1, 2]) * 10 / 255)


def test_classes_are_counted_as_they_appear():
    assert ImageSet("mine", np.zeros((5, 1, 1, 1), np.uint8), [2, 0, 2, 1, 0], ("a", "b", "c")).order == (2, 0, 1)


@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        (PICTURES.astype(float), [0, 1], "float64"),
        (PICTURES[0], [0, 1], "shape"),
        (PICTURES, [0], "one for each of 2 images"),
        (PICTURES, [0, 2], "labels go from 0 to 2"),
        (PICTURES, [-1, 0], "labels go from -1 to 0"),
    ],
)
def test_what_are_no_labelled_images_is_named(images, labels, message):
    with pytest.raises(InvalidParameter, match=message):
        ImageSet("mine", images, labels, ("a", "b"))
