"""A control for images: the number of blue pixels, which needs no training."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import FloatArray
from offnominal.datasets.image_sets import ImageSet, image_set_entry, leave_one_in, load_images
from offnominal.papers.comparison.metrics import auc

SEED = 1
"""Seed of the split; images have one in the paper."""


def blue_pixels(images: NDArray[np.uint8]) -> FloatArray:
    """Return the number of pixels of each image whose blue is larger than its red and its green.

    Args:
        images: (n, height, width, 3) bytes.

    Example:
        >>> blue_pixels(np.array([[[[9, 9, 10], [10, 9, 9]]], [[[9, 9, 9], [9, 10, 9]]]], np.uint8)).tolist()
        [1.0, 0.0]
    """
    red, green, blue = (images[..., channel] for channel in range(3))
    found: FloatArray = ((blue > red) & (blue > green)).sum(axis=(1, 2)).astype(np.float64)
    return found


def blue_pixel_auc(images: ImageSet, name: str) -> float:
    """Return the test AUC of a detector for which images with few blue pixels are anomalous, one class normal.

    Args:
        images: Image set with colours.
        name: Name of the normal class.

    Example:
        >>> pixels = np.zeros((20, 2, 2, 3), np.uint8)
        >>> pixels[:10, ..., 2] = 255
        >>> blue_pixel_auc(ImageSet("tiny", pixels, np.arange(20) // 10, ("sky", "night")), "sky")
        1.0
    """
    place = images.order.index(images.classes.index(name))
    test = leave_one_in(images, place, SEED).test
    return auc(-blue_pixels(images.images[test.rows]), test.anomalous)


@cache
def blue_pixel_auc_at_hand(name: str, normal: str) -> float | None:
    """Return :func:`blue_pixel_auc` of an image set of the data home; None if it is not there. Nothing is fetched."""
    return blue_pixel_auc(load_images(name), normal) if image_set_entry(name).presence == "present" else None
