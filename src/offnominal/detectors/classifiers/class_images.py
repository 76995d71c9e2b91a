"""Images as arrays or lazy sequences, read a few at a time in one layout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from offnominal.core.checks import numeric_array
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import IntArray

COLOURS = 3
SMALLEST = 8
"""Smallest side of an image."""
CHUNK = 256
"""Number of images that are read at a time."""
Images = NDArray[np.uint8]


class ClassImages:
    """Images (n, H, W, 3), (n, H, W, 1), (n, H, W) or (n, 3, H, W) of bytes, given as (k, 3, H, W).

    Grey images get three equal colours. The images may be any sequence with a shape that gives arrays for slices and
    lists of indices, such as those of a dataset that decodes them when they are used.

    Args:
        images: The images.

    Raises:
        InvalidParameter: They are not bytes of such a shape.

    Example:
        >>> ClassImages(np.zeros((5, 28, 28), np.uint8)).shape
        (3, 28, 28)
    """

    def __init__(self, images: Any) -> None:
        self._images = (
            images if hasattr(images, "shape") and hasattr(images, "dtype") else numeric_array("images", images)
        )
        shape, dtype = tuple(self._images.shape), np.dtype(self._images.dtype)
        layout = _layout(shape)
        if dtype != np.uint8 or layout is None or 0 in shape:
            raise InvalidParameter(
                f"the images are {dtype} of shape {shape}; expected bytes (uint8) of shape (n, H, W, 3), (n, H, W, 1), "
                "(n, H, W) or (n, 3, H, W)."
            )
        self._layout = layout
        height, width = shape[2:4] if layout == "first" else shape[1:3]
        if min(height, width) < SMALLEST:
            raise InvalidParameter(f"the images are {height} × {width} pixels; expected at least {SMALLEST} per side.")
        self.shape = (COLOURS, int(height), int(width))

    def __len__(self) -> int:
        return len(self._images)

    def take(self, rows: IntArray | slice) -> Images:
        """Return some images, (k, 3, H, W)."""
        images = np.asarray(self._images[rows])
        if self._layout == "grey":
            images = images[..., None]
        if self._layout != "first":
            images = np.moveaxis(images, -1, 1)
        return np.array(np.broadcast_to(images, (len(images), *self.shape)), order="C")

    def chunks(self, size: int = CHUNK) -> Iterator[Images]:
        """Yield all images in order, a few at a time."""
        for first in range(0, len(self), size):
            yield self.take(slice(first, first + size))


def _layout(shape: tuple[int, ...]) -> str | None:
    """Return where the colours are: the last axis, the first axis of an image, or nowhere; None for other shapes."""
    if len(shape) == 3:
        return "grey"
    if len(shape) != 4:
        return None
    return "last" if shape[3] in (1, COLOURS) else "first" if shape[1] == COLOURS else None
