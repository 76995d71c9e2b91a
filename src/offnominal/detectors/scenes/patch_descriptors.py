"""Descriptors of image patches that need no trained weights: colour, contrast, edges, surroundings and place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

from offnominal.core.types import FloatArray

AROUND = 5
"""Side of the surroundings of a patch, in patches."""


def patch_descriptors(rgb: NDArray[np.uint8], patch_size: int) -> FloatArray:
    """Return descriptors (rows, columns, 15) of overlapping patches, two per patch size in each direction.

    They are the mean colour, the standard deviation of the brightness, the mean vertical and horizontal edge, the mean
    colour and edges of the surroundings, the difference from the surroundings in brightness, and the row and
    the distance from the middle column in the image.

    Args:
        rgb: (height, width, 3): colours.
        patch_size: Side of a patch, in pixels.
    """
    image = rgb.astype(np.float32) / 255.0
    brightness = image.mean(axis=2)
    down = np.abs(np.diff(brightness, axis=0, prepend=brightness[:1]))
    right = np.abs(np.diff(brightness, axis=1, prepend=brightness[:, :1]))
    stride = max(1, patch_size // 2)
    planes = [*np.moveaxis(image, 2, 0), brightness, brightness**2, down, right]
    start = min(stride // 2, min(brightness.shape) - 1)
    red, green, blue, mean, square, vertical, horizontal = (
        uniform_filter(each, patch_size, mode="nearest")[start::stride, start::stride] for each in planes
    )
    contrast = np.sqrt(np.maximum(square - mean**2, 0.0))
    wide = [
        uniform_filter(each, 2 * AROUND, mode="nearest") for each in (red, green, blue, contrast, vertical, horizontal)
    ]
    rows, columns = mean.shape
    row = np.broadcast_to(np.linspace(0.0, 1.0, rows)[:, None], mean.shape)
    column = np.broadcast_to(np.abs(np.linspace(-1.0, 1.0, columns)), mean.shape)
    apart = np.abs(mean - sum(wide[:3]) / 3.0)
    return np.stack([red, green, blue, contrast, vertical, horizontal, *wide, apart, row, column], axis=2).astype(
        np.float64
    )
